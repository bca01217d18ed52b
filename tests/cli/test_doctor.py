"""`minigluon doctor`: each trouble in an environment that has it, and what is then said."""

import os
import re
import shutil
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import ROOT

import minigluon as mx
from minigluon import context
from minigluon.base import MXNetError
from minigluon.common import hardware as machine
from minigluon.tools import cli
from minigluon.tools.cli import doctor, findings, info
from minigluon.tools.cli.findings import Finding

pytestmark = pytest.mark.once

REINSTALL = "pip install ./minigluon_accel --force-reinstall --no-deps"


@pytest.fixture(autouse=True)
def _plain(monkeypatch, tmp_path):
    """An empty folder, and no variable that a check looks at."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith("MINIGLUON_") or name in findings.THREADS:
            monkeypatch.delenv(name)


@pytest.fixture
def entries(monkeypatch):
    """Set whether a plugin is announced."""
    return lambda *found: monkeypatch.setattr(findings, "entry_points", lambda group: found)


def raising(text):
    def refuse(*args):
        raise MXNetError(text)
    return refuse


def programs(*names):
    return lambda name: f"/bin/{name}" if name in names else None


# -- the report -----------------------------------------------------------------------------------------------------


def test_the_report(monkeypatch, capsys):
    monkeypatch.setattr(info, "report", lambda: ["versions"])
    monkeypatch.setattr(doctor, "_first_line", lambda path: "a compiler")
    monkeypatch.setattr(doctor.shutil, "which", programs("gcc"))
    monkeypatch.setattr(doctor, "_size", lambda path: 2_500_000)
    monkeypatch.setattr(doctor, "caches", lambda: [("data sets and models", findings.PACKAGE, "MXNET_HOME")])
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.setattr(doctor, "CHECKS", {"versions": lambda: Finding("Python 3"),
                                           "threads": lambda: Finding("too many " * 12 + "threads", "fewer", True),
                                           "slow kernels": lambda: Finding("NumPy alone", "install it")})
    assert cli.main(["doctor"]) == 1
    assert capsys.readouterr().out == f"""\
versions

compilers
  gcc            a compiler
  g++            not found
  clang          not found
  nvcc           not found

threads
  OMP_NUM_THREADS       2
  OPENBLAS_NUM_THREADS  not set
  MKL_NUM_THREADS       not set

caches
  data sets and models  {findings.PACKAGE}, 2.5 MB ($MXNET_HOME)

problems
  OK     versions        Python 3
  WRONG  threads         too many too many too many too many too many too many too many too many too many too
                         many too many too many threads
                         remedy: fewer
  note   slow kernels    NumPy alone
                         remedy: install it

1 of 3 wrong
"""
    del doctor.CHECKS["threads"]
    assert cli.main(["doctor"]) == 0
    assert capsys.readouterr().out.endswith("\nnothing is wrong\n")


def test_all_checks_run_here():
    assert len(findings.CHECKS) == 10
    for check in findings.CHECKS.values():
        finding = check()
        assert finding.text
        assert finding.remedy or not finding.wrong


def test_compilers_say_what_they_are(tmp_path):
    assert doctor._first_line(sys.executable) == f"{sys.executable}: Python {sys.version.split()[0]}"
    assert doctor._first_line(str(tmp_path)).startswith(f"{tmp_path} does not run: ")


def test_sizes(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_bytes(bytes(1000))
    (tmp_path / "c").write_bytes(bytes(24))
    assert doctor._size(tmp_path) == 1024


# -- troubles -------------------------------------------------------------------------------------------------------


def test_an_old_numpy(monkeypatch):
    monkeypatch.setattr(np, "__version__", "1.23.5")
    monkeypatch.setattr(findings.platform, "python_version", lambda: "3.11.7")
    assert findings.versions() == ("Python 3.11.7, NumPy 1.23.5: NumPy is older than 1.26",
                                   'pip install "numpy>=1.26"', True)


def test_files_that_hide_modules(tmp_path):
    assert findings.hidden_modules() == ("no file in this folder hides a module", "", False)
    (tmp_path / "minigluon").mkdir()
    (tmp_path / "minigluon" / "__init__.py").touch()
    assert findings.hidden_modules() == (
        f"programs in this folder import {tmp_path / 'minigluon'}, not {findings.PACKAGE}, and __init__.py differs",
        "work in another folder, or pip install -e .", True)
    for name in ("random.py", "numpy.py", "mine.py"):
        (tmp_path / name).touch()
    assert findings.hidden_modules() == ("numpy.py, random.py in this folder: programs here import it instead of the "
                                         "module of that name", "rename it", True)


def test_a_checkout_of_what_is_installed(tmp_path, monkeypatch):
    """After the README's first command, the folder and the installed package have the same files."""
    installed = tmp_path / "site-packages" / "minigluon"
    for package in installed, tmp_path / "minigluon":
        (package / "nd").mkdir(parents=True)
        (package / "__init__.py").write_text("x = 1\n")
        (package / "nd" / "__init__.py").write_text("y = 1\n")
    monkeypatch.setattr(findings, "PACKAGE", installed)
    assert findings.hidden_modules() == (
        f"programs in this folder import {tmp_path / 'minigluon'}, which has the same files as {installed}", "", False)
    (installed / "more.py").touch()
    assert findings.hidden_modules().text.endswith("and more.py differs")
    (tmp_path / "minigluon" / "nd" / "__init__.py").write_text("y = 2\n")
    assert findings.hidden_modules().text.endswith(f"and {os.path.join('nd', '__init__.py')} differs")


