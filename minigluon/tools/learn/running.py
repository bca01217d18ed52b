"""Execution of a learner's file in a separate process with limited output.

Processes that the file starts are ended together with it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["MARKED", "run"]

MARKED = "_MINIGLUON_LEARN_MARKED"       # an environment variable; if set, the first line of stdin marks the result
MAX_PRINTED = 1 << 16                   # the maximum number of bytes of output that are shown


def run(command: Sequence[str], environment: Mapping[str, str], seconds: float) -> tuple[int | None, str]:
    """Return (exit status, mark of the result). The status is None if the process has not finished within `seconds`.

    On systems with process groups, all processes that it started are killed when it ends.
    """
    mark = secrets.token_hex()
    process = subprocess.Popen(command, env={**environment, MARKED: "1"}, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    assert process.stdin is not None
    assert process.stdout is not None
    reader = threading.Thread(target=_pass_on, args=(process.stdout,), daemon=True)
    reader.start()
    try:
        with contextlib.suppress(OSError):          # the process may already have ended
            process.stdin.write(mark.encode() + b"\n")
            process.stdin.close()
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        status = None
    finally:
        _end_group(process)
    reader.join(5)
    return status, mark


def _end_group(process: Any) -> None:
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):          # there may be no processes left
            os.killpg(process.pid, signal.SIGKILL)      # its group has the same id
    else:
        process.kill()
    process.wait()


def _pass_on(stream: Any) -> None:
    """Print the beginning of the output, then read and discard the rest."""
    remaining = MAX_PRINTED
    with stream:
        while part := stream.read1(1 << 16):
            if remaining:
                sys.stdout.write(part[:remaining].decode("utf-8", "replace"))
                remaining = max(remaining - len(part), 0)
                if not remaining:
                    sys.stdout.write(f"\n... what your file prints after {MAX_PRINTED} bytes is left out\n")
                sys.stdout.flush()
