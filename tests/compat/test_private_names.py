"""Names with a leading underscore that programs written for MXNet use. Here they are all listed."""

import importlib
import multiprocessing.pool
import pickle
import threading
import time

import pytest

import minigluon as mx
from minigluon import nd
from minigluon.interop.mxnet.private_names import ALIASES, KEPT, value_of

pytestmark = pytest.mark.once

NAMES = [
    "attribute.AttrScope._current",
    "base._as_list",
    "context.Context._default_ctx",
    "contrib.amp._amp_initialized",
    "gluon.HybridBlock._cached_graph",
    "gluon.HybridBlock._clear_cached_op",
    "gluon.HybridBlock._in_format",
    "gluon.HybridBlock._out_format",
    "gluon.Parameter._ctx_list",
    "gluon.Parameter._ctx_map",
    "gluon.Parameter._deferred_init",
    "gluon.Parameter._grad_stype",
    "gluon.Parameter._stype",
    "gluon.SymbolBlock._in_format",
    "gluon.SymbolBlock._out_format",
    "gluon.Trainer._init_kvstore",
    "gluon.Trainer._init_params",
    "gluon.Trainer._kv_initialized",
    "gluon.Trainer._params_to_init",
    "gluon.Trainer._update_on_kvstore",
    "gluon.block._flatten",
    "gluon.data.DataLoader._pin_memory",
    "gluon.data.dataloader.ForkingPickler",
    "gluon.data.dataloader._MultiWorkerIter",
    "gluon.data.dataloader._as_in_context",
    "gluon.loss._apply_weighting",
    "gluon.loss._reshape_like",
    "gluon.utils._get_repo_file_url",
    "gluon.utils._get_repo_url",
    "metric.ndarray",
    "mod.BucketingModule._call_sym_gen",
    "mod.BucketingModule._compression_params",
    "mod.BucketingModule._context",
    "mod.BucketingModule._fixed_param_names",
    "mod.BucketingModule._group2ctxs",
    "mod.BucketingModule._state_names",
    "mod.BucketingModule._total_exec_bytes",
    "mod.BucketingModule._work_load_list",
    "mod.Module._kvstore",
    "mod.Module._optimizer",
    "mod.Module._total_exec_bytes",
    "mod.Module._update_on_kvstore",
    "mod.Module._updater",
    "mod.PythonModule._total_exec_bytes",
    "mod.SequentialModule._data_shapes",
    "mod.SequentialModule._meta_keys",
    "mod.SequentialModule._total_exec_bytes",
    "name.NameManager._current",
    "nd.NDArray._fresh_grad",
    "rnn.rnn_cell.GatedCell._hB",
    "rnn.rnn_cell.GatedCell._hW",
    "rnn.rnn_cell.GatedCell._iB",
    "rnn.rnn_cell.GatedCell._iW",
]


def found(name):
    """What a program finds under the name, as a class or a module has it."""
    *path, last = name.split(".")
    importlib.import_module("minigluon.contrib.amp")        # its other names are refused, and it is not there unasked
    place = mx
    for part in path:
        place = getattr(place, part)
    return vars(place)[last]


def test_these_names_are_listed():
    assert sorted([*ALIASES, *KEPT]) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_listed_name_is_there(name):
    imported = ("gluon.data.dataloader.ForkingPickler", "metric.ndarray")       # what the module itself imports
    assert name.rpartition(".")[2].startswith("_") or name in imported
    if name in ALIASES:
        assert found(name) is value_of(name)
    else:
        found(name)


def test_as_list():
    from minigluon.base import _as_list
    both = (1, 2)
    assert _as_list(both) is both
    assert [_as_list(x) for x in ([3], 3, "ab", None)] == [[3], [3], ["ab"], [None]]


def test_all_of_autograd_is_imported_with_the_class_of_arrays():
    names = {}
    exec("from minigluon.autograd import *", names)
    assert names["NDArray"] is mx.nd.NDArray
    assert names["record"] is mx.autograd.record


@pytest.mark.parametrize("kvstore", ["device", None, "teststore"])
def test_the_store_of_a_trainer_before_and_after_the_first_step(kvstore):
    net = mx.gluon.nn.Dense(1)
    net.initialize()
    trainers = [mx.gluon.Trainer(net.collect_params(), "sgd", kvstore=kvstore) for _ in range(2)]
    assert [trainer._kv_initialized for trainer in trainers] == [False, False]
    with mx.autograd.record():
        loss = net(nd.ones((1, 2))).sum()
    loss.backward()
    trainers[0]._init_kvstore()
    trainers[1].step(1)
    assert [trainer._kv_initialized for trainer in trainers] == [True, True]
    assert [bool(trainer._update_on_kvstore) for trainer in trainers] == [False, False]


