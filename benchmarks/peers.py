"""The libraries that are compared, each in a process of its own Python.

MINIGLUON_TORCH_PYTHON and MINIGLUON_MXNET_PYTHON name the interpreters of environments made with

    python -m venv torch && torch/bin/pip install torch==2.13.0 numpy
    python3.11 -m venv mxnet && mxnet/bin/pip install numpy==1.23.5 mxnet==1.9.1
"""

import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
INTERPRETERS = {"minigluon": sys.executable, "numpy": sys.executable,
                "torch": os.environ.get("MINIGLUON_TORCH_PYTHON"), "mxnet": os.environ.get("MINIGLUON_MXNET_PYTHON")}


class Peer:
    """A worker process of one library."""

    def __init__(self, library):
        self.library = library
        env = {**os.environ, "PYTHONPATH": str(HERE.parent)} if library == "minigluon" else os.environ
        self.process = subprocess.Popen([INTERPRETERS[library], "-W", "ignore", str(HERE / "worker.py"), library],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
        hello = json.loads(self._answer())
        self.version, self.programs = hello["version"], hello["programs"]

    def seconds(self, program, count):
        """Seconds for one of `count` runs of a program."""
        self.process.stdin.write(f"{count}\t{program}\n")
        self.process.stdin.flush()
        return float(self._answer())

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the worker of {self.library} ended with code {self.process.wait()}")
        return line

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def available():
    """Names of the libraries whose interpreter is known."""
    return [name for name, python in INTERPRETERS.items() if python]
