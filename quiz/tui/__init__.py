"""What a learner looks at: the app, its screens and widgets. The only place that imports textual.

- `launch`: `run(launch) -> int`, the way in for commands; refuses where there is no terminal to draw on.
- `ports`: what the screens need of bank, store, session and grading, and the values that pass between them.
- `desk`: the real thing behind those ports.
- `lines`, `prose`, `bars`, `tables`: text laid out for a width, without widgets.
- `screens/`, `widgets/`, `themes`, `styles.tcss`.
"""
