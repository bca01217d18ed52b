"""`minigluon doctor`: report the installed and used packages, and common problems on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import textwrap
from typing import Any

from . import info
from .findings import CHECKS, THREADS, caches

__all__ = ["add_parser", "doctor"]

COMPILERS = ["gcc", "g++", "clang", "nvcc"]
WIDTH = 110


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "doctor", help="check for the most common problems",
        description="Print the output of `minigluon info`, compilers, threads and caches, and which of the ten most "
                    "common problems this machine has, with remedies. The exit status is 1 if something is wrong.")
    parser.set_defaults(run=_run)


def doctor() -> tuple[list[str], bool]:
    """Return (the lines of the report, whether anything is wrong)."""
    findings = {name: check() for name, check in CHECKS.items()}
    wrong = sum(finding.wrong for finding in findings.values())
    lines = [*info.report(), "", "compilers", *_compilers(), "", "threads", *_threads(), "", "caches", *_caches(),
             "", "problems", *(line for name, finding in findings.items() for line in _text_lines(name, finding)), "",
             f"{wrong} of {len(findings)} wrong" if wrong else "nothing is wrong"]
    return lines, wrong > 0


def _run(args):
    lines, wrong = doctor()
    print("\n".join(lines))
    return int(wrong)


def _compilers():
    for name in COMPILERS:
        path = shutil.which(name)
        yield f"  {name:14} {_first_line(path) if path else 'not found'}"


def _first_line(program):
    """Return the first line of a compiler's --version output."""
    try:
        process = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{program} does not run: {error}"
    return f"{program}: {(process.stdout or process.stderr or 'prints nothing').splitlines()[0]}"


def _threads():
    for name in THREADS:
        yield f"  {name:21} {os.environ.get(name, 'not set')}"


def _caches():
    for what, path, variable in caches():
        size = f"{_size(path) / 1e6:,.1f} MB" if path.exists() else "not there yet"
        yield f"  {what:21} {path}, {size} (${variable})"


def _size(folder):
    """Return the total size of the files below a folder, in bytes."""
    return sum(os.lstat(os.path.join(place, name)).st_size for place, _, names in os.walk(folder) for name in names)


def _text_lines(name, finding):
    indent = " " * 25
    yield from textwrap.wrap(finding.text, WIDTH, initial_indent=f"  {finding.state:6} {name:15} ",
                             subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    if finding.remedy:
        yield f"{indent}remedy: {finding.remedy}"
