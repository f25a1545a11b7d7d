"""A session as a state machine, and the events that make a history. Pure: no files, no clock.

- `attempt`: `Attempt` (one answer), `Shown`, `Response`, `Part`, `Promise`; `event_id`.
- `events`: the other events (`Retraction`, `Rerating`, `SettingChange`, `Mark`), canonical text and checksum.
- `marks`: what the learner says of questions: flagged, suspended, buried, noted.
- `messages`: what goes into and out of a session.
- `practice.begin(...) -> state`, `practice.step(state, event) -> (state, effects)`: the machine.
"""
