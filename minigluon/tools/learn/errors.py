"""What the course refuses, and what a check finds."""

from __future__ import annotations

from typing import Any

from ...base import MXNetError

__all__ = ["LearnError", "Misfit", "NotWritten", "Refused", "Wrong"]


class LearnError(MXNetError):
    """A command of the course that cannot be carried out."""


class Refused(LearnError):
    """A learner's file that is not an answer: it uses the engine's own part."""


class Misfit(LearnError):
    """What is wrong in one line of a file that is not Python."""

    line: int | None
    source: Any

    def __init__(self, message: str, line: int | None = None, source: Any = None):
        super().__init__(message)
        self.line, self.source = line, source


class NotWritten(Misfit):
    """A function of such a file in which a hole is still empty."""


class Wrong(Exception):
    """What a check finds wrong with the learner's code, in words."""
