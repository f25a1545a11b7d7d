"""Drills: what a learner predicted, measured on real processes, at true size, or to the point of failure.

This is the parent's side. It plans a run, starts it, follows its events and lays prediction, solver and measurement
side by side. Torch is imported nowhere but in `quiz.drills.child`, which runs in processes of its own.
"""
