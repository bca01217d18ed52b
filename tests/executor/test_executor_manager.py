"""`mx.executor_manager`, trained by hand. The expected numbers are what MXNet 1.9.1 printed for the same program."""

import logging

import numpy as np
import pytest

import minigluon as mx
from minigluon.base import ArgumentError, MXNetError


def symbol(key=None):
    """A perceptron on the sum over each sample, which takes samples of any length."""
    total = mx.sym.sum(mx.sym.var("data"), axis=1, keepdims=True)
    hidden = mx.sym.Activation(mx.sym.FullyConnected(total, num_hidden=4, name="a"), act_type="tanh")
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(hidden, num_hidden=3, name="b"), name="softmax")


NAMES = ["a_weight", "a_bias", "b_weight", "b_bias"]


def manager(numbers, devices=1, load=None, **options):
    data = mx.io.NDArrayIter(numbers.randn(18, 5), numbers.randint(0, 3, 18).astype("float32"), 6)
    data.default_bucket_key = 5
    made = mx.executor_manager.DataParallelExecutorManager(
        symbol(), [mx.cpu(i) for i in range(devices)], data, symbol().list_arguments(), NAMES, [], load, **options)
    return made, data


@pytest.mark.parametrize(("devices", "load", "buckets", "expected"), [
    (1, None, False, [0.7092, 0.1535, 10.0889, -0.4247]), (2, [1, 2], False, [0.7092, 0.1535, 10.0889, -0.4247]),
    (1, None, True, [0.5728, 0.058, 10.0889, -0.4247]), (2, None, True, [0.5728, 0.058, 10.0889, -0.4247])])
def test_training(devices, load, buckets, expected):
    numbers, metric = np.random.RandomState(0), mx.metric.create("acc")
    made, data = manager(numbers, devices, load, sym_gen=symbol if buckets else None)
    values = {name: mx.nd.array(numbers.randn(*shape))
              for name, shape in zip(NAMES, [(4, 1), (4,), (3, 4), (3,)], strict=True)}
    made.set_params(values, {})
    for step, batch in enumerate(data):
        if buckets:
            x = batch.data[0] if step != 1 else mx.nd.concat(batch.data[0], batch.data[0], dim=1)
            batch = mx.io.DataBatch([x], batch.label, bucket_key=x.shape[1], provide_data=[("data", x.shape)],
                                    provide_label=[("softmax_label", (6,))])
        made.load_data_batch(batch)
        made.forward(is_train=True)
        made.backward()
        made.update_metric(metric, batch.label)
        for weights, grads in zip(made.param_arrays, made.grad_arrays, strict=True):
            total = sum(g.asnumpy() for g in grads)
            for w in weights:
                w[:] = w - mx.nd.array(total * 0.1, ctx=w.context)
    made.copy_to(values, {})
    assert [round(float(values[name].asnumpy().sum()), 4) for name in NAMES] == expected
    assert metric.get() == ("accuracy", pytest.approx(5 / 18))
    assert len(made.curr_execgrp.train_execs) == devices


def test_what_is_logged(caplog):
    with caplog.at_level(logging.INFO):
        manager(np.random.RandomState(0), 2)
    assert caplog.messages == ["Start training with [cpu(0), cpu(1)]"]


def same_names():
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    return mx.sym.FullyConnected(x, num_hidden=2, name="fc")


@pytest.mark.parametrize(("run", "kind", "text"), [
    (lambda numbers: manager(numbers, 2, [1]), ArgumentError,
     "DataParallelExecutorManager: work_load_list [1] has 1 numbers for 2 devices"),
    (lambda numbers: manager(numbers)[0].forward(), MXNetError,
     "forward: no batch has been loaded yet. Call load_data_batch first."),
    (lambda numbers: manager(numbers, sym_gen=symbol)[0].install_monitor(mx.mon.Monitor(1)), MXNetError,
     "install_monitor: the executors of buckets are created when their batches come. Install the monitor on "
     "manager.curr_execgrp after load_data_batch."),
    (lambda numbers: mx.executor_manager.DataParallelExecutorGroup(same_names(), [], [], [], [], None), ArgumentError,
     "executor_manager: two arguments of the symbol are called 'fc_weight'. Give their operators different names."),
])
def test_wrong_use(run, kind, text):
    with pytest.raises(kind) as caught:
        run(np.random.RandomState(0))
    assert str(caught.value) == text
