"""`mx.log`: loggers whose lines begin with the level, time and source line."""

from __future__ import annotations

import logging
import sys
from logging import CRITICAL, DEBUG, ERROR, INFO, NOTSET, WARNING, Logger
from typing import Any

from ..diagnostics import strictness

__all__ = ["CRITICAL", "DEBUG", "ERROR", "INFO", "NOTSET", "WARNING", "getLogger", "get_logger"]

_COLORS = ((WARNING, "\x1b[31m"), (INFO, "\x1b[32m"), (NOTSET, "\x1b[34m"))      # for this level and above
_LETTERS = {CRITICAL: "C", ERROR: "E", WARNING: "W", INFO: "I", DEBUG: "D"}


class _Formatter(logging.Formatter):
    """Formatter of 'I1122 05:10:03 18049 program.py:function:36] text', in color on a terminal."""

    def __init__(self, colored):
        super().__init__(datefmt="%m%d %H:%M:%S")
        self.colored = colored

    def format(self, record):
        before, after = ("", "")
        if self.colored:
            before, after = next(color for level, color in _COLORS if record.levelno >= level), "\x1b[0m"
        self._style._fmt = (f"{before}{_LETTERS.get(record.levelno, 'U')}%(asctime)s %(process)d "
                            f"%(pathname)s:%(funcName)s:%(lineno)d]{after} %(message)s")
        return super().format(record)


def get_logger(name: str | None = None, filename: str | None = None, filemode: Any = None,
               level: Any = WARNING) -> Logger:
    """Return the logger with this name, with a handler for `filename` or the standard error stream.

    A logger that this function has already created is returned unchanged. filemode: 'a' by default. level: the minimum
    level that is written.

    >>> import logging
    >>> mx.log.get_logger("training to a file", filename="train.log", level=logging.INFO).info("begins")
    >>> with open("train.log") as file:
    ...     "begins" in file.read()
    True
    """
    logger = logging.getLogger(name)
    if name is None or getattr(logger, "_init_done", None):
        return logger
    logger._init_done = True
    if filename:
        handler, colored = logging.FileHandler(filename, filemode or "a"), False
    else:
        handler, colored = logging.StreamHandler(), sys.stderr.isatty()
    handler.setFormatter(_Formatter(colored))
    logger.addHandler(handler)
    logger.setLevel(level)
    return logger


def getLogger(name: str | None = None, filename: str | None = None, filemode: Any = None,
              level: Any = WARNING) -> Logger:
    """Call `get_logger`; this is its old name.

    filename, filemode, level: as in `get_logger`.

    >>> import warnings
    >>> with warnings.catch_warnings():                   # it is deprecated
    ...     warnings.simplefilter("ignore")
    ...     mx.log.getLogger("training").name
    'training'
    """
    strictness.warn("getLogger is deprecated, use get_logger", DeprecationWarning)
    return get_logger(name, filename, filemode, level)
