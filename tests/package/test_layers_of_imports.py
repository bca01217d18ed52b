"""The floors: an import points down, never up. And the order in which docs/README.md has the source read is one.

The package needs nothing but NumPy and the standard library.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import ROOT as CHECKOUT
from helpers.imports import Package

import minigluon

ROOT = Path(minigluon.__file__).parent
PACKAGE = Package(ROOT)

# From the bottom to the top. A module may import from its own floor and from those below.
FLOORS = [
    {"base", "homes", "providers"},
    {"diagnostics"},
    {"attribute", "common", "context", "imaging", "name", "serialization"},
    {"ops", "recordio"},
    {"backend", "frontend"},
    {"dispatch"},
    {"display"},
    {"tape", "tape_checks"},
    {"ndarray", "symbol"},
    {"autograd", "random"},
    {"hybrid"},
    {"image", "initializer", "io", "kvstore", "lr_scheduler", "metric", "numpy",
     "optimizer", "util"},
    {"callback", "contrib", "gluon", "legacy", "module", "operator", "test_utils"},
    {"interop", "onnx", "tools"},
    {"as_mxnet", "__main__", "__init__"},
]
FLOOR_OF = {name: floor for floor, names in enumerate(FLOORS) for name in names}


def part(path):
    """The part of the package that a file belongs to: 'ops' for ops/nn/matrix.py, 'tape' for tape.py."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def is_part(name):
    return (ROOT / name).is_dir() or (ROOT / f"{name}.py").is_file()


@pytest.mark.once
def test_every_part_has_a_floor():
    parts = {part(path) for path in PACKAGE.python_files()}
    assert parts <= set(FLOOR_OF), f"say in FLOORS where these belong: {sorted(parts - set(FLOOR_OF))}"


@pytest.mark.once
@pytest.mark.parametrize("path", PACKAGE.python_files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_down(path):
    here = part(path)
    for target, line in PACKAGE.imported(path):
        there = target[1] if len(target) > 1 and is_part(target[1]) else "__init__"
        if there != here:
            assert FLOOR_OF[there] <= FLOOR_OF[here], f"{path}:{line}: {here} imports {there}, which is above it"


@pytest.mark.once
@pytest.mark.parametrize(("below", "strangers"), [
    ("ops", {"ndarray", "symbol", "autograd", "tape", "gluon"}), ("ndarray", {"symbol", "gluon"}),
    ("symbol", {"ndarray", "autograd", "tape", "gluon"}), ("tape", {"ndarray", "symbol", "ops"}),
])
def test_strangers(below, strangers):
    """`nd` and `sym` do not know each other, `ops` knows neither."""
    for path in PACKAGE.python_files():
        if part(path) == below:
            seen = {target[1] for target, _ in PACKAGE.imported(path) if len(target) > 1}
            assert not seen & strangers, path


@pytest.mark.once
def test_no_circles_of_imports():
    """Modules that import each other, wherever the imports stand, can be understood only together.

    At the top, in functions and for type checkers; the package's own `__init__` counts like any other file. What a
    module needs of one above it, it asks for by name, see `minigluon/providers.py`.
    """
    assert not PACKAGE.circle()


@pytest.mark.once
def test_the_docs_list_files_in_the_order_of_their_imports():
    """What a file of the list imports, at its top or in a function, is above it in the list, or not in the list."""
    text = (CHECKOUT / "docs" / "README.md").read_text(encoding="utf-8").partition("## Reading the source")[2]
    listed = [ROOT.parent / path for path in re.findall(r"\]\(\.\./(minigluon/[\w./]+)\)", text)]
    assert len(listed) > 20
    lengths = sorted(path.read_text(encoding="utf-8").count("\n") for path in listed if path.is_file())
    assert "Most of them have fewer than 300 lines, and none has 1,000." in " ".join(text.split())
    assert lengths[len(lengths) // 2] < 300
    assert lengths[-1] < 1000
    last = {path: number for number, path in enumerate(listed)}
    rank = {name: max((last[path] for path in (file, *file.parents) if path in last), default=-1)
            for name, file in PACKAGE.modules.items()}
    for number, path in enumerate(listed):
        for file in [path] if path.is_file() else path.rglob("*.py"):
            for target, line in PACKAGE.imported(file):
                assert rank.get(PACKAGE.owner(target), -1) <= number, (
                    f"{file}:{line} imports {target}, which is listed below it")


IMPORTS = """
import sys
import numpy.random     # with what NumPy itself brings
before = set(sys.modules)
import minigluon
for name in sorted({name.partition(".")[0] for name in set(sys.modules) - before}):
    print(name)
"""


def test_the_package_imports_numpy_and_the_standard_library_only():
    loaded = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=True).stdout.split()
    strangers = {n for n in loaded if n not in sys.stdlib_module_names and not n.startswith("_")}
    installed_backends = {n for n in strangers if n.startswith("minigluon_")}
    assert strangers - installed_backends <= {"minigluon", "numpy"}


START = """
import sys
import numpy
before = set(sys.modules)
import minigluon as mx
print(*sorted(set(sys.modules) - before))
print(*sorted(name for name, value in vars(mx.nd).items() if hasattr(value, "op")))
print(*sorted(name for name, value in vars(mx.sym).items() if hasattr(value, "op")))
"""


@pytest.fixture(scope="module")
def start():
    """What `import minigluon` brings: names of modules, and of functions of `nd` and `sym` that it makes."""
    shown = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=True).stdout
    return [line.split() for line in shown.splitlines()]


@pytest.mark.once
def test_the_import_brings_arrays_and_what_they_need(start):
    """Networks, data and tools come when they are asked for, and so does what they need of the standard library.

    The number of modules is held, because the time depends on the load of the machine (`benchmarks/import_time.py`
    measures it). It grows with the files beside the spine, into which goes what a reader of the calls does not need.
    """
    modules = start[0]
    own = [name for name in modules if name.startswith("minigluon.")]
    assert len(own) <= 278
    parts = {name.split(".")[1] for name in own}
    assert not parts & {"contrib", "executor", "gluon", "hybrid", "image", "io", "kvstore", "module", "optimizer"}
    assert not {"asyncio", "difflib", "http", "importlib.metadata", "logging", "multiprocessing", "shutil", "ssl",
                "tarfile", "unittest", "urllib"} & set(modules)


@pytest.mark.once
def test_functions_are_made_when_they_are_asked_for(start):
    for made in start[1:]:
        assert len(made) < 10
    assert len([name for name in dir(minigluon.nd) if not name.startswith("_")]) > 300
    assert minigluon.nd.sinh is minigluon.nd.sinh


FIRST = """
import os, sys
import minigluon
for part in sorted(set(minigluon._PARTS.values())):
    child = os.fork()
    if not child:
        getattr(minigluon, part)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, part
"""


@pytest.mark.once
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each part is imported in a child of one process")
def test_each_part_can_be_the_first_one_that_is_imported():
    """No order of imports is the one that works."""
    subprocess.run([sys.executable, "-c", FIRST], check=True)
