"""Drills in the terminal: layouts of a run that goes on and of one that is over."""
