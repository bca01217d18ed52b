"""The libraries to compare, each in a process with its own Python.

    minigluon   with the backends that are installed here
    reference   minigluon with MINIGLUON_BACKEND=numpy, if another backend is installed
    numpy       the bare NumPy calls behind some programs
    torch, mxnet
    onnxruntime, openvino   inference engines; PyTorch writes the models that they read
    jax

MINIGLUON_TORCH_PYTHON, MINIGLUON_MXNET_PYTHON and so on specify the interpreters of environments created with

    python -m venv torch && torch/bin/pip install torch==2.13.0 numpy
    python3.11 -m venv mxnet && mxnet/bin/pip install numpy==1.23.5 mxnet==1.9.1
    python -m venv engines && engines/bin/pip install torch==2.13.0 onnx onnxruntime openvino jax

The last environment serves three libraries.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from ... import backend
from ...base import MXNetError
from ...context import cpu
from .nets import OTHERS

__all__ = ["Peer", "ProgramError", "interpreters", "resident_bytes", "start_peers"]

PACKAGE = pathlib.Path(__file__).parents[2]
# Environment variables that set the number of threads of kernel libraries: those of NumPy, PyTorch, MXNet and JAX (the
# last). Inference engines use the value of the second variable.
THREADS = ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NPROC"]
# For glibc, if memory is measured: freed memory is returned to the system immediately, in every library.
FREE_AT_ONCE = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536", "MALLOC_TOP_PAD_": "0"}
WORKER = PACKAGE / "tools" / "bench" / "workers" / "worker.py"


class ProgramError(MXNetError):
    """Raised if a library cannot run a program. The worker keeps running."""


def interpreters(**others: Any) -> dict[str, Any]:
    """Return {library: its Python} for the libraries whose Python is known.

    others: {one of OTHERS: its Python}; they take precedence over environment variables.
    """
    accelerated = backend.backend_for(cpu()).name != "numpy"
    named = {"minigluon": sys.executable, "reference": sys.executable if accelerated else None, "numpy": sys.executable,
             **{name: others.get(name) or os.environ.get(f"MINIGLUON_{name.upper()}_PYTHON") for name in OTHERS}}
    return {library: python for library, python in named.items() if python}


@contextlib.contextmanager
def start_peers(pythons, sizes, files=None, threads=None):
    """Start a Peer for each library: `with start_peers(interpreters(), SIZES) as peers:`."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(Peer(library, python, sizes, files, threads))
               for library, python in pythons.items()]


def resident_bytes(library: str, python: str, sizes: dict[str, Any], small: Any, program: str, mode: str,
                   threads: int | None = None, files: dict[str, str] | None = None) -> Any:
    """Return the maximum growth of a new process during a run of a program; None if unknown (see `workers.resident`).

    small: sizes for a first run, in which the library loads everything it needs. files: see `Peer`.
    """
    with Peer(library, python, sizes, files, threads, FREE_AT_ONCE) as peer:
        return peer.ask("resident", program, mode, small)


def _environment(library, python, threads):
    """Return the environment variables of a worker."""
    # A PYTHONPATH meant for this interpreter would mislead another interpreter.
    own = python == sys.executable
    env = {k: v for k, v in os.environ.items() if own or k not in ("PYTHONPATH", "PYTHONHOME")}
    if library in ("minigluon", "reference"):
        further = [env["PYTHONPATH"]] if env.get("PYTHONPATH") else []
        env["PYTHONPATH"] = os.pathsep.join([str(PACKAGE.parent), *_folders_of_backends(), *further])
    if library == "reference":
        env["MINIGLUON_BACKEND"] = "numpy"
    if threads is not None:
        env.update(dict.fromkeys(THREADS, str(threads)))
    return env


def _folders_of_backends():
    """Return the folders of other backends' distributions, so that a worker finds the same backends."""
    entries = importlib.metadata.entry_points(group="minigluon.backends")
    return sorted({str(pathlib.Path(entry.dist.locate_file("")).resolve()) for entry in entries})


class Peer:
    """A worker process of one library. Use it in a `with` statement.

    sizes: see `nets.SIZES`. files: additional programs, {library: [path, ...]}. threads: the number of threads for the
    library's kernels; None leaves this to the library and the environment. more: additional environment variables.
    Raises MXNetError if the interpreter cannot be started or does not become a worker.
    """

    library: str
    python: str

    def __init__(self, library: str, python: str, sizes: dict[str, Any], files: dict[str, str] | None = None,
                 threads: int | None = None, more: Sequence[Any] = ()):
        self.library, self.python = library, python
        self._complaints = tempfile.TemporaryFile()       # noqa: SIM115 (`close` closes it)
        command = [python, "-W", "ignore", str(WORKER), library, json.dumps(sizes), *(files or {}).get(library, ())]
        environment = {**_environment(library, python, threads), **dict(more)}
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                             stderr=self._complaints, env=environment)
        except OSError as error:
            self._complaints.close()
            raise MXNetError(f"the interpreter for {library}, {python}, cannot be started: {error.strerror}. Name the "
                             f"python of an environment that has {library} installed.") from error
        try:
            hello = self._answer()
            self.version, self.modes, self.programs = hello["version"], hello["modes"], hello["programs"]
        except BaseException:
            self.close()
            raise

    def seconds(self, program: str, mode: str, count: int, clock: str = "wall") -> Any:
        """Return the average number of seconds per run over `count` runs of a program. clock: "wall", or "cpu" for
        processor time.
        """
        return self.ask("seconds", program, mode, count, clock)

    def examine(self, program: str, mode: str) -> Any:
        """Return {"peak_bytes", "kept_bytes", "kernels", "planned_bytes"} for a minigluon run (see `workers.probes`).
        """
        return self.ask("examine", program, mode)

    def forget(self) -> None:
        """Free the memory of the programs that have been run."""
        self.ask("forget")

    def ask(self, *question: Any) -> Any:
        """Return the result of a method of the worker, [name, arguments...]. Raises ProgramError."""
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None
        answer = self._answer()
        if "error" in answer:
            raise ProgramError(answer["error"])
        return answer["result"]

    def _answer(self):
        line = self._process.stdout.readline()
        if not line:
            raise self._ended()
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise MXNetError(f"the worker of {self.library} answered {line.strip()[:80]!r}, which is not a worker's "
                             f"answer. Is {self.python} a Python interpreter?")
        return answer

    def _ended(self):
        """Return the error for a worker that has ended, with the last line of its output."""
        code = self._process.wait()
        self._complaints.seek(0)
        lines = self._complaints.read().decode(errors="replace").strip().splitlines() or ["nothing on standard error"]
        return MXNetError(f"the worker of {self.library} ended with code {code}: {lines[-1]}. It was run by "
                          f"{self.python}; name the python of an environment that has {self.library} installed.")

    @property
    def ended(self):
        """Return whether the process has ended."""
        return self._process.poll() is not None

    def kill(self) -> None:
        """Kill the process, whatever it is doing; a caller that waits for its answer gets an MXNetError."""
        self._process.kill()

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._complaints.close()
