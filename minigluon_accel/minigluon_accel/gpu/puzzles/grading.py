"""Grading of a learner's file. It runs in a separate process: see minigluon.tools.learn.child.

    grade(puzzle, path) -> {"passed": [...], "failure": None or {...}, "lenet": None}
"""

import os
import re
from pathlib import Path

import numpy as np

from minigluon.tools.learn import c_file
from minigluon.tools.learn.errors import FileLineError, UnwrittenPartError

from ..emulator.compiler import CompileError, preprocess
from . import diagnostics
from .device import COMPILED, compiled, launch

__all__ = ["grade"]

# How a kernel is launched: twice with the threads of a block in a fixed order, so that the first mistake is the same
# each time, and once in hard mode, in which blocks and threads run in random order with the emulator's race detector.
# This reveals mistakes that are otherwise hidden by chance.
MODES = [{"MINIGLUON_GPU_CHECK": "1", "MINIGLUON_GPU_ORDER": "reverse"},
         {"MINIGLUON_GPU_CHECK": "1", "MINIGLUON_GPU_ORDER": "forward"},
         {"MINIGLUON_GPU_CHECK": "hard", "MINIGLUON_GPU_ORDER": "", "MINIGLUON_GPU_SEED": "1"}]

SHARED = re.compile(r"__thread\b[^;={}]*;")
DECLARED = re.compile(r"(\w+)\s*((?:\[[\d\s+*()-]+\]\s*)+)")


def grade(puzzle, path, now=None):
    """Returns the result of all checks, as plain data. now: receives the current activity, for the timekeeper."""
    now = {} if now is None else now
    result = {"passed": [], "failure": None, "lenet": None}
    os.environ.update(COMPILED)
    try:
        now["check"] = "reading your file"
        now["part"] = puzzle.kernel
        source = Path(path).read_text(encoding="utf-8", errors="replace")
        if empty := c_file.empty_parts(path):
            raise next(iter(empty.values()))
        now["check"] = "it compiles"
        image, shapes = _compile(source, Path(path).name)
        traces = []
        for case in puzzle.cases():
            now["check"] = case.says
            traces.append(_run(puzzle, case, image, shapes, source))
            result["passed"].append(case.says)
        for rule in puzzle.rules:
            now["check"] = rule.says
            for trace in traces:
                rule(trace)
            result["passed"].append(rule.says)
    except (diagnostics.Mistake, FileLineError) as error:
        kind = "empty" if isinstance(error, UnwrittenPartError) else "wrong"
        result["failure"] = {"kind": kind, "check": now["check"], "part": puzzle.kernel, "text": str(error),
                             "line": error.line, "source": _source_line(path, error.line), "file": str(path)}
    return result


def _source_line(path, number):
    lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    return lines[number - 1].strip() if number and number <= len(lines) else None


def _compile(source, name):
    """Returns (path of the image, {shared array: its sizes}). Raises Mistake with the compiler's message."""
    try:
        return compiled(source, name), _shapes(preprocess(source, (), name))
    except CompileError as error:
        match = re.search(r":(\d+):(?:\d+:)? (?:fatal )?error: (.*)", str(error))
        raise diagnostics.Mistake(f"this does not compile: {match[2] if match else error}",
                                  int(match[1]) if match else None) from None


def _shapes(text):
    """Returns the sizes of arrays in shared memory if they are given as numbers."""
    shapes = {}
    for declaration in SHARED.findall(text):
        for name, sizes in DECLARED.findall(declaration):
            try:
                shapes[name] = tuple(int(eval(size)) for size in re.findall(r"\[(.*?)\]", sizes))  # digits and + - * ()
            except (SyntaxError, ValueError, TypeError):
                continue
    return shapes


def _run(puzzle, case, image, shapes, source):
    """Launches the kernel in each mode and looks for mistakes; returns the trace of the last launch."""
    arguments = {"out": np.empty_like(case.expected), **case.inputs}
    for mode in MODES:
        os.environ.update(mode)
        out, trace, error = launch(image, puzzle.kernel, case.grid, case.block, arguments)
        if trace is not None:
            trace.shapes = shapes
        diagnostics.look_at_error(error, trace, source)
        diagnostics.look_at_barriers(trace)
        diagnostics.look_at_unset(trace)
        diagnostics.look_at_races(trace)
        diagnostics.look_at_out(trace)
        _compare(puzzle, case, out, trace)
    return trace


def _compare(puzzle, case, out, trace):
    """Compares the results: elements never written, results of a known mistake, and other wrong elements."""
    start, _array = trace.places["out"]
    writes = trace.accesses[trace.accesses["kind"] != 0]
    is_set = np.isin(start + 4 * np.arange(out.size, dtype="u8"), writes["address"])
    if not is_set.all():
        _unwritten(np.flatnonzero(~is_set), out.size, trace)
    close = np.isclose(out, case.expected, 1e-4, 1e-5)
    if close.all():
        return
    number = int(np.flatnonzero(~close)[0])
    by = writes[writes["address"] == start + 4 * number][-1]
    for wrong, why in case.errors:
        if wrong.shape == out.shape and np.allclose(out, wrong, 1e-4, 1e-5, equal_nan=True):
            raise diagnostics.Mistake(f"{_wrong(out, case.expected, number, trace)}. That is {why}", trace.line(by))
    if not trace.shared and "__shared__" in puzzle.solution():
        raise diagnostics.Mistake("out is wrong, and no array of this kernel is in shared memory: without "
                                  "__shared__, each thread has its own array")
    raise diagnostics.Mistake(f"{_wrong(out, case.expected, number, trace)}. {trace.thread(by).capitalize()} has "
                              f"written it{trace.at(by)}", trace.line(by))


def _wrong(out, expected, number, trace):
    return f"{trace.element_named('out', number)} is {out.flat[number]:g}; expected {expected.flat[number]:g}"


def _unwritten(missing, size, trace):
    first = trace.element_named("out", int(missing[0]))
    if len(missing) == size > 1:
        raise diagnostics.Mistake("no element of out is ever written")
    if missing[0] == size - 1 and size > 1:
        raise diagnostics.Mistake(f"{first}, the last element, is never written. Does a guard or a loop end one too "
                                  "early?")
    others = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
    raise diagnostics.Mistake(f"{first} is never written{others}: no thread computes this index")
