"""The processes of gpu_suite.py: each runs a file of tests, or a share of it; another goes on where one ends early."""

import contextlib
import ctypes
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import NamedTuple

from gpu_worker import LOST

from minigluon.tools.bench import journal

__all__ = ["Piece", "Unit", "kill", "run_units"]

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENDED = 0, 1, 2, 5      # pytest's statuses: passed, failed, not collected (which has a row), nothing left to run
LOSSES = LOST, 86       # of a worker, and of tests/helpers/gpu_sticky_errors.py
SANITIZER_SAW = 9       # the status that compute-sanitizer is told to end with where it has found something
SLOWER = 4              # tests, under a sanitizer
LOG_BYTES = 20_000      # of the end of what a process says
SET_DEATH_SIGNAL = 1    # prctl's PR_SET_PDEATHSIG

_libc = ctypes.CDLL(None)


@dataclass
class Piece:
    """What all of a run shares.

    journal, log: files. until: time.monotonic() when it is over. patience: seconds for one test. again: run tests again
    that have failed. sources: None, or a folder for those of the kernels.
    """

    journal: pathlib.Path
    log: pathlib.Path
    until: float
    patience: float
    again: bool
    environment: dict = field(repr=False)
    sources: str | None = None

    def left(self):
        """Seconds."""
        return self.until - time.monotonic()

    def start(self, command, output, more=()):
        """A process, which ends when this one does, even by a kill: two at once would run the same tests."""
        return subprocess.Popen(command, cwd=ROOT, env={**self.environment, **dict(more)}, stdin=subprocess.DEVNULL,
                                stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                                preexec_fn=lambda: _libc.prctl(SET_DEATH_SIGNAL, signal.SIGKILL))


def kill(process):
    """End a process and all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class Unit(NamedTuple):
    """The share `part` of `of` of a file's tests. more: arguments of pytest. tool, command: the sanitizer's."""

    file: str
    part: int = 0
    of: int = 1
    more: tuple = ()
    tool: str | None = None
    command: tuple = ()

    @property
    def name(self):
        share = f" {self.part + 1}/{self.of}" if self.of > 1 else ""
        return f"{self.tool + ': ' if self.tool else ''}{self.file}{share}"


def run_units(units, count, piece):
    """Run those that are not done, `count` at a time. Are all of them done at the end?"""
    done = set() if piece.again else {row["unit"] for row in journal.rows(piece.journal) if "unit" in row}
    waiting = [unit for unit in units if unit.name not in done]
    with tempfile.TemporaryDirectory() as folder:
        running = []
        try:
            while (waiting or running) and piece.left() > 0:
                while waiting and len(running) < count:
                    running.append(Run(waiting.pop(0), pathlib.Path(tempfile.mkdtemp(dir=folder)), piece))
                running = [run for run in running if not run.over()]
                time.sleep(0.05)
        finally:
            for run in running:
                kill(run.process)
                run.keep_output("interrupted")
    return not waiting and not running


class Run:
    """A unit that runs: the process that it has now, and what that one says."""

    def __init__(self, unit, folder, piece):
        self.unit, self.piece = unit, piece
        self.current, self.output = folder / "running", folder / "output"
        self.start()

    def start(self):
        unit, piece = self.unit, self.piece
        self.current.write_text("")
        told = {"journal": str(piece.journal), "running": str(self.current), "file": unit.file, "tool": unit.tool,
                "part": unit.part, "of": unit.of, "again": piece.again, "sources": piece.sources}
        # -v: the sanitizer's messages then follow the name of the test
        loud = ["-v", "-s"] if unit.tool else ["-q"]
        command = [*unit.command, sys.executable, "-m", "pytest", *loud, "--tb=short", "-p", "gpu_worker", "-p",
                   "no:cacheprovider", unit.file, *unit.more]
        more = {"GPU_SUITE": json.dumps(told)}
        if unit.tool:
            more["MINIGLUON_GPU_GRAPHS"] = "0"          # so that the sanitizer sees each launch
        with open(self.output, "wb") as output:
            self.process = piece.start(command, output, more)

    def over(self):
        """Is the unit done? Where its process has ended early, another one goes on."""
        code = self.process.poll()
        test = self.current.read_text(encoding="utf-8")
        if code is None:
            if not test or time.time() - self.current.stat().st_mtime < self.patience():
                return False
            kill(self.process)
            self.keep_test(test, "hangs", f"it had not ended after {self.patience():.0f} seconds")
        elif code in LOSSES or (code == SANITIZER_SAW and self.last_is_lost()):
            pass                                        # the worker has kept what there is to tell
        elif code in ENDED or (code == SANITIZER_SAW and self.unit.tool):
            self.keep_output("failed" if code == SANITIZER_SAW else "passed")
            journal.add(self.piece.journal, {"unit": self.unit.name})
            return True
        else:
            # The next process passes over the test; where none ran, it would come to the same end.
            said = self.said()
            reason = said[said.find("Fatal Python error"):] if "Fatal Python error" in said else said[-3000:]
            self.keep_test(test or self.unit.name, "crashed", f"status {code}\n{reason[:3000]}")
            if not test:
                journal.add(self.piece.journal, {"unit": self.unit.name})
                return True
        self.keep_output("failed")
        self.start()
        return False

    def patience(self):
        return self.piece.patience * (SLOWER if self.unit.tool else 1)

    def last_is_lost(self):
        own = [row for row in journal.rows(self.piece.journal) if row.get("tool") == self.unit.tool and "test" in row]
        return bool(own) and own[-1]["outcome"] == "lost"

    def keep_test(self, test, outcome, text):
        seconds = time.time() - self.current.stat().st_mtime if outcome == "hangs" else 0
        journal.add(self.piece.journal, {"tool": self.unit.tool, "file": self.unit.file, "test": test,
                                         "outcome": outcome, "seconds": round(seconds, 1), "text": text})

    def said(self):
        return self.output.read_text(encoding="utf-8", errors="replace")

    def keep_output(self, outcome):
        """The end of what the process has said goes into the log; what a sanitizer has, into the results as well."""
        said = self.said()
        with open(self.piece.log, "a", encoding="utf-8") as log:
            log.write(f"\n== {self.unit.name}\n{said[-LOG_BYTES:]}")
        if self.unit.tool:
            lines = [line for line in said.splitlines() if line.startswith("=========") or "::" in line]
            if outcome == "interrupted" and any(line.startswith("=========     ") for line in lines):   # of a finding
                outcome = "failed"
            journal.add(self.piece.journal, {"step": self.unit.tool, "outcome": outcome, "seconds": 0,
                                             "text": "\n".join(lines)[-LOG_BYTES:]})
