"""Drills: what a learner predicted, measured on real processes, at true size and to the point of failure."""
