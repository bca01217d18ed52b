"""Functions that run programs for which `import mxnet` means this package."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence

from ...base import ArgumentError
from ...diagnostics.tracebacks import show_program_error
from .alias import use

__all__ = ["NoProgramError", "main", "run", "run_program"]

USAGE = "usage: python -m minigluon.as_mxnet [-m] PROGRAM [ARGUMENTS ...]"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line. Returns 2 if it does not name a program, otherwise the program's exit status."""
    argv = sys.argv[1:] if argv is None else argv
    if not argv or argv[0] in ("-h", "--help") or argv == ["-m"]:
        print(USAGE, file=sys.stderr if argv[:1] in ([], ["-m"]) else sys.stdout)
        return 0 if argv and argv[0] != "-m" else 2
    try:
        return run(argv[1:] if argv[0] == "-m" else argv, is_module=argv[0] == "-m")
    except NoProgramError as error:
        print(f"minigluon.as_mxnet: error: {error}", file=sys.stderr)
        return 2


class NoProgramError(ArgumentError):
    """The error for a program that does not exist."""


def run(argv: Sequence[str], is_module: bool = False) -> int:
    """Runs a program for which `import mxnet` means this package.

    Arguments, status and errors are those of `run_program`.
    """
    use()
    return run_program(argv, is_module)


def run_program(argv: Sequence[str], is_module: bool = False) -> int:
    """Runs argv[0], which is a file, a folder with a `__main__.py` or a module, with the remaining arguments.

    An uncaught error in the program is shown as in Python, whatever its class. Returns the exit status: 0, 1
    after an error, 130 after Ctrl-C. SystemExit is passed on to the caller. Raises NoProgramError if there is no such
    file or module.
    """
    sys.argv = list(argv)
    if not is_module and not os.path.exists(argv[0]):
        raise NoProgramError(f"there is no program {argv[0]!r}")
    try:
        _start(argv[0], is_module)
    except SystemExit:
        raise
    except BaseException as error:
        if not show_program_error(error):
            raise NoProgramError(f"{argv[0]!r} cannot be run: {error}") from None
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _start(program, is_module):
    """Executes the program."""
    if is_module:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(program, run_name="__main__", alter_sys=True)
        return
    if os.path.isfile(program):             # for a folder, run_path itself does this
        sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
    _run_file(program)


def _run_file(program):
    """Runs a file as `runpy.run_path` does, but in the permanent `__main__`, where spawned processes look it up."""
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
