"""Python in a process of its own."""

import os
import subprocess
import sys
import textwrap
from importlib.metadata import entry_points

from helpers import ROOT

# What a test's process may take is multiplied by this: under an emulator Python alone needs a minute to start.
SLOWER = float(os.environ.get("MINIGLUON_TESTS_SLOWER", "1"))

# The folder of minigluon-accel, where it is installed.
PLUGIN = sorted({str(entry.dist.locate_file("")) for entry in entry_points(group="minigluon.backends")})


def environment(**more):
    """The environment for a process that finds the same packages as this one."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path), **more}


def run_python(*arguments, cwd, **more):
    """A fresh interpreter: counters of names start at zero, and what a page registers does not stay.

    more: of its environment; None takes a variable out.
    """
    clean = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *PLUGIN]), "PYTHONIOENCODING": "utf-8", **more}
    clean = {name: value for name, value in clean.items() if value is not None}
    return subprocess.run([sys.executable, "-W", "error", *map(str, arguments)], cwd=cwd, env=clean,
                          capture_output=True, text=True, encoding="utf-8", timeout=300 * SLOWER)


def run_code(code, timeout=120, **more):
    """The result of Python code in a process of its own. more: of its environment."""
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True,
                          timeout=timeout * SLOWER, env=environment(**more))


def program(code, timeout=120, **more):
    """Lines of output of a program, which finds mx and nd. Fails where the process does."""
    done = run_code("import minigluon as mx\nfrom minigluon import nd\n" + textwrap.dedent(code), timeout, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()
