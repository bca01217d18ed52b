"""What a puzzle consists of."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minigluon.tools.learn import c_file

__all__ = ["NAMES", "Case", "Puzzle", "load", "many", "numbers"]

FOLDER = Path(__file__).parent

# Their names begin with their numbers: each has one idea more than the one before.
NAMES = sorted(path.stem for path in FOLDER.glob("p[0-9][0-9]_*.cu"))


class Case(NamedTuple):
    """One launch, and what it must give.

    says: what is launched, in words. grid, block: their sizes. inputs: {parameter: array or whole number}, in the order
    of the kernel's parameters, behind `out`. expected: what `out` is afterwards.
    known: what mistakes that people make give, each with words for it: [(array, "the sum of the first block alone")].
    """

    says: str
    grid: tuple
    block: tuple
    inputs: dict
    expected: np.ndarray
    known: list = []


@dataclass
class Puzzle:
    """One puzzle. `cases()` gives its launches; `rules` look at what the threads of each did, see traffic.py."""

    title: str
    cases: Callable
    hints: dict                 # {the kernel: [what to say, one after another]}
    rules: list = field(default_factory=list)
    name: str = ""              # filled in by `load`
    number: int = 0

    folder, needs = FOLDER, None    # as those of a course's step; what all puzzles need `device.require` looks for

    @property
    def kernel(self):
        """The kernel's name, which its hole has, too."""
        return self.name.partition("_")[2]

    @property
    def c_file(self):
        """The kernel with its hole filled, in FOLDER; and the name of the learner's file."""
        return f"{self.name}.cu"

    @property
    def work(self):
        """The name of the learner's file: 01_map.cu."""
        return self.c_file[1:]

    def stub(self):
        """The text of the learner's file."""
        return c_file.stub(self, f"Step {self.number} of {len(NAMES)}. `minigluon learn check` compiles this file, and "
                                 "runs it on an emulated GPU.")

    def solution(self):
        """The same with its hole filled."""
        return c_file.solution(self)


@cache
def load(name):
    """The puzzle of that name."""
    puzzle = importlib.import_module(f".{name}", __package__).PUZZLE
    puzzle.name, puzzle.number = name, NAMES.index(name) + 1
    return puzzle


def numbers(*shape, seed=0):
    """Whole numbers from -9 to 9 as float32: sums of them are exact, and can be checked in the head."""
    return np.random.default_rng(seed).integers(-9, 10, shape).astype("float32")


def many(count, noun):
    """'1 block', '3 blocks'."""
    return f"{count} {noun}{'s' * (count != 1)}"