def test_a_store_that_makes_the_steps():
    net = mx.gluon.nn.Dense(1, in_units=1)
    net.initialize()
    assert mx.gluon.Trainer(net.collect_params(), "sgd", kvstore=mx.kv.create(), update_on_kvstore=True) \
        ._update_on_kvstore is True


def test_a_trainer_that_a_program_writes_sees_which_gradients_are_new():
    x = nd.ones(2)
    assert not x._fresh_grad
    with pytest.raises(mx.MXNetError, match=r"^_fresh_grad: the array has no gradient. Call attach_grad\(\) first.$"):
        x._fresh_grad = True
    net = mx.gluon.nn.Dense(1, in_units=1)
    net.initialize()
    weight = net.weight.data()
    assert not weight._fresh_grad
    with mx.autograd.record():
        loss = net(nd.ones((1, 1)))
    assert not weight._fresh_grad
    loss.backward()
    assert weight._fresh_grad
    weight._fresh_grad = False
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd")
    with pytest.raises(UserWarning, match="gradients have not been computed"):
        trainer.step(1)
    weight._fresh_grad = True
    trainer.step(1)
    assert not weight._fresh_grad


@pytest.mark.parametrize(("contexts", "by_store"), [([mx.cpu()], False), ([mx.cpu(0), mx.cpu(1)], True)])
def test_what_makes_the_steps_of_a_module(contexts, by_store):
    graph = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2), name="softmax")
    mod = mx.mod.Module(graph, context=contexts)
    assert (mod._updater, mod._optimizer, mod._kvstore) == (None, None, None)
    mod.bind([("data", (4, 3))], [("softmax_label", (4,))])
    mod.init_params()
    mod.init_optimizer()
    assert isinstance(mod._optimizer, mx.optimizer.SGD)
    assert mod._update_on_kvstore is by_store
    if by_store:
        assert mod._updater is None
        assert isinstance(mod._kvstore, mx.kv.KVStore)
    else:
        assert mod._updater.optimizer is mod._optimizer
        assert mod._kvstore is None


def test_the_place_of_published_files(monkeypatch):
    utils = mx.gluon.utils
    published = "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/"
    monkeypatch.delenv("MXNET_GLUON_REPO", raising=False)
    assert utils._get_repo_url() == published
    assert utils._get_repo_file_url("gluon/dataset", "a.zip") == published + "gluon/dataset/a.zip"
    monkeypatch.setenv("MXNET_GLUON_REPO", "https://example.org/mirror")
    assert utils._get_repo_url() == "https://example.org/mirror/"


def test_as_in_context():
    x = mx.nd.ones((2,))
    moved = mx.gluon.data.dataloader._as_in_context([x, (x, 3)], mx.cpu(1))
    assert moved[0].context == moved[1][0].context == mx.cpu(1)
    assert moved[1][1] == 3


def test_amp_is_not_in_use():
    from minigluon.contrib.amp import amp
    assert amp._amp_initialized is False


def _worker(indices, batchify_fn, dataset):
    return pickle.dumps(batchify_fn([dataset[i] for i in indices]))


class _Backwards(mx.gluon.data.dataloader._MultiWorkerIter):
    """An iterator of a library's own: other tasks for the same workers."""

    def _push_next(self):
        indices = next(self._iter, None)
        if indices is not None:
            self._data_buffer[self._sent_idx] = self._worker_pool.apply_async(
                self._worker_fn, (indices[::-1], self._batchify_fn, self._dataset))
            self._sent_idx += 1


@pytest.mark.parametrize(("kind", "first"), [(mx.gluon.data.dataloader._MultiWorkerIter, [0, 1]), (_Backwards, [1, 0])])
def test_batches_of_a_pool_keep_their_order(kind, first):
    with multiprocessing.pool.ThreadPool(2) as pool:
        batches = kind(pool, list, [[0, 1], [2], [3]], worker_fn=_worker, prefetch=2, dataset=range(4))
        assert len(batches) == 3
        assert list(batches) == [first, [2], [3]]


