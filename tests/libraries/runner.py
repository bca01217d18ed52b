"""What the scripts of this folder share: cases that run one after the other, counted, each failure with its reason.

A script is a table of cases, functions without arguments, by name. What a case returns is shown beside its name:

    CASES = {"net": lambda: f"loss {train():.3f}"}

    if __name__ == "__main__":
        sys.exit(main(__file__, CASES))

A case raises to fail, and NotHere(reason) where it cannot run at all: no network, a file that nobody may pass on.
"""

import argparse
import os
import subprocess
import sys
import time
import traceback
from pathlib import Path

__all__ = ["NotHere", "main", "time_limit"]

ROOT = Path(__file__).resolve().parents[2]
THREADS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class NotHere(Exception):
    """A case that this machine cannot run: counted by itself, not as a failure."""


def main(script, cases, add_arguments=None):
    """Run the cases that the command line chooses; returns what `sys.exit` takes, 1 if one of them fails.

    `cases` is a dict from name to function, or a function from the parsed arguments to such a dict. `add_arguments`
    is called with the parser, for options of the script's own.
    """
    parser = argparse.ArgumentParser(description=(sys.modules["__main__"].__doc__ or "").partition("\n")[0])
    parser.add_argument("--python", metavar="PATH", help="run in that environment, where minigluon stands for mxnet")
    parser.add_argument("--real", action="store_true", help="with --python: the mxnet that is installed there, instead")
    parser.add_argument("-k", metavar="WORD", default="", help="only cases that have this word in their names")
    if add_arguments is not None:
        add_arguments(parser)
    args = parser.parse_args()
    if args.python:
        return _elsewhere(script, args)
    chosen = cases(args) if callable(cases) else cases
    return _report({name: case for name, case in chosen.items() if args.k in name})


def _elsewhere(script, args):
    """The same command in the other environment."""
    given = sys.argv[1:]
    place = next(i for i, word in enumerate(given) if word.startswith("--python"))
    del given[place:place + (1 if "=" in given[place] else 2)]
    name = [] if args.real else ["-m", "minigluon.as_mxnet"]
    path = [] if args.real else [str(ROOT), str(ROOT / "minigluon_accel")]
    command = [args.python, *name, str(script), *(word for word in given if word != "--real")]
    return subprocess.run(command, env={**THREADS, **os.environ, "PYTHONPATH": os.pathsep.join(path)}).returncode


def _report(cases):
    import mxnet
    print(f"mxnet is {Path(mxnet.__file__).parent}", flush=True)
    counts = {"ok": 0, "FAILED": 0, "not here": 0}
    began = time.perf_counter()
    for name, case in cases.items():
        start = time.perf_counter()
        try:
            word, text = "ok", case() or ""
        except NotHere as reason:
            word, text = "not here", str(reason)
        except Exception as error:
            word, text = "FAILED", _reason(error)
        counts[word] += 1
        print(f"{word:8} {time.perf_counter() - start:7.2f} s  {name}  {text}".rstrip(), flush=True)
    print(f"{len(cases)} cases in {time.perf_counter() - began:.0f} s: "
          + ", ".join(f"{count} {word}" for word, count in counts.items()))
    return 1 if counts["FAILED"] else 0


def _reason(error):
    """The error's class and first line, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}{place}"


class time_limit:
    """`with time_limit(60):` raises TimeoutError in what takes longer. Main thread, and systems with SIGALRM."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __enter__(self):
        import signal
        self._before = signal.signal(signal.SIGALRM, self._raise)
        signal.alarm(self.seconds)

    def __exit__(self, *_):
        import signal
        signal.alarm(0)
        signal.signal(signal.SIGALRM, self._before)

    def _raise(self, *_):
        raise TimeoutError(f"more than {self.seconds} s")
