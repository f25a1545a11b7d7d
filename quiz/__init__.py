"""Shardwise, the program: bank, grading, scheduling, store, screens, commands."""