def test_a_worker_raises_and_is_waited_for():
    iterator = mx.gluon.data.dataloader._MultiWorkerIter
    with multiprocessing.pool.ThreadPool(1) as pool:
        with pytest.raises(IndexError):
            next(iterator(pool, list, [[9]], worker_fn=_worker, dataset=range(4)))
        slow = iterator(pool, list, [[0]], worker_fn=lambda *_: time.sleep(0.1), timeout=0.01)
        with pytest.raises(multiprocessing.TimeoutError, match="batch 0 was not ready within 0.01 seconds"):
            next(slow)


class _Doubled(mx.gluon.Parameter):
    """Takes the place of another Parameter and changes its data, as a library's dropped weights do."""

    def __init__(self, other):
        super().__init__(other.name, shape=other._shape, allow_deferred_init=other._allow_deferred_init)
        self._deferred_init = other._deferred_init
        self._data, self._grad, self._var, self._trainer = other._data, other._grad, other._var, other._trainer
        self._ctx_list, self._ctx_map = other._ctx_list, other._ctx_map

    def data(self, ctx=None):
        return 2 * self._check_and_get(self._data, ctx)


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("when", ["before initialize", "before the shape", "with values"])
def test_a_parameter_in_the_place_of_another(when, hybridize):
    net = mx.gluon.nn.Dense(1, use_bias=False)
    assert (net.weight._deferred_init, net.weight._ctx_list, net.weight._ctx_map) == ((), None, None)
    if when != "before initialize":
        net.initialize(mx.init.One(), ctx=mx.cpu(1))
        assert len(net.weight._deferred_init) == 4
    x = nd.ones((1, 3), ctx=mx.cpu(1))
    if when == "with values":
        net(x)
        assert net.weight._ctx_list == [mx.cpu(1)]
    net.params._params[net.weight.name] = net._reg_params["weight"] = _Doubled(net.weight)
    if when == "before initialize":
        net.initialize(mx.init.One(), ctx=mx.cpu(1))
    if hybridize:
        net.hybridize()
    assert net(x).asscalar() == 6


def in_a_thread(function):
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


def test_scopes_of_threads():
    with mx.name.Prefix("p_"), mx.AttrScope(ctx_group="g"), mx.Context("cpu", 3):
        assert type(mx.name.NameManager._current.value) is mx.name.Prefix
        assert mx.AttrScope._current.value.get(None) == {"ctx_group": "g"}
        assert mx.Context._default_ctx.value == mx.cpu(3)
        assert in_a_thread(lambda: (type(mx.name.NameManager._current.value), mx.AttrScope._current.value.get(None),
                                    mx.Context._default_ctx.value)) == (mx.name.NameManager, {}, mx.cpu(0))


def carried():
    mx.name.NameManager._current.value = mx.name.Prefix("q_")
    mx.AttrScope._current.value = mx.AttrScope(foo="1")
    mx.Context._default_ctx.value = mx.cpu(2)
    x = mx.sym.var("x")
    return mx.sym.relu(x).name, x.attr("foo"), mx.nd.ones(1).context


def test_scopes_may_be_set():
    assert in_a_thread(carried) == ("q_relu0", "1", mx.cpu(2))
    assert mx.current_context() == mx.cpu(0)


def test_options_of_a_bucketing_module():
    """The values are those of MXNet 1.9.1."""
    def graph(length):
        return mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc"), ["data"], None
    module = mx.mod.BucketingModule(graph, 3)
    assert module._call_sym_gen(3)[1:] == (["data"], None)
    assert (module._context, module._fixed_param_names, module._state_names) == (mx.cpu(), [], [])
    assert module._work_load_list is module._group2ctxs is module._compression_params is None
    module = mx.mod.BucketingModule(graph, 3, context=[mx.cpu(0), mx.cpu(1)], fixed_param_names=["fc_bias"])
    assert (module._context, module._fixed_param_names) == ([mx.cpu(0), mx.cpu(1)], ["fc_bias"])
    chain = mx.mod.SequentialModule()
    assert (chain._data_shapes, chain._meta_keys) == (None, {"take_labels", "auto_wiring"})
    assert module._total_exec_bytes == chain._total_exec_bytes == mx.mod.PythonLossModule()._total_exec_bytes == 0


def test_a_context_cannot_become_another():
    """Equal contexts are one object here, so an attribute that is set would move the arrays of the whole program."""
    for name, value in ("device_typeid", 2), ("device_id", 3), ("device_type", "gpu"):
        with pytest.raises(mx.base.ContextError, match=rf"{name} of cpu\(0\) is fixed"):
            setattr(mx.cpu(), name, value)
    assert str(mx.cpu()) == "cpu(0)"
