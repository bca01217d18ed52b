"""The table itself."""

import inspect
import warnings
from dataclasses import dataclass

import numpy as np

import minigluon as mx
from minigluon import autograd, gluon, init, nd, sym
from minigluon.gluon import nn

__all__ = ["MISTAKES", "NAMESPACE", "Mistake", "mistake", "run"]

NAMESPACE = {"__name__": "__main__", "mx": mx, "nd": nd, "sym": sym, "gluon": gluon, "nn": nn, "autograd": autograd,
             "init": init, "np": np}


@dataclass(frozen=True)
class Mistake:
    """One kind: its lines, the class and the text of the error or warning, the parts of the text, the cure."""

    title: str
    wrong: str
    error: str
    says: str
    cause: str
    place: str
    remedy: str
    right: str
    chapter: str            # the module that it stands in

    @property
    def grade(self):
        """How many of cause, place and remedy the text tells."""
        return sum(map(bool, (self.cause, self.place, self.remedy)))


MISTAKES: dict[str, Mistake] = {}


def mistake(title, *, wrong, error, says, cause, place, remedy, right):
    """Enter a row under its title."""
    if title in MISTAKES:
        raise ValueError(f"two mistakes are called {title!r}")
    chapter = inspect.currentframe().f_back.f_globals["__name__"].rpartition(".")[2]
    wrong, right = inspect.cleandoc(wrong), inspect.cleandoc(right)
    MISTAKES[title] = Mistake(title, wrong, error, says, cause, place, remedy, right, chapter)


def run(row):
    """(the error or warning that the wrong lines end in, the names that they have made)."""
    names = dict(NAMESPACE)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            exec(compile(row.wrong, "mistake.py", "exec"), names)
        except Exception as error:
            return error, names
    return (warned[-1].message if warned else None), names
