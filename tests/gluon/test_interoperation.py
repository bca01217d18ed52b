"""Networks go to the real MXNet 1.9.1 and come back: export there, import here, and the reverse; the same outputs.

What MXNet exported and computed is kept in tests/records/data/mxnet_exports.zip. MINIGLUON_MXNET_PYTHON=<interpreter
with MXNet 1.9.1> runs the real library, in both directions and with networks of full size.
"""

import json
import re
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest
from helpers import TESTS
from helpers.mxnet_arithmetic import with_mxnets_arithmetic
from records import DATA, MXNET
from records import export_cases as cases

import minigluon as mx
from minigluon import gluon, nd

needs_mxnet = pytest.mark.skipif(not MXNET, reason="MINIGLUON_MXNET_PYTHON does not name a Python with MXNet 1.9.1")


@pytest.fixture(scope="session")
def recorded(tmp_path_factory):
    """The folder of what MXNet has exported."""
    folder = tmp_path_factory.mktemp("exports")
    with zipfile.ZipFile(DATA / "mxnet_exports.zip") as archive:
        archive.extractall(folder)
    return folder


def input_names(name):
    count = len(cases.inputs_of(name))
    return ["data"] if count == 1 else [f"data{i}" for i in range(count)]


def imported(folder, name):
    return gluon.SymbolBlock.imports(folder / f"{name}-symbol.json", input_names(name), folder / f"{name}-0000.params")


def filled(name):
    """The network made here, with the values that it has in MXNet."""
    with mx.name.NameManager():
        net = cases.build(mx, name)
    net.initialize()
    net.hybridize()
    net(*[nd.array(a) for a in cases.inputs_of(name)])
    cases.fill(mx, net)
    return net


def assert_outputs(found, folder, name):
    found = cases.flat(found)
    with np.load(folder / f"{name}-outputs.npz") as stored:
        assert len(found) == len(stored.files)
        for y, key in zip(found, stored.files, strict=True):
            assert y.shape == stored[key].shape
            np.testing.assert_allclose(y.asnumpy(), stored[key], rtol=1e-5, atol=1e-5, err_msg=f"{name} {key}")


# -- what MXNet exported, here ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("hybridize", [False, True], ids=["imperative", "hybridized"])
@pytest.mark.parametrize("name", cases.NAMES)
def test_mxnets_exports_compute_the_same_here(recorded, name, hybridize):
    block = imported(recorded, name)
    if hybridize:
        block.hybridize()
    assert_outputs(block(*[nd.array(a) for a in cases.inputs_of(name)]), recorded, name)


@pytest.mark.parametrize("name", cases.NAMES)
def test_the_networks_made_here_compute_the_same(recorded, name):
    """From the source instead of the file."""
    assert_outputs(filled(name)(*[nd.array(a) for a in cases.inputs_of(name)]), recorded, name)


@pytest.mark.parametrize("name", cases.NAMES)
def test_exports_are_mxnets_files(recorded, name, tmp_path):
    """The same graph in the same order, but for arithmetic that broadcasts; the parameters byte for byte."""
    net = filled(name)
    assert net.export(str(tmp_path / name)) is None
    ours, theirs = (Path(f, f"{name}-symbol.json").read_text() for f in (tmp_path, recorded))
    assert with_mxnets_arithmetic(ours) == theirs
    ours, theirs = (Path(f, f"{name}-0000.params").read_bytes() for f in (tmp_path, recorded))
    assert ours == theirs


@pytest.mark.parametrize("name", cases.NAMES)
def test_an_imported_network_is_exported_as_it_was(recorded, name, tmp_path):
    imported(recorded, name).export(str(tmp_path / "again"), epoch=12)
    assert (tmp_path / "again-symbol.json").read_bytes() == (recorded / f"{name}-symbol.json").read_bytes()
    assert (tmp_path / "again-0012.params").read_bytes() == (recorded / f"{name}-0000.params").read_bytes()


def test_parameters_of_an_export_load_into_the_network_that_was_written_down(recorded):
    """`load_parameters` takes files of `export`, too."""
    with mx.name.NameManager():
        net = cases.build(mx, "residual")
    net.load_parameters(recorded / "residual-0000.params")
    assert_outputs(net(nd.array(cases.inputs_of("residual")[0])), recorded, "residual")


def test_features_from_the_middle_of_mxnets_network(recorded):
    """The outputs of two layers inside, and training of what was added."""
    whole = mx.sym.load(recorded / "narrow_lenet-symbol.json")
    inside = whole.get_internals()
    assert inside.list_outputs()[-1] == "lenet_dense1_fwd_output"
    block = gluon.SymbolBlock([inside["lenet_pool1_fwd_output"], inside["lenet_dense0_relu_fwd_output"], whole],
                              mx.sym.var("data"))
    block.collect_params().load(recorded / "narrow_lenet-0000.params")
    pooled, hidden, out = block(nd.array(cases.inputs_of("narrow_lenet")[0]))
    assert (pooled.shape, hidden.shape) == ((2, 6, 2, 2), (2, 12))
    assert float(hidden.min()) == 0
    assert_outputs(out, recorded, "narrow_lenet")


# -- the real library -------------------------------------------------------------------------------------------------


def run_mxnet(*arguments):
    subprocess.run([MXNET, "-m", "records.record_mxnet_exports", *arguments], cwd=TESTS, check=True,
                   capture_output=True, text=True)


@needs_mxnet
@pytest.mark.parametrize("name", [*cases.NAMES, *cases.LARGE])
def test_mxnet_imports_what_is_exported_here(tmp_path, name):
    net = filled(name)
    inputs = cases.inputs_of(name)
    net.export(str(tmp_path / name))
    np.savez(tmp_path / f"{name}-inputs.npz", *inputs)
    (tmp_path / f"{name}-inputs.json").write_text(json.dumps(input_names(name)))
    run_mxnet("check", tmp_path, name)
    assert_outputs(net(*map(nd.array, inputs)), tmp_path, name)
    assert (tmp_path / f"{name}-again.json").read_text() == (tmp_path / f"{name}-symbol.json").read_text()


@needs_mxnet
@pytest.mark.parametrize("name", [*cases.NAMES, *cases.LARGE])
def test_what_mxnet_exports_now_is_imported(tmp_path, name):
    run_mxnet("export", tmp_path, name)
    block = imported(tmp_path, name)
    assert_outputs(block(*map(nd.array, cases.inputs_of(name))), tmp_path, name)


@needs_mxnet
def test_mxnet_imports_an_import_that_is_part_of_another_network(recorded, tmp_path):
    """A SymbolBlock inside a block, exported as one graph."""
    net = gluon.nn.HybridSequential(prefix="outer_")
    with net.name_scope():
        net.add(imported(recorded, "residual"), gluon.nn.Dense(2))
    net[1].initialize()
    x = cases.inputs_of("residual")[0]
    expected = net(nd.array(x))
    net.export(str(tmp_path / "outer"))
    np.savez(tmp_path / "outer-inputs.npz", x)
    (tmp_path / "outer-inputs.json").write_text('["data"]')
    run_mxnet("check", tmp_path, "outer")
    assert_outputs(expected, tmp_path, "outer")
    text = (tmp_path / "outer-symbol.json").read_text()
    assert len(re.findall('"name": "resnet_conv0_weight"', text)) == 1