def test_the_plugin(monkeypatch, entries):
    entries()
    assert findings.plugin() == ("minigluon-accel is not installed: NumPy runs everything, more slowly",
                                 "pip install ./minigluon_accel", False)
    entries("accel")
    monkeypatch.setattr(findings.backend, "available", raising("backend 'accel' cannot be loaded"))
    assert findings.plugin() == ("backend 'accel' cannot be loaded", REINSTALL, True)
    monkeypatch.setattr(findings.backend, "available", lambda: ["numpy", "accel"])
    monkeypatch.setitem(sys.modules, "minigluon_accel", SimpleNamespace(__version__="0.0.9"))
    assert findings.plugin() == (f"minigluon-accel is 0.0.9, minigluon is {mx.__version__}", REINSTALL, True)
    monkeypatch.setitem(sys.modules, "minigluon_accel", SimpleNamespace(__version__=mx.__version__))
    assert findings.plugin() == ("backends: numpy, accel", "", False)
    monkeypatch.setenv("MINIGLUON_BACKEND", "numpy")
    assert findings.plugin() == ("MINIGLUON_BACKEND=numpy: NumPy runs everything, more slowly",
                                 "unset MINIGLUON_BACKEND", False)


def test_variables(monkeypatch):
    assert findings.environment() == ("no variable of minigluon is set", "", False)
    monkeypatch.setenv("MINIGLUON_SEED", "1")
    assert findings.environment() == ("set: MINIGLUON_SEED", "", False)
    monkeypatch.setenv("MINIGLUON_DEBUG", "1")
    assert findings.environment() == ("MINIGLUON_DEBUG is set: every result is checked, so programs are slow",
                                      "unset MINIGLUON_DEBUG", False)
    monkeypatch.setenv("MINIGLUON_BACKEND", "acel")
    monkeypatch.setattr(findings.backend, "backend_for", raising("MINIGLUON_BACKEND is 'acel', but ..."))
    assert findings.environment() == ("MINIGLUON_BACKEND is 'acel', but ...", "unset MINIGLUON_BACKEND", True)
    monkeypatch.setenv("MINIGLUON_TRACBACK", "full")
    assert findings.environment() == ("MINIGLUON_TRACBACK is set, but nothing reads it. Did you mean "
                                      "MINIGLUON_TRACEBACK?", "unset MINIGLUON_TRACBACK", True)


def test_all_variables_are_known():
    read = re.compile(r"""environ[^\n]{0,12}["'](MINIGLUON_\w+)|^[A-Z_]+ = ["'](MINIGLUON_\w+)["']""", re.MULTILINE)
    sources = [*(ROOT / "minigluon").rglob("*.py"), *(ROOT / "minigluon_accel" / "minigluon_accel").rglob("*.py")]
    found = {name for path in sources for match in read.findall(path.read_text(encoding="utf-8")) for name in match}
    assert found - {"", "MINIGLUON_EXAMPLE"} <= set(findings.VARIABLES)


def test_compilers(monkeypatch, entries, tmp_path):
    entries()
    monkeypatch.setattr(shutil, "which", programs())
    assert findings.compilers() == ("there is no C compiler, which is needed to build minigluon-accel",
                                    "apt-get install gcc python3-dev", False)
    monkeypatch.setattr(shutil, "which", programs("gcc"))
    monkeypatch.setattr(findings.sysconfig, "get_path", lambda name: str(tmp_path))
    assert findings.compilers() == (f"there is no {tmp_path / 'Python.h'}, which is needed to build minigluon-accel",
                                    "apt-get install python3-dev", False)
    (tmp_path / "Python.h").touch()
    assert findings.compilers() == ("a compiler and Python's headers are installed", "", False)
    entries("accel")
    assert findings.compilers() == ("a plugin is installed, compiled", "", False)
    monkeypatch.setenv("MINIGLUON_GPU", "emulate")
    assert findings.compilers() == ("there is no g++, which is needed to compile kernels for the emulated GPU",
                                    "apt-get install g++", True)


