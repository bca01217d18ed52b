"""`import mxnet` means this package: in a program, in its processes, and installed."""

import importlib.metadata
import json
import os
import subprocess
import sys

import pytest
from helpers import ROOT

import minigluon
from minigluon.base import MXNetError
from minigluon.interop.mxnet.install import install, remove

pytestmark = pytest.mark.once

PROGRAM = """
import json, multiprocessing, subprocess, sys
import mxnet as mx
import mxnet.gluon.nn.basic_layers
import mxnet.ndarray as F
from mxnet import autograd as ag, gluon, nd
from mxnet.contrib.ndarray import foreach
from mxnet.gluon import nn


def answer(queue):
    import mxnet
    queue.put([mxnet.__version__, mxnet.nd.ones((2,)).sum().asscalar().item()])


class Numbers(gluon.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        import mxnet
        return mxnet.nd.array([index])


def of_process(how):
    context = multiprocessing.get_context(how)
    queue = context.Queue()
    process = context.Process(target=answer, args=(queue,))
    process.start()
    got = queue.get(timeout=60)
    process.join()
    return got


if __name__ == "__main__":
    import minigluon
    code = "import mxnet; print(mxnet.__version__)"
    print(json.dumps({
        "version": mx.__version__, "arguments": sys.argv[1:], "file": __file__,
        "same": [nn.Dense is minigluon.gluon.nn.Dense, F is nd, mx.sym is minigluon.sym,
                 mx.contrib.ndarray.foreach is foreach],
        "fork": of_process("fork"), "spawn": of_process("spawn"),
        "command": subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip(),
        "batches": [batch.asnumpy().ravel().tolist()
                    for batch in gluon.data.DataLoader(Numbers(), 2, num_workers=1)],
    }))
"""


