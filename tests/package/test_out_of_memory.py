"""Where memory is out, an MXNetError says so, whichever door it came through."""

import sys

import numpy as np
import pytest
from campaign.counts import limited

import minigluon as mx
from minigluon import image, nd

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the memory of the process")
MEMORY = 48 << 20


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Arrays whose copies are too large for the limit."""
    folder = tmp_path_factory.mktemp("memory")
    x = nd.ones((1 << 25,))
    for name in "x.params", "x.npz":
        nd.save(str(folder / name), {"x": x})
    wide = nd.sparse.csr_matrix((np.ones(1, "float32"), np.array([0]), np.array([0, 1])), shape=(1, 1 << 40))
    return {"bytes": np.ones(1 << 27, "uint8"), "list": [0.5] * (1 << 24), "x": x, "folder": folder, "wide": wide,
            "rows": nd.sparse.row_sparse_array((np.ones((1, 4), "float32"), [0]), shape=(1 << 40, 4)),
            "image": nd.ones((100, 100, 3), dtype="uint8")}


@pytest.mark.parametrize("call", [
    lambda g: nd.array(g["bytes"]), lambda g: nd.array(g["list"]), lambda g: g["x"].asnumpy(), lambda g: g["x"].copy(),
    lambda g: g["x"].astype("float64"), lambda g: g["x"][::2], lambda g: g["x"].as_in_context(mx.cpu(1)),
    lambda g: g["x"] + 1, lambda g: nd.zeros((1 << 36,)), lambda g: nd.arange(1 << 36),
    lambda g: nd.concat(g["x"], g["x"], dim=0),
    lambda g: nd.save(str(g["folder"] / "y.npz"), {"x": g["x"]}), lambda g: nd.save(str(g["folder"] / "y"), g["x"]),
    lambda g: nd.load(str(g["folder"] / "x.npz")), lambda g: nd.load(str(g["folder"] / "x.params")),
    lambda g: g["wide"].tostype("default"), lambda g: g["wide"].asnumpy(), lambda g: g["rows"].asnumpy(),
    lambda g: g["wide"] + 1, lambda g: g["x"].reshape((-1, 1)).tostype("row_sparse"),
    lambda g: g["x"].reshape((1, -1)).tostype("csr"), lambda g: nd.sparse.zeros("csr", (1 << 34, 4)),
    lambda g: image.imresize(g["image"], 20000, 20000), lambda g: image.resize_short(g["image"], 30000),
    lambda g: image.copyMakeBorder(g["image"], 10000, 10000, 10000, 10000),
    lambda g: nd.image.resize(g["image"], (20000, 20000)),
    lambda g: mx.io.NDArrayIter(g["bytes"].reshape(-1, 1 << 20), batch_size=64),
    lambda g: mx.gluon.Parameter("w", shape=(1 << 34,)).initialize(),
])
def test_it_is_an_mxnet_error(call, given):
    with pytest.raises(mx.MXNetError) as error, limited(MEMORY):
        call(given)
    assert "memory" in str(error.value) or "Unable to allocate" in str(error.value)


def test_the_messages(given):
    for call, text in [
            (lambda: given["x"].asnumpy(), "there is no memory for an array of shape (33554432,) and dtype float32"),
            # NumPy's array of the list, or the copy of it: it depends on what the process has freed before
            (lambda: nd.array(given["list"]), (
                "nd.array: there is not enough memory: Unable to allocate 64.0 MiB",
                "there is no memory for an array of shape (16777216,) and dtype float32")),
            (lambda: given["wide"].asnumpy(), "asnumpy: there is not enough memory: Unable to allocate 4.00 TiB")]:
        with pytest.raises(mx.MXNetError) as error, limited(MEMORY):
            call()
        assert str(error.value).startswith(text)
