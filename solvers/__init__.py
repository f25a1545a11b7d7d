"""The arithmetic of training systems: one set of symbolic relations, forward, inverse and explained.

Pure Python: no file, clock, screen or network. Nothing here knows of questions or learners.
"""