def run(*arguments, cwd, path=(), **more):
    where = os.pathsep.join([*map(str, path), str(ROOT)])
    return subprocess.run([sys.executable, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": where, "MINIGLUON_BACKEND": "numpy", **more})


def wanted(file):
    return {"version": "1.9.1", "arguments": ["--epochs", "2"], "file": str(file), "same": [True] * 4,
            "fork": ["1.9.1", 2.0], "spawn": ["1.9.1", 2.0], "command": "1.9.1", "batches": [[0.0, 1.0], [2.0, 3.0]]}


@pytest.mark.parametrize("command", [["-m", "minigluon.as_mxnet"], ["-m", "minigluon", "run"]], ids=["module", "run"])
def test_a_program_runs_and_its_processes_find_mxnet(command, tmp_path):
    file = tmp_path / "train.py"
    file.write_text(PROGRAM)
    done = run(*command, file.name, "--epochs", "2", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == wanted(file)


def test_a_module_runs(tmp_path):
    (tmp_path / "train.py").write_text(PROGRAM)
    done = run("-m", "minigluon.as_mxnet", "-m", "train", "--epochs", "2", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == wanted(tmp_path / "train.py")


def test_an_import_at_the_top_is_enough(tmp_path):
    (tmp_path / "train.py").write_text("import minigluon.as_mxnet\n" + PROGRAM)
    done = run("train.py", "--epochs", "2", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == wanted(tmp_path / "train.py")


def test_devices_are_written_under_the_name_that_files_of_mxnet_have(tmp_path):
    code = """
import inspect, pickle, minigluon.as_mxnet, minigluon, mxnet as mx
print(mx.Context.__module__, mx.cpu(1) == pickle.loads(b"cmxnet.context\\nContext\\n(Vcpu\\nI1\\ntR."))
print(pickle.loads(pickle.dumps(mx.cpu(1))), inspect.getmodule(mx.Context) is minigluon.context)
"""
    done = run("-c", code, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("mxnet.context True\ncpu(1) True\n", "")
    assert minigluon.Context.__module__ == "minigluon.context"


def test_what_a_program_sets_is_there_under_both_names(tmp_path):
    code = """
import minigluon.as_mxnet, minigluon, mxnet
mxnet.answer = 42
print(minigluon.answer, mxnet.answer)
del mxnet.answer
print(hasattr(minigluon, "answer"), minigluon.__version__ == mxnet.__version__, "nd" in dir(mxnet),
      mxnet.libinfo.__version__)
for name in ("mxnet.nothing", "mxnet.gluon.nothing", "mxnet.quantization"):
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        print(error)
"""
    done = run("-c", code, cwd=tmp_path)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "42 42", "False False True 1.9.1",
        "No module named 'mxnet.nothing': mxnet is minigluon here, which does not have it.",
        "No module named 'mxnet.gluon.nothing': mxnet is minigluon here, which does not have it.",
        "No module named 'mxnet.quantization': mx.quantization: it is in mx.contrib.",
    ]


def test_messages_of_the_command(tmp_path):
    usage = "usage: python -m minigluon.as_mxnet [-m] PROGRAM [ARGUMENTS ...]\n"
    assert (done := run("-m", "minigluon.as_mxnet", cwd=tmp_path)).returncode == 2
    assert done.stderr == usage
    assert run("-m", "minigluon.as_mxnet", "--help", cwd=tmp_path).stdout == usage
    done = run("-m", "minigluon", "run", "absent.py", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "minigluon run: error: there is no program 'absent.py'\n")


@pytest.fixture
def real(tmp_path):
    """A folder with something that calls itself mxnet."""
    package = tmp_path / "real" / "mxnet"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("__version__ = '1.8.0'\n")
    info = tmp_path / "real" / "mxnet-1.8.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mxnet\nVersion: 1.8.0\n")
    (info / "INSTALLER").write_text("pip\n")
    return tmp_path / "real"


def test_a_real_mxnet_is_named(real, tmp_path):
    code = "import minigluon.as_mxnet, mxnet; print(mxnet.__version__)"
    done = run("-W", "always", "-c", code, cwd=tmp_path, path=[real])
    assert done.stdout == "1.9.1\n"
    assert f"UserWarning: import mxnet means minigluon {minigluon.__version__}, and not the MXNet in {real}/mxnet" in (
        done.stderr)
    done = run("-c", "import mxnet, minigluon.as_mxnet", cwd=tmp_path, path=[real])
    assert (f"minigluon.base.MXNetError: mxnet is imported already, from {real}/mxnet/__init__.py. Import "
            "minigluon.as_mxnet before the first `import mxnet`.") in done.stderr.splitlines()


# -- as a distribution -----------------------------------------------------------------------------------------------


def test_installed_as_mxnet(tmp_path):
    info = install(tmp_path)
    assert install(tmp_path) == info == tmp_path / "mxnet-1.9.1.dist-info"      # twice is no harm
    [distribution] = importlib.metadata.distributions(name="mxnet", path=[str(tmp_path)])
    assert distribution.version == "1.9.1"
    assert all(file.locate().is_file() for file in distribution.files)
    code = "import mxnet, importlib.metadata as m; print(mxnet.__version__, m.version('mxnet'), mxnet.nd.ones(1).shape)"
    done = run("-c", code, cwd=tmp_path, path=[tmp_path])
    assert (done.stdout, done.stderr) == ("1.9.1 1.9.1 (1,)\n", "")
    remove(tmp_path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(MXNetError) as error:
        remove(tmp_path)
    assert str(error.value) == f"{tmp_path} has no mxnet that `minigluon install-as-mxnet` wrote."


def test_a_real_mxnet_is_left_alone(real):
    text = (real / "mxnet" / "__init__.py").read_text()
    for action in (install, remove):
        with pytest.raises(MXNetError) as error:
            action(real)
        assert str(error.value) == (
            f"{real} has mxnet 1.8.0, which `minigluon install-as-mxnet` did not write and leaves alone. Use another "
            "environment, or `pip uninstall mxnet` first.")
    (real / "mxnet-1.8.0.dist-info" / "METADATA").unlink()
    (real / "mxnet-1.8.0.dist-info" / "INSTALLER").unlink()
    (real / "mxnet-1.8.0.dist-info").rmdir()
    with pytest.raises(MXNetError) as error:
        install(real)
    assert str(error.value) == (
        f"{real / 'mxnet'} exists, and `minigluon install-as-mxnet` did not write it. Nothing was changed. Use "
        "another environment, or remove that folder first.")
    assert (real / "mxnet" / "__init__.py").read_text() == text


def test_mxnet_is_no_module_before_it_is_imported(tmp_path):
    """sockeye 1 starts its worker processes only from a process that has not imported mxnet."""
    (tmp_path / "train.py").write_text(
        "import sys\n"
        "print([name for name in sys.modules if name.split('.')[0] == 'mxnet'])\n"
        "import mxnet.gluon\n"
        "print("
        "'mxnet.ndarray' in sys.modules, mxnet.gluon is sys.modules['minigluon.gluon'], mxnet.Context.__module__)\n")
    done = run("-m", "minigluon.as_mxnet", "train.py", cwd=tmp_path)
    assert done.stdout.splitlines() == ["[]", "True True mxnet.context"], done.stderr
