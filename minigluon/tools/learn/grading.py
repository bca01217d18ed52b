"""Grading of a learner's file. It runs in a separate process, because it changes the engine there.

    grade(step, path, reference) -> {"passed": [...], "failure": None or {...}, "lenet": {...}}

First, the engine's own parts of the step are removed. Then the learner's file is loaded, and its functions replace
them. Then the step's checks run in order, up to the first failure. Finally, LeNet trains, and its losses are compared
with `reference`, the losses computed before these changes. The checks of a part in which nothing is written yet come
last and fail; the others use the engine's own code, so a learner can start with any hole and see whether it is right.
"""

from __future__ import annotations

import ast
import importlib
import linecache
import sys
import traceback
import types
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from . import c_file, placing
from .errors import FileLineError, LearnError, RefusedFileError, UnwrittenPartError, WrongAnswer
from .lenet import times, train
from .step import Row
from .text import _

if TYPE_CHECKING:
    from .c_file import LearnedLibrary
    from .step import Step

__all__ = ["checks_of", "compare_lenet", "grade", "grade_together", "load_file", "now"]

now: dict[str, str] = {"check": ""}         # the current activity, for the thread that watches the time


def grade(step: Step, path: str, reference: Any = None, without: Sequence[Any] = ()) -> dict[str, list[Any] | None]:
    """Return the result of all checks, as plain data.

    reference: the earlier result of `lenet.train()`; with None, LeNet does not train. without: steps whose engine parts
    are also removed.
    """
    result = {"passed": [], "failure": None, "lenet": None}
    try:
        checks = checks_of(step)
        for other in without:
            placing.remove(other)
        now["check"] = _("reading your file")
        own = {part: placing.current(part) for part in step.holes if step.c_file is None}
        module = load_file(step, path)
        placing.bring_in(step, module)
        empty = _empty_parts(step, path) if step.c_file is None else c_file.empty_parts(path)
        for part in own:
            if part.name in empty:
                placing.give_back(part, own[part])
        for check in sorted(checks, key=lambda check: check.part in empty):
            now["check"] = _(check.says)
            now["part"] = check.part
            if check.part in empty:
                raise empty[check.part]
            check()
            result["passed"].append(_(check.says))
        if reference is not None:
            now["check"], now["part"] = _("LeNet trains with your code"), None
            placing.ran.clear()
            placing.set_up(step, module)
            result["lenet"] = compare_lenet([step], reference)
            result["passed"].append(now["check"])
    except Exception as error:
        result["failure"] = _failure(error, path)
    return result


def grade_together(steps: Sequence[Step], paths: Any, reference: Any) -> dict[str, list[Any] | None]:
    """Train LeNet with the learner's code for several steps. Returns the same kind of result as `grade`."""
    result = {"passed": [], "failure": None, "lenet": None}
    path = None
    try:
        modules = []
        for step, path in zip(steps, paths, strict=True):
            now["check"] = _("reading your file of step {number}").format(number=step.number)
            modules.append(load_file(step, path))
            placing.bring_in(step, modules[-1])
        now["check"], now["part"] = _("LeNet trains with everything you have built"), None
        placing.ran.clear()
        for step, module in zip(steps, modules, strict=True):
            placing.set_up(step, module)
        result["lenet"] = compare_lenet(steps, reference)
        result["passed"].append(now["check"])
    except Exception as error:
        frames = {frame.filename for frame in traceback.extract_tb(error.__traceback__)}
        result["failure"] = _failure(error, next((p for p in paths[::-1] if p in frames), path))
    return result


def checks_of(step: Step) -> list[Any]:
    """Return the checks of a step, in the order of its file."""
    module = importlib.import_module(f".steps.{step.name}.checks", __package__)
    checks = [value for value in vars(module).values() if hasattr(value, "says")]
    return sorted(checks, key=lambda f: f.__code__.co_firstlineno)


def load_file(step: Step, path: str) -> LearnedLibrary | ModuleType:
    """Return the learner's module, or a `c_file.LearnedLibrary`.

    Raises LearnError for a file that cannot be read, and Refused for a file that is not an answer.
    """
    if step.c_file is not None:
        return c_file.load(step, path)
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        raise LearnError(_("{path} cannot be read: {problem}").format(path=path, problem=error.strerror)) from None
    try:
        tree = ast.parse(text, path)
        code = compile(tree, path, "exec")
    except SyntaxError as error:
        line = (error.text or text.splitlines()[error.lineno - 1]).strip()
        raise LearnError(_("{path}, line {number}: this is not Python: {problem}\n    {line}").format(
            path=path, number=error.lineno, problem=error.msg, line=line)) from None
    _refuse_imports(step, tree)
    placing.remove(step)
    module = types.ModuleType(f"minigluon_learner.{step.name}")
    module.__file__ = path
    sys.modules[module.__name__] = module
    exec(code, vars(module))
    for part in step.parts:
        _require_own(part, module, path)
    return module


