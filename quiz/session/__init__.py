"""A session as a state machine, and the events that make a history. Pure: no files, no clock.

- `attempt`: `Attempt` (one answer), `Shown`, `Response`, `Part`, `Promise`; `event_id`.
- `events`: the others (`Retraction`, `Rerating`, `SettingChange`, `Mark`, `Drilled`), canonical text and checksum.
- `marks`: what the learner says of questions: flagged, suspended, buried, noted.
- `scratch.Scratch`: in place of the history where answers are not to count. `answers.by_card`: what a fit takes.
- `messages`: what goes into and out of a session.
- `practice.begin(...) -> state`, `practice.step(state, event) -> (state, effects)`: the machine.
"""
