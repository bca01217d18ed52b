"""`python -m minigluon.learn.child STEP FILE RESULT SECONDS`: grade one file, write what was found as JSON.

What the learner's code prints goes where it always goes. When the time is up, the result says in which of the
learner's lines the program was.
"""

import json
import os
import sys
import threading

from .text import _

__all__ = ["main"]


def main(name, path, result_path, seconds):
    """Grade the file; the result is written to `result_path`."""
    main_thread = threading.main_thread().ident
    watch = threading.Timer(float(seconds), lambda: _give_up(main_thread, path, result_path, seconds))
    watch.daemon = True
    watch.start()
    from .grading import grade
    from .lenet import train
    from .step import load
    result = grade(load(name), path, train())
    watch.cancel()
    _write(result_path, result)


def _write(path, result):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(result, file)


def _give_up(thread, path, result_path, seconds):
    """Write where the main thread is, and end the process."""
    import linecache

    from .grading import now
    frame = sys._current_frames().get(thread)
    while frame is not None and frame.f_code.co_filename != path:
        frame = frame.f_back
    text = _("this had not ended after {seconds} seconds. Is there a loop that does not end?").format(seconds=seconds)
    line = frame and frame.f_lineno
    _write(result_path, {"passed": [], "lenet": None, "failure": {
        "kind": "time", "check": now["check"], "part": now.get("part"), "text": text, "line": line,
        "source": linecache.getline(path, line).strip() if line else None}})
    os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
