"""What the scripts `*_suite.py` share: a library's own tests, unchanged, on minigluon and on the real MXNet, compared.

    python tests/libraries/einops_suite.py FOLDER --python /tmp/einops/bin/python --mxnet /tmp/einops-mx/bin/python

FOLDER is the unpacked source of the library, which has its tests. `--python` is an environment with what the library
requires, and without MXNet: the tests run there with minigluon under the name `mxnet`. `--mxnet` is one that has MXNet
1.9.1 as well: the same tests run there, and those are listed that pass only with MXNet. The exit status is 1 if there
are any. `-k WORD` is pytest's.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from runner import ROOT, THREADS

__all__ = ["run_suite"]

OPTIONS = ["-q", "-p", "no:cacheprovider", "-o", "addopts=", "-W", "ignore", "-o", "junit_family=xunit1"]


def run_suite(paths, path=(".",), environment=None, options=()):
    """Run a library's tests as the command line says; returns what `sys.exit` takes.

    paths: of the tests, in FOLDER. path: folders of FOLDER that Python imports from. environment: further variables.
    options: of pytest.
    """
    parser = argparse.ArgumentParser(description=(sys.modules["__main__"].__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="the unpacked source of the library")
    parser.add_argument("--python", metavar="PATH", default=sys.executable, help="the environment for minigluon")
    parser.add_argument("--mxnet", metavar="PATH", help="an environment that has MXNet: compare with it")
    parser.add_argument("-k", metavar="WORD", default="", help="only tests that have this word in their names")
    args = parser.parse_args()
    imports = [args.folder.resolve() / part for part in path]
    more = [*options, *(["-k", args.k] if args.k else []), *paths]
    outcomes = [_run("minigluon", [args.python, "-m", "minigluon.as_mxnet"], args.folder, more, environment,
                     [ROOT, ROOT / "minigluon_accel", *imports, ROOT / "tests" / "libraries"])]
    if args.mxnet:
        outcomes.append(_run("MXNet", [args.mxnet], args.folder, more, environment,
                             [*imports, ROOT / "tests" / "libraries"]))
    return _compare(*outcomes)


def _run(name, command, folder, options, environment, path):
    """Run pytest, print the counts, and return {test: (outcome, first line of the reason)}."""
    with tempfile.TemporaryDirectory() as made:
        report = Path(made) / "report.xml"
        start = time.perf_counter()
        subprocess.run([*command, "-m", "pytest", *OPTIONS, f"--junitxml={report}", *options], cwd=folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env={**THREADS, **os.environ, "PYTHONDONTWRITEBYTECODE": "1", **(environment or {}),
                            "PYTHONPATH": os.pathsep.join(map(str, path))})
        if not report.exists():
            raise SystemExit(f"{name}: pytest wrote no report. Run it by hand to see why, in {folder}.")
        found = dict(map(_outcome, ElementTree.parse(report).iter("testcase")))
    counts = Counter(outcome for outcome, _ in found.values())
    print(f"{name}: {len(found)} tests in {time.perf_counter() - start:.0f} s, "
          + ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())), flush=True)
    return found


def _outcome(case):
    name = f"{case.get('classname')}::{case.get('name')}"
    for word in ("failure", "error", "skipped"):
        if (found := case.find(word)) is not None:
            outcome = {"failure": "failed", "error": "failed", "skipped": "skipped"}[word]
            return name, (outcome, found.get("message", "").partition("\n")[0])
    return name, ("passed", "")


def _compare(here, there=None):
    """Print each failure that MXNet does not have; all of them if it has not been run."""
    failed = [name for name, (outcome, _) in here.items() if outcome == "failed"]
    if there is not None:
        failed = [name for name in failed if there.get(name, ("",))[0] == "passed"]
        print(f"{len(failed)} pass only with MXNet, "
              f"{sum(there.get(name, ('',))[0] == 'failed' for name, (o, _) in here.items() if o == 'passed')} only "
              "with minigluon")
    for name in failed:
        print(f"  {name}: {here[name][1]}")
    return 1 if failed else 0
