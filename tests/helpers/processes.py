"""Python in a process of its own."""

import os
import pathlib
import subprocess
import sys
import textwrap
from importlib.metadata import entry_points

import minigluon as mx
from helpers import ROOT

# The folder of minigluon-accel, where it is installed.
PLUGIN = sorted({str(entry.dist.locate_file("")) for entry in entry_points(group="minigluon.backends")})


def run_python(*arguments, cwd):
    """A fresh interpreter: counters of names start at zero, and what a page registers does not stay."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *PLUGIN]), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run([sys.executable, "-W", "error", *map(str, arguments)], cwd=cwd, env=environment,
                          capture_output=True, text=True, encoding="utf-8", timeout=300)


def program(code, timeout=120, **environment):
    """Run Python code in a process of its own; its lines of output. Fails where the process does."""
    path = os.pathsep.join([str(pathlib.Path(mx.__file__).parents[1]), *sys.path[1:]])
    done = subprocess.run([sys.executable, "-c", "import minigluon as mx\nfrom minigluon import nd\n"
                           + textwrap.dedent(code)], capture_output=True, text=True, timeout=timeout,
                          env={**os.environ, "PYTHONPATH": path, **environment})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()
