"""Do the tests find mistakes in kernels? Each mutant of gpu_mutants_list.py is made in a copy of the tree and tested.

    python tests/scripts/gpu_mutants.py                       all, in both modes: a table and the score
    python tests/scripts/gpu_mutants.py --only "sort"         those with this in their names
    python tests/scripts/gpu_mutants.py --from 20             from the one of this number on
    python tests/scripts/gpu_mutants.py --mode hard           one mode
    python tests/scripts/gpu_mutants.py --minutes 20          no further mutant after so long
    python tests/scripts/gpu_mutants.py --list                names

Modes: `ci`, the tests as CI runs them and the part of it in hard mode; `hard`, the same tests with
MINIGLUON_GPU_CHECK=hard. A mutant dies where a test fails. It needs minigluon-accel built in place, and g++.
"""

import argparse
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from gpu_mutants_list import GPU, HARD_PART, MUTANTS

__all__ = ["main"]

ROOT = pathlib.Path(__file__).parents[2]
SECONDS = 500           # for the tests of one mutant: beyond, it hangs, which is found, too
PARTS = ("minigluon", "minigluon_accel", "tests", "benchmarks", "pyproject.toml", "setup.cfg", "setup.py")
MODES = {"ci": {}, "hard": {"MINIGLUON_GPU_CHECK": "hard", "MINIGLUON_GPU_SEED": "1"}}


def main():
    asked = _arguments()
    chosen = [m for m in MUTANTS if asked.only in m.name]
    if asked.list:
        print("\n".join(m.name for m in chosen))
        return 0
    modes = [asked.mode] if asked.mode else list(MODES)
    end = time.monotonic() + asked.minutes * 60
    with tempfile.TemporaryDirectory(prefix="gpu-mutants-") as folder:
        copy = _copied(pathlib.Path(folder))
        results = {}
        if said := _said([sys.executable, HARD_PART], copy, MODES["hard"], "hard part"):
            raise SystemExit(f"the tree without a mutant fails: {said}")
        for number, mutant in list(enumerate(chosen, 1))[asked.start - 1:]:
            if time.monotonic() > end:
                break
            with _made(copy, mutant):
                results[mutant.name] = _found(copy, mutant, modes)
            told = "   ".join(f"{mode}: {found or 'LIVES'}" for mode, found in results[mutant.name].items())
            print(f"{number:3d}/{len(chosen)} {mutant.name:45s} {told}", flush=True)
    for mode in modes:
        died = sum(bool(result[mode]) for result in results.values())
        print(f"{mode}: {died} of {len(results)} died")
    return 0


def _arguments():
    parser = argparse.ArgumentParser(description="Do the tests find mistakes in kernels?")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--from", type=int, default=1, dest="start", metavar="NUMBER")
    parser.add_argument("--mode", choices=list(MODES))
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def _copied(folder):
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("build", "__pycache__", ".*"))
        elif (ROOT / part).exists():
            shutil.copy(ROOT / part, folder / part)
    return folder


@contextlib.contextmanager
def _made(copy, mutant):
    file = copy / GPU / mutant.file
    text = file.read_text(encoding="utf-8")
    file.write_text(mutant.made(text), encoding="utf-8")
    yield
    file.write_text(text, encoding="utf-8")


def _found(copy, mutant, modes):
    """{mode: what finds the mutant, in a few words; "" where nothing does}. CI's hard part counts for both."""
    at_once = _said([sys.executable, HARD_PART, *mutant.cases], copy, MODES["hard"], "hard part")
    return {mode: at_once or next(filter(None, (_failure(copy, tests, MODES[mode]) for tests in mutant.tests)), "")
            for mode in modes}


def _failure(copy, tests, environment):
    path, _, words = tests.partition(":")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--no-header",
               "--tb=line", f"tests/{path}", *(["-k", words] if words else [])]
    return _said(command, copy, environment, pathlib.Path(path).stem.removeprefix("test_gpu_"))


def _said(command, copy, environment, where):
    """What a command says of a mistake, "" where all is right."""
    clean = {**os.environ, "PYTHONPATH": os.pathsep.join([str(copy), str(copy / "minigluon_accel")]), "CI": "1",
             "MINIGLUON_GPU": "emulate", "MINIGLUON_GPU_REQUIRED": "1", "MINIGLUON_GPU_OPTIMIZE": "0", **environment}
    clean.pop("PYTEST_ADDOPTS", None)
    try:
        done = subprocess.run(command, cwd=copy, env=clean, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"hangs ({where})"
    text = done.stdout + done.stderr
    if done.returncode == 0 and done.stdout != "right\n" and "pytest" not in command:
        return f"numbers ({where})"
    if done.returncode == 0:
        return ""
    if done.returncode in (2, 3, 4, 5):         # of pytest: it could not test
        raise SystemExit(f"{' '.join(command)}: status {done.returncode}\n{text[-3000:]}")
    kind = "race" if "race in " in text else "emulator" if "minigluon emulator: k" in text else "numbers"
    return f"{kind} ({where})"


if __name__ == "__main__":
    sys.exit(main())
