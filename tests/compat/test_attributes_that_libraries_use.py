"""What libraries written for MXNet do with its modules and with the private attributes of its classes.

The values are those of MXNet 1.9.1.
"""

import json
import os
import subprocess
import sys

import pytest
from helpers import ROOT

import minigluon as mx
from minigluon import gluon, nd
from minigluon.base import ArgumentError

pytestmark = pytest.mark.once

PROGRAM = """
import json, multiprocessing, sys
import minigluon.as_mxnet
import mxnet as mx
from mxnet import autograd, gluon, nd

found = {"modules": [name in sys.modules for name in ("mxnet.ndarray", "mxnet.gluon.data.vision", "mxnet.rnn.io",
                                                      "mxnet.module.executor_group", "multiprocessing.pool")],
         "same": sys.modules["mxnet.gluon"] is mx.gluon, "absent": "mxnet.numpy" in sys.modules}
names = {}
exec("from mxnet.test_utils import *", names)
found["star"] = [names["os"].__name__, names["np"].__name__, names["mx"] is mx, names["array"] is nd.array]

for hybridize in (False, True):
    net = gluon.nn.Dense(1, in_units=2, use_bias=False)
    net.initialize(mx.init.One())
    net.hybridize(hybridize)
    x, scale = nd.array([[1, 2]]), nd.array([3])
    scale.attach_grad()
    net(x)
    rows = found[f"replaced {hybridize}"] = [[len(net.weight._data), [a.shape for a in net.weight._data]]]
    for factor in (1, 2):
        with autograd.record():
            net.weight._data[0] = nd.ones((1, 2)) * scale * factor
            y = net(x)
        y.backward()
        rows.append([y.item(), scale.grad.item(), net.weight.data().sum().item(), net.weight._grad[0].sum().item()])
    net.weight._data = [nd.array([[5, 6]])]
    rows.append([net(x).item(), str(net.weight.list_ctx())])
    net.weight.set_data(nd.array([[7, 8]]))
    rows.append(net(x).item())
    net.weight._data = nd.array([[[1, 1]]])
    rows.append(net(x).item())
    try:
        net.weight._data = []
    except mx.base.MXNetError as error:
        rows.append(str(error))
    try:
        net.weight.data(mx.cpu(1))
    except mx.base.MXNetError as error:
        rows.append(str(error).partition(" Move")[0])
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found():
    """What a program sees under the name mxnet, in one process."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(ROOT), "MINIGLUON_BACKEND": "numpy"})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_import_loads_the_modules_that_mxnet_loads(found):
    assert found["modules"] == [True] * 5
    assert found["same"]
    assert not found["absent"]


def test_test_utils_brings_what_it_imports(found):
    assert found["star"] == ["os", "numpy", True, True]


@pytest.mark.parametrize("hybridize", [False, True])
def test_an_array_of_a_parameter_is_replaced_by_position(found, hybridize):
    shapes, first, second, listed, loaded, rows, refused, elsewhere = found[f"replaced {hybridize}"]
    assert shapes == [1, [[1, 2]]]
    assert first == [9, 3, 6, 0]
    assert second == [18, 6, 12, 0]         # the call prepared before sees the second replacement
    assert listed == [17, "[cpu(0)]"]
    assert (loaded, rows) == (23, 3)
    assert refused.endswith("its arrays are [], expected a list of NDArrays, one for each of its devices")
    assert elsewhere.endswith("is not on cpu(1); it is on cpu(0).")


def test_where_the_arrays_of_a_parameter_are():
    weight = gluon.Parameter("weight", shape=(2,))
    assert weight._ctx_map is None
    assert weight._ctx_list is None
    weight.initialize(ctx=[mx.cpu(0), mx.cpu(2)])
    assert weight._ctx_map == [[], [0, None, 1]]
    assert weight._ctx_list == [mx.cpu(0), mx.cpu(2)]


def test_storage_types_of_a_parameter():
    weight = gluon.Parameter("weight", shape=(2,), grad_stype="row_sparse")
    assert (weight._stype, weight._grad_stype) == ("default", "row_sparse")
    weight._grad_stype = "default"
    assert weight.grad_stype == "default"


def test_a_trainer_lists_what_its_store_lacks():
    known, deferred = gluon.nn.Dense(1, in_units=1), gluon.nn.Dense(1)
    known.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    deferred.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    params = [known.weight, deferred.weight]
    trainer = gluon.Trainer(params, "sgd")
    assert trainer._params_to_init == params
    trainer._init_kvstore()
    trainer._init_params()
    assert trainer._params_to_init == [deferred.weight]
    for ctx in (mx.cpu(0), mx.cpu(1)):
        deferred(nd.ones((1, 2), ctx=ctx))
    trainer._init_params()
    assert trainer._params_to_init == []


def test_the_graph_of_a_block():
    net = gluon.nn.Dense(1, in_units=2)
    net.initialize()
    net.hybridize()
    assert net._cached_graph == ()
    net(nd.ones((1, 2)))
    inputs, outputs = net._cached_graph
    assert [x.name for x in inputs] == ["data"]
    assert outputs.list_arguments() == ["data", net.weight.name, net.bias.name]
    with pytest.raises(ArgumentError, match=r"_cached_graph can be read, and reset by \(\), found a graph"):
        net._cached_graph = inputs, outputs
    net._cached_graph = ()
    assert net._cached_graph == ()
    block = gluon.SymbolBlock(outputs, inputs)
    assert block._cached_graph[1].list_outputs() == outputs.list_outputs()


def test_variables_of_a_symbolic_cell():
    cell = mx.rnn.LSTMCell(3, prefix="l_")
    assert [x.name for x in (cell._iW, cell._iB, cell._hW, cell._hB)] == [
        "l_i2h_weight", "l_i2h_bias", "l_h2h_weight", "l_h2h_bias"]
    cell._iW = mx.sym.var("mine")
    assert "mine" in cell(mx.sym.var("x"), cell.begin_state())[0].list_arguments()


RATES = {"_get_lr": lambda self, index: 0.5 + index, "_get_lrs": lambda self, indices: [0.25 + i for i in indices]}


@pytest.mark.parametrize("aggregate_num", [None, 0])
@pytest.mark.parametrize(("optimizer", "overridden", "wanted"), [
    ("Adam", ["_get_lr"], [0.5, -0.5]),
    ("Adam", ["_get_lrs"], [0.75, -0.25]),
    ("Adam", ["_get_lr", "_get_lrs"], [0.5, -0.5]),
    ("SGD", ["_get_lr"], [0.995, 0.995]),           # which asks only for the rates of a list
    ("SGD", ["_get_lrs"], [0.875, 0.375]),
    ("NAG", ["_get_lr"], [0.75, 0.25]),
])
def test_rates_that_a_program_overrides(optimizer, overridden, wanted, aggregate_num):
    """Keras's optimizers return no rates from `_get_lrs`, and count on `_get_lr` being asked."""
    base = getattr(mx.optimizer, optimizer)
    made = type("Own", (base,), {name: RATES[name] for name in overridden})()
    if aggregate_num is not None:
        made.aggregate_num = aggregate_num
    weights, grads = [nd.ones((1,)) for _ in range(2)], [nd.full((1,), 0.5) for _ in range(2)]
    mx.optimizer.get_updater(made)([0, 1], grads, weights)
    assert [weight.item() for weight in weights] == pytest.approx(wanted, abs=1e-5)
