"""The measured side of a drill: the only place that may import torch, and run only as `python -m quiz.drills.child`."""
