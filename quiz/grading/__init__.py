"""From an answer to its grade. Pure: a rendered question and a response in, a verdict with its words out.

`grade` judges a response, `read_back` says how a text is read while it is typed. Both take milliseconds
whatever is typed, and give the same words on every run and machine.
"""

from quiz.grading.grade import grade
from quiz.grading.records import Chosen, Echo, Grade, Ordered, Response, SelfGraded, Status, Typed, Unknown
from quiz.grading.typed import read_back, value_of

__all__ = [
    "Chosen",
    "Echo",
    "Grade",
    "Ordered",
    "Response",
    "SelfGraded",
    "Status",
    "Typed",
    "Unknown",
    "grade",
    "read_back",
    "value_of",
]
