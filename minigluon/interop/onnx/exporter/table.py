"""The table of translations: for each registered operator, a function, or the reason why there is none.

    @translates("L2Normalization")
    def l2_normalization(g, op, data): ...

A translation receives the builder, the operator with its attributes, and a Value for each input. It returns the Value
of the output or a list of Values; unused hidden outputs may be omitted.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ....ops import REGISTRY

__all__ = ["LISTED", "NEWEST", "OLDEST", "TRANSLATIONS", "Translation", "listed", "load", "translates"]

NEWEST = 23
OLDEST = 13


@dataclass(frozen=True)
class Translation:
    """The translation of one operator. since: the oldest opset that supports it. note: its limitations."""

    function: Callable[..., Any]
    since: int = OLDEST
    note: str = ""


TRANSLATIONS: dict[str, Translation] = {}
LISTED: dict[str, str] = {}

_STREETS = ("array", "graph", "linalg", "math", "nn", "quantized", "random", "rnn", "vision")


def translates(*names: str, since: int = OLDEST, note: str = "") -> Callable[[Any], Any]:
    """Returns a decorator that registers a translation for operators with these names."""
    def enter(function):
        for name in names:
            _enter(TRANSLATIONS, name, Translation(function, since, note))
        return function
    return enter


def listed(reason: str, *names: str) -> None:
    """Registers the reason that operators have no translation."""
    for name in names:
        _enter(LISTED, name, reason)


def _enter(table, name, value):
    if name not in REGISTRY or REGISTRY[name].name != name:
        raise ValueError(f"{name} is not the primary name of an operator")
    if name in TRANSLATIONS or name in LISTED:
        raise ValueError(f"{name} is in the table twice")
    table[name] = value


def load() -> None:
    """Imports all translations."""
    for street in _STREETS:
        importlib.import_module(f".operators.{street}", __package__)
    importlib.import_module(".operators.training", __package__).list_all()
