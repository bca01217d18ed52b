"""`python -m minigluon.tools.learn.child RESULT SECONDS STEP FILE ...`: grade one file, or several together.

The result is written to RESULT as JSON. Output of the learner's code is not redirected. If time runs out, the result
names the line in the learner's file that was running.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from typing import Any

from .running import MARKED
from .text import _

__all__ = ["main", "watched", "write"]

# This is read before any of the learner's code runs. A result without this mark does not come from the checks.
_mark = sys.stdin.readline().strip() if os.environ.pop(MARKED, None) else ""


def main(result_path: Any, seconds: Any, *pairs: Any) -> None:
    """Grade the files of steps. pairs: a name, a path, the next name, and so on."""
    names, paths = pairs[::2], pairs[1::2]
    with watched(result_path, seconds, paths):
        from .grading import grade, grade_together
        from .lenet import train
        from .step import load
        steps = [load(name) for name in names]
        result = grade(steps[0], paths[0], train()) if len(steps) == 1 else grade_together(steps, paths, train())
    write(result_path, result)


@contextlib.contextmanager
def watched(result_path, seconds, paths, now=None):
    """End the process, with a result that reports this, if the body has not finished in time.

    now: the current activity; by default that of `grading`.
    """
    main_thread = threading.main_thread().ident
    watch = threading.Timer(float(seconds), lambda: _give_up(main_thread, paths, result_path, seconds, now))
    watch.daemon = True
    watch.start()
    yield
    watch.cancel()


def write(path: str, result: Any) -> None:
    """Write the result."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"mark": _mark, "result": result}, file)


def _give_up(thread, paths, result_path, seconds, now):
    """Write the position of the main thread, and end the process."""
    import linecache

    if now is None:
        from .grading import now
    frame = sys._current_frames().get(thread)
    while frame is not None and frame.f_code.co_filename not in paths:
        frame = frame.f_back
    text = _("this did not finish within {seconds} seconds. Is there an endless loop?").format(seconds=seconds)
    path, line = (frame.f_code.co_filename, frame.f_lineno) if frame else (paths[0], None)
    write(result_path, {"passed": [], "lenet": None, "failure": {
        "kind": "time", "check": now["check"], "part": now.get("part"), "text": text, "line": line,
        "file": path,
        "source": linecache.getline(path, line).strip() if line else None}})
    os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
