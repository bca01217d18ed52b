"""`minigluon check`: what a program for MXNet will miss, named with its line, without running it."""

import pytest
from helpers import ROOT

from minigluon.base import ArgumentError
from minigluon.interop.mxnet.check import check, check_text
from minigluon.interop.mxnet.check_rules import DIFFERENT, DOWNLOADS, SLOW
from minigluon.tools import cli

pytestmark = pytest.mark.once

HEAD = "import mxnet as mx\nfrom mxnet import gluon, nd\nfrom mxnet.gluon import nn\n"

# Programs that use what is not here: (program, [(line, name), ...])
ABSENT = {
    "tvm": (HEAD + "\nmx.tvmop.enabled\n", [(5, "mxnet.tvmop.enabled")]),
    "another library's store": (HEAD + "t = gluon.Trainer(p, 'sgd', kvstore='horovod')\n",
                                [(4, "kvstore='horovod'")]),
    "kernels at run time": (HEAD + "def f():\n    return mx.rtc.CudaModule('')\n", [(5, "mxnet.rtc.CudaModule")]),
    "libraries": (HEAD + "mx.library.load('a.so')\n", [(4, "mxnet.library.load")]),
    "an operator in a block": (
        HEAD + "class Net(gluon.HybridBlock):\n    def hybrid_forward(self, F, x):\n"
               "        return F.relu(x) + F.contrib.no_such(x)\n", [(6, "mxnet.nd.contrib.no_such")]),
    "misspelt": (HEAD + "layers = nn\nnet = layers.Dens(3)\nF = mx.nd\nF.sofmax(1)\n",
                 [(5, "mxnet.gluon.nn.Dens"), (7, "mxnet.nd.sofmax")]),
}


@pytest.mark.parametrize("program", ABSENT)
def test_what_is_absent_is_named_with_its_line(program):
    text, wanted = ABSENT[program]
    assert [(f.line, f.name) for f in check_text(text) if f.kind == "missing"] == wanted


def test_the_programs_of_this_project_miss_nothing():
    findings = check(ROOT / "tests" / "programs") + check(ROOT / "docs" / "programs")
    assert [f for f in findings if f.kind == "missing"] == []


def test_names_mean_what_they_are_bound_to():
    text = """
from mxnet import nd
def train(nd):
    nd.anything()
nd.anything
nd = {}
nd.anything
import numpy as mx
mx.anything
"""
    assert [(f.line, f.name) for f in check_text(text)] == [(5, "mxnet.nd.anything")]


def test_a_star_binds_what_the_module_offers():
    assert [f.name for f in check_text("from mxnet.gluon import *\nnn.Dense(3)\nnn.Dens(3)\n")] == [
        "mxnet.gluon.nn.Dens"]


def test_different_and_slow_names_are_there():
    text = HEAD + "".join(f"mx.{name}\n" for name in [*DIFFERENT, *SLOW])
    assert [f.kind for f in check_text(text)] == ["different"] * len(DIFFERENT) + ["slow"] * len(SLOW)


def test_downloads_are_named():
    assert {f.name.removeprefix("mxnet.") for f in check_text(HEAD + "".join(f"mx.{name}\n" for name in DOWNLOADS))
            if f.kind == "different"} == set(DOWNLOADS)


STORES = """
parser.add_argument("--kv-store", default="byteps")
parser.add_argument("--name", default="p3")
mx.kv.create("byteps")
mx.kvstore.create("horovod")
mx.gluon.Trainer(params, "sgd", {}, "nccl")
mx.gluon.Trainer(params, "sgd", kvstore="byteps")
mx.mod.Module(net).fit(data, kvstore="byteps")
mx.kv.create("dist_sync")
"""


def test_stores():
    assert [(f.line, f.kind, f.name) for f in check_text("import mxnet as mx" + STORES)] == [
        (2, "missing", "'byteps'"), (4, "missing", "'byteps'"), (5, "missing", "'horovod'"),
        (6, "missing", "'nccl'"), (7, "missing", "kvstore='byteps'"), (8, "missing", "kvstore='byteps'")]


def test_pretrained_weights():
    text = HEAD + ("net = mx.gluon.model_zoo.vision.resnet18_v1(pretrained=True)\n"
                   "net = mx.gluon.model_zoo.vision.get_model('alexnet', pretrained=args.pretrained)\n"
                   "net = mx.gluon.model_zoo.vision.resnet18_v1(pretrained=False)\n")
    first = HEAD.count("\n") + 1
    assert [(f.line, f.kind, f.name) for f in check_text(text)] == [
        (first, "different", "pretrained"), (first + 1, "different", "pretrained")]


def test_the_command(tmp_path, capsys):
    (tmp_path / "a.py").write_text(HEAD + "mx.nd.Custom\nmx.nd.costum\n")
    (tmp_path / "b.py").write_text(HEAD)
    assert cli.main(["check", str(tmp_path)]) == 1
    assert capsys.readouterr().out == (
        f"{tmp_path}/a.py:4: slow: mxnet.nd.Custom: a hybridized block with it in its graph runs operator by operator\n"
        f"{tmp_path}/a.py:5: missing: mxnet.nd.costum: mxnet.nd.costum is not implemented\n"
        "1 missing, 1 different or slow; see docs/differences.md\n")
    assert cli.main(["check", str(tmp_path / "b.py")]) == 0
    assert capsys.readouterr().out == "0 missing, 0 different or slow; see docs/differences.md\n"
    assert cli.main(["check", "absent.py"]) == 1
    assert capsys.readouterr().err == "minigluon check: error: there is no file or folder 'absent.py'\n"


def test_what_is_no_python(tmp_path):
    with pytest.raises(ArgumentError, match=r"^<text> is not valid for Python 3\.\d+\.\d+: "):
        check_text("print 'of Python 2'")
    with pytest.raises(ArgumentError, match="is not valid for Python"):
        check_text(b"\0")
