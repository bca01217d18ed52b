"""What the course refuses, and what a check finds."""

from ..base import MXNetError

__all__ = ["LearnError", "Refused", "Wrong"]


class LearnError(MXNetError):
    """A command of the course that cannot be carried out."""


class Refused(LearnError):
    """A learner's file that is not an answer: it uses the engine's own part."""


class Wrong(Exception):
    """What a check finds wrong with the learner's code, in words."""