class _EmptyError(Exception):
    """Raised if nothing is written in this part yet. line: the line of the empty hole."""

    def __init__(self, part, line):
        super().__init__(_("{part} is not written yet").format(part=part))
        self.line = line


def _empty_parts(step, path):
    """Return {name of a part with only unchanged holes: the error to raise}."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read(), path)
    lines = {part.name: [] for part in step.holes}
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and len(node.exc.args) == 1:
            name = getattr(node.exc.args[0], "value", None)
            if getattr(node.exc.func, "id", None) == "NotImplementedError" and name in lines:
                lines[name].append(node.lineno)
    return {part.name: _EmptyError(part.name, min(lines[part.name])) for part in step.holes
            if len(lines[part.name]) >= (1 if isinstance(part, Row) else len(part.holes))}


def _refuse_imports(step, tree):
    """Reject a file that imports a part that it must contain itself."""
    own = {(part.module, part.name.split(".")[0]) for part in step.holes}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (node.module, alias.name) in own:
                    raise RefusedFileError(
                        _("line {number} imports {name} from {module}: that is the engine's own code, and "
                          "yours to write").format(number=node.lineno, name=alias.name, module=node.module))


def _require_own(part, module, path):
    """Reject a file without the part, or one that imports it from elsewhere."""
    value = module
    for name in part.name.split("."):
        value = vars(value).get(name) if isinstance(value, (type, types.ModuleType)) else None
    if value is None:
        raise RefusedFileError(_("your file no longer has {part}; `minigluon learn start` in another folder shows the "
                                 "original").format(part=part.name))
    if placing.file_of(value) != path:
        raise RefusedFileError(
            _("{part} is not written in your file, but imported from elsewhere").format(part=part.name))


def compare_lenet(steps: Sequence[Step], reference: Any) -> dict[str, Any]:
    """Train LeNet with the installed parts. Returns its losses, the number of calls, and the seconds of a batch with
    the tape and with the plan, or raises WrongAnswer."""
    losses, outputs = train()
    hidden = {name for step in steps for name in step.hides}
    for step in steps:
        for part in step.holes:
            if part.in_lenet and part.name not in hidden and not placing.ran[part.module, part.name]:
                raise WrongAnswer(_("LeNet trained, but {part} of your file was never called").format(part=part.name))
    expected, expected_outputs = reference
    for number, (loss, expected_loss) in enumerate(zip(losses, expected, strict=True), 1):
        if not np.isclose(loss, expected_loss, rtol=1e-3, atol=1e-4):
            raise WrongAnswer(
                _("LeNet's loss after batch {number} is {found:.4f}; expected {expected:.4f}, the same as with "
                  "the engine's own code").format(number=number, found=loss, expected=expected_loss))
    if not np.allclose(outputs, expected_outputs, rtol=1e-2, atol=1e-3):
        raise WrongAnswer(_("LeNet's losses are right, but the trained net's outputs are not"))
    calls = sum(placing.ran.values())
    return {"losses": losses, "calls": calls, "seconds": times()}


def _failure(error, path):
    """Return the error in words, and its location in the learner's file."""
    line = _line_in(error, path)
    number, source = (line.lineno, line.line) if line else (None, None)
    if isinstance(error, FileLineError):
        kind, text = "empty" if isinstance(error, UnwrittenPartError) else "wrong", str(error)
        number, source = error.line, error.source
    elif isinstance(error, _EmptyError):
        kind, text, number, source = "empty", str(error), error.line, linecache.getline(path, error.line).strip()
    elif isinstance(error, NotImplementedError) and line:
        kind, text = "empty", _("{part} is not written yet").format(part=error)
    elif isinstance(error, (WrongAnswer, LearnError)):
        kind, text = "wrong", str(error)
    elif isinstance(error, RecursionError):
        kind, text = "wrong", _("a function calls itself endlessly. The engine's own code is replaced by yours, so "
                                "calling it means calling yourself.")
    else:
        kind, text = "error", "".join(traceback.format_exception_only(error)).strip()
    return {"kind": kind, "check": now["check"], "part": now.get("part"), "text": text, "line": number,
            "source": source, "file": path}


def _line_in(error, path):
    """Return the innermost line of the learner's file in a traceback."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return frames[-1] if frames else None
