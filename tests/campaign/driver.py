"""Run a front's cases in child processes, seed after seed; keep what was found, and make it small."""

import importlib
import json
import os
import pathlib
import selectors
import subprocess
import sys
import tempfile
import threading
import time

from . import HERE

__all__ = ["Campaign", "Child"]

MAX_SHRINKS = 300       # cases that making one finding small may run
SAVED = 500             # how often the file learns how far a campaign is: after so many cases that held
MAX_ANSWERS = 2000      # of one process: the memory that libraries keep for threads of theirs is no finding


class Child:
    """A process that answers cases of a front, started at the first question and again after each death."""

    def __init__(self, front, patience):
        self.front, self.patience = front, patience
        self.process = None

    def ask(self, **question):
        """The child's answer, or {"finding": how the process ended} with the end of what it wrote."""
        if self.process is not None and self.answers == MAX_ANSWERS:
            self.close()
        if self.process is None:
            self._start()
        self.answers += 1
        try:
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return self._died()
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            if not selector.select(self.patience):
                return self._ended(f"no answer within {self.patience:g} s")
        line = self.process.stdout.readline()
        return json.loads(line) if line else self._died()

    def _start(self):
        self.answers = 0
        self.errors = tempfile.TemporaryFile("w+")          # noqa: SIM115 - open as long as the process
        self.process = subprocess.Popen([sys.executable, str(HERE / "child.py"), self.front], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)

    def _died(self):
        return self._ended(f"the process ended with {self.process.wait()}")

    def _ended(self, how):
        self.errors.seek(0)
        said = self.errors.read()[-4000:].strip()
        self.close()
        return {"finding": how + (f": {said}" if said else "")}

    def close(self):
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait()
            self.errors.close()
            self.process = None


class Campaign:
    """One front's cases: `run` goes on where the file in `folder` says that the last one stopped.

    `held` counts cases in which every promise held, `findings` is a list of {"seed", "case", "finding", "small"}.
    """

    def __init__(self, front, folder, seed=None, jobs=1):
        self.front, self.jobs = front, jobs
        self.seconds = importlib.import_module(front).SECONDS
        self.file = pathlib.Path(folder) / f"{front.rpartition('.')[2]}.json"
        kept = json.loads(self.file.read_text()) if self.file.exists() else {"next": 0, "held": 0, "findings": []}
        self.next = kept["next"] if seed is None else seed
        self.held, self.findings = kept["held"], kept["findings"]
        self._lock = threading.Lock()

    def run(self, minutes=None, count=None):
        """Run cases until the minutes are over or `count` of them ran; (cases that held, new findings) of this run."""
        end = None if minutes is None else time.monotonic() + 60 * minutes
        last = None if count is None else self.next + count
        before = self.held, len(self.findings)
        workers = [threading.Thread(target=self._work, args=(end, last)) for _ in range(self.jobs)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.save()
        return self.held - before[0], self.findings[before[1]:]

    def again(self, case):
        """What is wrong with this case, or None."""
        child = self._child()
        try:
            return child.ask(case=case).get("finding")
        finally:
            child.close()

    def save(self):
        """Write down the next seed and the findings, whole or not at all."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        beside = self.file.with_suffix(".beside")
        beside.write_text(json.dumps({"next": self.next, "held": self.held, "findings": self.findings}, indent=1))
        os.replace(beside, self.file)

    def _child(self):
        return Child(self.front, patience=60 + 10 * self.seconds)

    def _work(self, end, last):
        child = self._child()
        try:
            while (seed := self._take(end, last)) is not None:
                answer = child.ask(seed=seed)
                if answer["finding"] is None:
                    with self._lock:
                        self.held += 1
                        if self.held % SAVED == 0:
                            self.save()
                else:
                    self._keep(child, seed, answer)
        finally:
            child.close()

    def _take(self, end, last):
        with self._lock:
            if (end is not None and time.monotonic() > end) or (last is not None and self.next >= last):
                return None
            self.next += 1
            return self.next - 1

    def _keep(self, child, seed, answer):
        case = answer.get("case") or importlib.import_module(self.front).case(seed)     # a dead child did not say it
        small, finding = self._shrink(child, case, answer["finding"])
        with self._lock:
            self.findings.append({"seed": seed, "case": case, "finding": finding, "small": small})
            self.save()
        print(f"seed {seed}: {finding}", flush=True)

    def _shrink(self, child, case, finding):
        """(the smallest case found that still has a finding, its finding): greedily, from one case to a smaller one."""
        front = importlib.import_module(self.front)
        budget, smaller = MAX_SHRINKS, getattr(front, "smaller", lambda case: ())
        found = True
        while found and budget > 0:
            found = False
            for candidate in smaller(case):
                budget -= 1
                if budget < 0:
                    break
                if (again := child.ask(case=candidate).get("finding")) is not None:
                    case, finding, found = candidate, again, True
                    break
        return case, finding
