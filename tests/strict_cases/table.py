"""The table itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["CASES", "ERROR", "Case", "case"]

ERROR = "an error"          # the lenient run ends, too


@dataclass(frozen=True)
class Case:
    """One program.

    row: how its row on the page begins. refusal: the class and the text of the strict run's error. result: what a
    lenient run gives, or ERROR. in_thread: a worker thread refuses, whose warnings have no line of a program.
    """

    row: str
    run: Callable[[], Any]
    refusal: str
    result: Any
    in_thread: bool = False


CASES: dict[str, Case] = {}


def case(row, refusal, result, in_thread=False):
    """Decorator: enter a function without arguments under its name."""
    def enter(function):
        if function.__name__ in CASES:
            raise ValueError(f"two cases are called {function.__name__}")
        CASES[function.__name__] = Case(row, function, refusal, result, in_thread)
        return function
    return enter
