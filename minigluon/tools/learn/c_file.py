"""A step in C: its file is extracted from the reference in the step's folder, compiled with the system's compiler, and
loaded.

In the reference, a hole is marked by two comments:

    /* HOLE relu: what belongs there */
    for (int64_t i = 0; ...
    /* END */

In its place, the learner's file has a comment and NOT_WRITTEN("relu"), a macro that stores the name and returns.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
import textwrap
from typing import TYPE_CHECKING, Any

from .errors import FileLineError, LearnError, UnwrittenPartError
from .step import CFunction
from .text import _

if TYPE_CHECKING:
    from .step import Step

__all__ = ["LearnedLibrary", "compiler", "cut_lines", "empty_parts", "load", "require_compiler", "solution", "stub"]

HOLE = re.compile(r"^ */\* HOLE (\w+): (.*?) \*/\n(.*?)^ */\* END \*/\n", re.DOTALL | re.MULTILINE)
FLAGS = ["-O2", "-std=c99", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror=implicit-function-declaration"]
WIDTH = 116


def compiler() -> str | None:
    """Return the path of a C compiler, or None."""
    return next(filter(None, map(shutil.which, filter(None, [os.environ.get("CC"), "cc", "gcc", "clang"]))), None)


def require_compiler() -> None:
    """Raise LearnError if there is no C compiler."""
    if compiler() is None:
        raise LearnError(_("this step needs a C compiler, but there is none: cc, gcc and clang are missing, and CC is "
                           "not set. Install one (on Debian and Ubuntu the package gcc), or skip the step with "
                           "`minigluon learn next --skip`."))


def _reference(step):
    return (step.folder / step.c_file).read_text(encoding="utf-8")


def stub(step: Step, header: Any) -> str:
    """Return the reference with empty holes."""
    def empty(match):
        space = re.match(" *", match[0])[0]
        lines = textwrap.wrap(_("YOUR PART: {task}").format(task=_(" ".join(match[2].split()))), WIDTH - len(space) - 3)
        return "".join([f"{space}/* ", f"\n{space}   ".join(lines), " */\n", f'{space}NOT_WRITTEN("{match[1]}");\n'])
    words = textwrap.wrap(header, WIDTH)
    return "".join(["/* ", "\n   ".join(words), " */\n\n", HOLE.sub(empty, _reference(step))])


def solution(step: Step) -> str:
    """Return the reference without the marks of its holes."""
    return HOLE.sub(lambda match: match[3], _reference(step))


def cut_lines(step: Step) -> dict[Any, Any]:
    """Return {name of a function: [the omitted lines]}."""
    return {match[1]: match[3].splitlines() for match in HOLE.finditer(_reference(step))}


def load(step: Step, path: str) -> LearnedLibrary:
    """Compile the learner's file. Raises FileLineError with the compiler's message and line."""
    require_compiler()
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "work.so")
        process = subprocess.run([compiler(), *FLAGS, "-x", "c", path, "-o", target], capture_output=True, text=True,
                                 env={**os.environ, "LC_ALL": "C"})
        if process.returncode:
            number, message = _first_error(process.stderr)
            raise FileLineError(_("this does not compile: {problem}").format(problem=message), *_line(path, number))
        library = ctypes.CDLL(target)
    for part in step.parts:
        if not hasattr(library, part.name):
            raise LearnError(_("your file no longer has {part}; `minigluon learn start` in another folder shows the "
                               "original").format(part=part.name))
    return LearnedLibrary(step, library, path)


def empty_parts(path: str) -> dict[Any, Any]:
    """Return {name of a function that is not written yet: its UnwrittenPartError}."""
    errors = {}
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            match = re.match(r'\s*NOT_WRITTEN\("(\w+)"\);', line)
            if match:
                text = _("{part} is not written yet").format(part=match[1])
                errors[match[1]] = UnwrittenPartError(text, number, line.strip())
    return errors


def _first_error(text):
    match = re.search(r":(\d+):(?:\d+:)? (?:fatal )?error: (.*)", text)
    return (int(match[1]), match[2]) if match else (None, text.strip())


def _line(path, number):
    if number is None:
        return None, None
    with open(path, encoding="utf-8", errors="replace") as file:
        return number, file.read().splitlines()[number - 1].strip()


class LearnedLibrary:
    """The functions of a learner's library: `learned.relu(x, out, count)`, with NumPy arrays for pointers.

    `calls` counts the calls by name. A function that is not written yet raises UnwrittenPartError.
    """

    def __init__(self, step: Step, library: Any, path: str):
        self._library, self._path = library, path
        self._missing = ctypes.c_char_p.in_dll(library, "not_written")
        self.calls: dict[Any, Any] = {}
        for part in step.parts:
            if isinstance(part, CFunction):
                setattr(self, part.name, self._caller(part))

    def _caller(self, part):
        function = getattr(self._library, part.name)
        function.restype = None

        def call(*args):
            self.calls[part.name] = self.calls.get(part.name, 0) + 1
            function(*[ctypes.c_int64(arg) if isinstance(arg, int) else ctypes.c_void_p(arg.ctypes.data)
                       for arg in args])
            if self._missing.value is not None:
                raise empty_parts(self._path)[self._missing.value.decode()]
        return call