def test_threads(monkeypatch):
    monkeypatch.setattr(machine, "cores", lambda: 8)
    monkeypatch.setattr(machine, "cpu_limit", lambda: None)
    assert findings.threads() == ("8 cores, and no variable limits the threads", "", False)
    monkeypatch.setattr(machine, "cpu_limit", lambda: 1.5)
    assert findings.threads() == ("this container may use 1.5 of 8 cores, but libraries start 8 threads",
                                  "export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1", True)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert findings.threads() == ("1 core, OMP_NUM_THREADS=1", "", False)
    monkeypatch.setenv("OMP_NUM_THREADS", "16,2")
    assert findings.threads() == ("OMP_NUM_THREADS=16,2 on 1 cores: threads wait for each other",
                                  "export OMP_NUM_THREADS=1", True)


def test_the_limit_of_a_container(tmp_path):
    file = tmp_path / "cpu.max"
    found = []
    for text in ("max 100000\n", "150000 100000\n", "?"):
        file.write_text(text)
        found.append(machine.cpu_limit(file))
    assert found == [None, 1.5, None]
    assert machine.cpu_limit(tmp_path / "none") is None


def test_caches(monkeypatch, tmp_path):
    home = tmp_path / "home" / "models"
    monkeypatch.setenv("MXNET_HOME", str(home))
    assert next(findings.caches()) == ("data sets and models", home, "MXNET_HOME")
    assert findings.folders() == ("all caches can be written to, and their disks have room", "", False)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1000))
    assert findings.folders() == (f"the disk of {home}, for data sets and models, is almost full",
                                  "make room, or export MXNET_HOME=FOLDER on another disk", True)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert findings.folders() == (f"{home}, for data sets and models, cannot be written to",
                                  "export MXNET_HOME=FOLDER, one of yours", True)


def test_gpus(monkeypatch, entries):
    monkeypatch.setattr(shutil, "which", programs())
    monkeypatch.setattr(findings.pathlib.Path, "glob", lambda self, pattern: iter(()))
    assert findings.gpu() == ("there is no NVIDIA card here; minigluon-accel runs its kernels on the CPU with "
                              "MINIGLUON_GPU=emulate", "", False)
    monkeypatch.setattr(shutil, "which", programs("nvidia-smi"))
    entries()
    assert findings.gpu() == ("minigluon-accel, which is needed to use GPUs, is not installed",
                              "pip install ./minigluon_accel && python -m minigluon_accel.gpu.install", False)
    entries("gpu")
    monkeypatch.setattr(context, "num_gpus", lambda: 2)
    monkeypatch.setattr(context, "gpu_memory_info", lambda number: (1, 2))
    assert findings.gpu() == ("mx.gpu() can be used; GPUs: 2", "", False)
    monkeypatch.setattr(context, "gpu_memory_info", raising("gpu: PyCUDA is not installed"))
    assert findings.gpu() == ("gpu: PyCUDA is not installed", "python -m minigluon_accel.gpu.install", True)
    monkeypatch.setenv("MINIGLUON_GPU", "emulate")
    assert findings.gpu().remedy == "python -m minigluon_accel.gpu.install --emulate"
    monkeypatch.setattr(context, "gpu_memory_info", lambda number: (1, 2))
    assert findings.gpu() == ("MINIGLUON_GPU=emulate: kernels run on the CPU, slowly",
                              "unset MINIGLUON_GPU for a real GPU", False)
    monkeypatch.setenv("MINIGLUON_GPU", "off")
    assert findings.gpu() == ("MINIGLUON_GPU=off: GPUs are switched off", "unset MINIGLUON_GPU", False)


def test_another_mxnet(monkeypatch):
    from minigluon.interop.mxnet import alias
    monkeypatch.setattr(alias, "real_mxnet", lambda: None)
    assert findings.mxnet() == ("no other MXNet is installed; `minigluon run` starts programs that use `import mxnet`",
                                "", False)
    monkeypatch.setattr(alias, "real_mxnet", lambda: "/lib/mxnet")
    monkeypatch.setattr(np, "__version__", "2.1.0")
    assert findings.mxnet() == ("`import mxnet` imports the MXNet in /lib/mxnet, which fails with NumPy 2.1.0",
                                "minigluon run PROGRAM; or pip uninstall mxnet, and minigluon install-as-mxnet", True)
    monkeypatch.setattr(np, "__version__", "1.23.5")
    assert findings.mxnet() == ("`import mxnet` imports the MXNet in /lib/mxnet; with `minigluon run`, it imports "
                                "minigluon", "",
                                False)


def test_output(monkeypatch):
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(encoding="utf-8"))
    assert findings.output() == ("the output encoding is utf-8", "", False)
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(encoding="cp1252"))
    assert findings.output() == ("the output encoding is cp1252, which lacks characters of tables and of the course: "
                                 "UnicodeEncodeError", "export PYTHONUTF8=1", True)
