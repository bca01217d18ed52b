"""Errors in the course: rejected commands and files, and failed checks."""

from __future__ import annotations

from typing import Any

from ...base import MXNetError

__all__ = ["FileLineError", "LearnError", "RefusedFileError", "UnwrittenPartError", "WrongAnswer"]


class LearnError(MXNetError):
    """Raised if a command of the course cannot be carried out."""


class RefusedFileError(LearnError):
    """Raised for a learner's file that is not an answer, because it uses the engine's own part."""


class FileLineError(LearnError):
    """An error in one line of a file that is not a Python file."""

    line: int | None
    source: Any

    def __init__(self, message: str, line: int | None = None, source: Any = None):
        super().__init__(message)
        self.line, self.source = line, source


class UnwrittenPartError(FileLineError):
    """Raised if a hole of a function in such a file is still empty."""


class WrongAnswer(Exception):
    """A mistake in the learner's code that a check has found, in words."""
