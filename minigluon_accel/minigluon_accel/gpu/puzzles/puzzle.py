"""The parts of a puzzle."""

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

# Their names begin with their numbers; each puzzle adds one idea to the previous puzzle.
NAMES = sorted(path.stem for path in FOLDER.glob("p[0-9][0-9]_*.cu"))


class Case(NamedTuple):
    """A launch and its expected result.

    says: a description of the launch. grid, block: their sizes. inputs: {parameter: array or integer}, in the order of
    the kernel's parameters, after `out`. expected: the final contents of `out`. errors: the results of common mistakes,
    each with its explanation: [(array, "the sum of the first block only")].
    """

    says: str
    grid: tuple
    block: tuple
    inputs: dict
    expected: np.ndarray
    errors: list = []


@dataclass
class Puzzle:
    """One puzzle. `cases()` yields its launches; `rules` check the accesses of their threads (see traffic.py)."""

    title: str
    cases: Callable
    hints: dict                 # {the kernel: [messages, in order]}
    rules: list = field(default_factory=list)
    name: str = ""              # set by `load`
    number: int = 0

    folder, needs = FOLDER, None    # as for a step of the course; `device.require` checks all puzzles' requirements

    @property
    def kernel(self):
        """The kernel's name, which is also the name of its hole."""
        return self.name.partition("_")[2]

    @property
    def c_file(self):
        """The kernel with its hole filled, in FOLDER, and the name of the learner's file."""
        return f"{self.name}.cu"

    @property
    def work(self):
        """The name of the learner's file, such as 01_map.cu."""
        return self.c_file[1:]

    def stub(self):
        """Returns the text of the learner's file."""
        return c_file.stub(self, f"Step {self.number} of {len(NAMES)}. `minigluon learn check` compiles this file, and "
                                 "runs it on an emulated GPU.")

    def solution(self):
        """Returns the same text with its hole filled."""
        return c_file.solution(self)


@cache
def load(name):
    """Returns the puzzle with that name."""
    puzzle = importlib.import_module(f".{name}", __package__).PUZZLE
    puzzle.name, puzzle.number = name, NAMES.index(name) + 1
    return puzzle


def numbers(*shape, seed=0):
    """Returns integers from -9 to 9 as float32, whose sums are exact and easy to check mentally."""
    return np.random.default_rng(seed).integers(-9, 10, shape).astype("float32")


def many(count, noun):
    """Returns '1 block' or '3 blocks'."""
    return f"{count} {noun}{'s' * (count != 1)}"
