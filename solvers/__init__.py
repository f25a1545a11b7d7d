"""The arithmetic of training systems: one set of symbolic relations, forward, inverse and explained.

Pure Python: no file, clock, screen or network. Nothing here knows of questions or learners.
"""

PART_OF = "shardwise"
"""Whose package this is: an unrelated `solvers` exists on the package index, and start-up tells the two apart."""
