"""The components of a step of the course. README.md in this folder explains how to write a step."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

__all__ = ["NAMES", "CFunction", "Hole", "Part", "Row", "Step", "load", "steps"]

FOLDER = Path(__file__).parent / "steps"

# Their names begin with their numbers, so this is the order of the course.
NAMES = sorted(path.name for path in FOLDER.glob("s[0-9][0-9]_*") if (path / "step.py").is_file())


@dataclass(frozen=True)
class Hole:
    """Engine statements that the learner writes.

    task: what belongs there. first, last: the beginnings of the source lines of the first and last statements. Without
    `last`, the hole is one statement; without either, it is the entire body.
    """

    task: str
    first: str | None = None
    last: str | None = None


@dataclass(frozen=True)
class Part:
    """An engine function or method that the learner's file contains and that the learner's version replaces.

    name: 'function' or 'Class.method' of `module`. holes: a part without holes is only shown. in_lenet: whether LeNet
    runs it.
    """

    module: str
    name: str
    holes: tuple[Hole, ...] = ()
    in_lenet: bool = True


@dataclass(frozen=True)
class Row:
    """The derivative in one row of a table of operators, such as `unary("tanh", ...)`, which the learner writes."""

    module: str
    row: str
    task: str
    in_lenet: bool = False

    @property
    def name(self):
        """The name of the learner's function."""
        return f"{self.row}_derivative"


@dataclass(frozen=True)
class CFunction:
    """A function of a step in C, whose holes are marked in the step's `c_file`."""

    name: str
    in_lenet: bool = True
    module: str = "C"


@dataclass
class Step:
    """One step. `setup(learned)` is called with the learner's module after its parts are installed, before LeNet."""

    title: str
    parts: list
    hints: dict                 # name of a part -> the hints, in order
    setup: object = None
    needs: object = None        # (), needs() raises a readable LearnError if anything is missing, such as a C compiler
    c_file: str | None = None   # the reference of a step that is written in C
    install: object = None      # install(learned, ran) puts its functions into a backend, and counts calls in `ran`
    hides: tuple = ()           # names of parts of earlier steps that LeNet does not reach after this step
    equivalent: dict = field(default_factory=dict)      # text of a mutant that changes nothing -> the reason
    name: str = ""              # set by `load`
    number: int = 0

    @property
    def folder(self):
        """The folder of its page and pictures."""
        return FOLDER / self.name

    @cached_property
    def holes(self):
        """The parts in which the learner writes."""
        return [part for part in self.parts if isinstance(part, (Row, CFunction)) or part.holes]

    @property
    def work(self):
        """The name of the learner's file."""
        return "work.py" if self.c_file is None else "work.c"


@cache
def load(name):
    """Return the step with that name."""
    step = importlib.import_module(f".steps.{name}.step", __package__).STEP
    step.name, step.number = name, NAMES.index(name) + 1
    return step


def steps() -> list[Any]:
    """Return all steps, in order."""
    return [load(name) for name in NAMES]
