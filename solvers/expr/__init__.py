"""The expression tree that relations, figures of a bank and learners' answers share.

`tree` holds the nodes, `dimension` and `units` what they measure, `evaluate` their exact value,
`show` their spelling for a person.
"""
