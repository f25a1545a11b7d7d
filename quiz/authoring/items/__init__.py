"""Item statistics: how a class answered, and what that says of each question.

- `table`: who answered what; `from_csv` and `from_history` read it.
- `measures`: the formulas, pure.
- `figures`: a table -> the figures of each item and of the whole, with what they advise.
- `beside`: the same as one short line for each question, for whoever reads its source.
"""
