"""What a step of the course consists of. README.md in this folder tells how to write one."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

__all__ = ["NAMES", "CFunction", "Hole", "Part", "Row", "Step", "load", "steps"]

FOLDER = Path(__file__).parent / "steps"

# Their names begin with their numbers: in this order one builds the other.
NAMES = sorted(path.name for path in FOLDER.glob("s[0-9][0-9]_*") if (path / "step.py").is_file())


@dataclass(frozen=True)
class Hole:
    """Statements of the engine that the learner writes.

    task: what belongs there. first, last: how the source lines of the first and last statement begin; without `last`
    it is one statement, without both the whole body.
    """

    task: str
    first: str | None = None
    last: str | None = None


@dataclass(frozen=True)
class Part:
    """A function or method of the engine that stands in the learner's file, and that the learner's takes the place of.

    name: 'function' or 'Class.method' of `module`. holes: none shows it as it is. in_lenet: does LeNet run it?
    """

    module: str
    name: str
    holes: tuple[Hole, ...] = ()
    in_lenet: bool = True


@dataclass(frozen=True)
class Row:
    """The derivative in one row of a table of operators, such as `unary("tanh", ...)`: a function of the learner's."""

    module: str
    row: str
    task: str
    in_lenet: bool = False

    @property
    def name(self):
        """The learner's function."""
        return f"{self.row}_derivative"


@dataclass(frozen=True)
class CFunction:
    """A function of a step that is written in C; its holes are marked in the step's `c_file`."""

    name: str
    in_lenet: bool = True
    module: str = "C"


@dataclass
class Step:
    """One step. `setup(learned)` is called with the learner's module before LeNet trains, its parts being in place."""

    title: str
    parts: list
    hints: dict                 # name of a part -> what to say, one after another
    setup: object = None
    needs: object = None        # (), raises LearnError in words where something is missing, such as a C compiler
    c_file: str | None = None   # the reference of a step that is written in C
    install: object = None      # install(learned, ran) puts its functions into a backend, and counts calls in `ran`
    hides: tuple = ()           # names of parts of earlier steps that LeNet does not reach with this step in place
    equivalent: dict = field(default_factory=dict)      # mutants that change nothing: their text -> why
    name: str = ""              # filled in by `load`
    number: int = 0

    @property
    def folder(self):
        """Where its page and pictures are."""
        return FOLDER / self.name

    @cached_property
    def holes(self):
        """The parts in which the learner writes."""
        return [part for part in self.parts if isinstance(part, (Row, CFunction)) or part.holes]

    @property
    def work(self):
        """Name of the learner's file."""
        return "work.py" if self.c_file is None else "work.c"


@cache
def load(name):
    """The step of that name."""
    step = importlib.import_module(f".steps.{name}.step", __package__).STEP
    step.name, step.number = name, NAMES.index(name) + 1
    return step


def steps() -> list[Any]:
    """All steps, in order."""
    return [load(name) for name in NAMES]
