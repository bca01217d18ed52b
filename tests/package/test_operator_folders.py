"""The street plan: kernels, rows and tests of an operator stand in its street, in files that begin with its family.

A family is a file of `minigluon/ops/<street>`. What several families share stands above the streets. So who looks for
FullyConnected looks for `nn/matrix*` everywhere.
"""

import pytest
from helpers import ROOT, TESTS
from op_cases import CASES

from minigluon.ops import REGISTRY

pytestmark = pytest.mark.once

OPS, PLUGIN = ROOT / "minigluon" / "ops", ROOT / "minigluon_accel" / "minigluon_accel"
FAMILIES = {init.parent.name: {path.stem for path in init.parent.glob("*.py")} - {"__init__"}
            for init in OPS.glob("*/__init__.py")}
SETS = {    # a folder with streets: what is before the family's name there, and whose files count
    ROOT / "minigluon" / "backend" / "numpy": ("", "*.py"),
    PLUGIN / "kernels": ("", "*.py"),
    PLUGIN / "csrc": ("", "*.[ch]"),
    PLUGIN / "gpu" / "kernels": ("", "*.[cp][uy]*"),
    TESTS / "op_cases": ("", "*.py"),
    TESTS / "ops": ("test_", "*.py"),
    TESTS / "accel": ("test_accel_", "*.py"),
    TESTS / "gpu": ("test_gpu_", "*.py"),
}


def family_of(stem, street):
    """The family that a name begins with, or None; the longest of several."""
    found = [family for family in FAMILIES[street] if stem == family or stem.startswith(family + "_")]
    return max(found, key=len, default=None)


@pytest.mark.parametrize("folder", SETS, ids=lambda folder: folder.relative_to(ROOT).as_posix())
def test_files_begin_with_the_name_of_a_family(folder):
    before, pattern = SETS[folder]
    files = [path for path in folder.glob("*/" + pattern) if path.stem != "__init__" and path.suffix != ".pyc"]
    assert {path.parent.name for path in files} <= set(FAMILIES)
    strangers = [path.relative_to(folder).as_posix() for path in files
                 if not (path.stem.startswith(before) and family_of(path.stem.removeprefix(before), path.parent.name))]
    assert files
    assert strangers == []


def test_rows_stand_in_the_file_of_their_family():
    wrong = {case.id: case.family for case in CASES
             if REGISTRY[case.op].__module__ != f"minigluon.ops.{case.family}"}
    assert wrong == {}


def test_the_longest_name_counts():
    assert family_of("fused_attention_dropout_grad", "nn") == "fused_attention_dropout"
    assert family_of("dense_packed", "nn") is None
