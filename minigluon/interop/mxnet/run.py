"""Functions that run programs for which `import mxnet` means this package."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence

from ...base import ArgumentError
from .alias import use

__all__ = ["main", "run", "run_program"]

USAGE = "usage: python -m minigluon.as_mxnet [-m] PROGRAM [ARGUMENTS ...]"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line. Returns 2 if it does not name a program; otherwise exits like the program."""
    argv = sys.argv[1:] if argv is None else argv
    if not argv or argv[0] in ("-h", "--help") or argv == ["-m"]:
        print(USAGE, file=sys.stderr if argv[:1] in ([], ["-m"]) else sys.stdout)
        return 0 if argv and argv[0] != "-m" else 2
    run(argv[1:] if argv[0] == "-m" else argv, is_module=argv[0] == "-m")
    return 0


def run(argv, is_module=False):
    """Runs a program for which `import mxnet` means this package. Arguments and errors: see `run_program`."""
    use()
    run_program(argv, is_module)


def run_program(argv, is_module=False):
    """Runs argv[0], a file, a folder with a `__main__.py` or a module, with the remaining arguments.

    Raises ArgumentError if there is no such file.
    """
    program = argv[0]
    sys.argv = list(argv)
    if is_module:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(program, run_name="__main__", alter_sys=True)
        return
    if not os.path.exists(program):
        raise ArgumentError(f"there is no program {program!r}")
    if os.path.isfile(program):             # for a folder, run_path itself does this
        sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
    _run_file(program)


def _run_file(program):
    """Like `runpy.run_path`, but in the permanent module `__main__`, where spawned processes look it up."""
    if not os.path.isfile(program):
        runpy.run_path(program, run_name="__main__")
        return
    main_module = sys.modules["__main__"]
    with open(program, "rb") as file:
        code = compile(file.read(), program, "exec")
    names = {"__name__": "__main__", "__file__": os.path.abspath(program), "__builtins__": __builtins__,
             "__spec__": None, "__doc__": None, "__package__": None, "__cached__": None}
    main_module.__dict__.clear()
    main_module.__dict__.update(names)
    exec(code, main_module.__dict__)
