"""A session as a state machine, and the events that make a history. Pure: no files, no clock.

- `attempt`: `Attempt` (one answer), `Shown`, `Response`, `Part`, `Promise`; `event_id`.
- `events`: the other events (`Retraction`, `Rerating`, `SettingChange`), canonical text and checksum.
- `messages`: what goes into and out of a session.
- `practice.begin(...) -> state`, `practice.step(state, event) -> (state, effects)`: the machine.
"""
