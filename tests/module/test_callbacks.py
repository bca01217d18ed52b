"""mx.callback, mx.monitor: what hangs into training. The lines are those of MXNet 1.9.1."""

import logging
import re
from types import SimpleNamespace

import pytest

import minigluon as mx
from minigluon import nd

pytestmark = pytest.mark.once


@pytest.fixture
def lines(caplog):
    """A function that returns the lines logged so far, with S for speeds."""
    caplog.set_level(logging.INFO)
    return lambda: [re.sub(r"[\d.]+ samples", "S samples", record.getMessage()) for record in caplog.records]


def metric():
    made = mx.metric.Accuracy()
    made.update([nd.array([1])], [nd.array([[0, 1]])])
    return made


def run(callback, batches, eval_metric):
    for number in batches:
        callback(SimpleNamespace(epoch=1, nbatch=number, eval_metric=eval_metric, locals={}))


def test_speedometer(lines):
    run(mx.callback.Speedometer(4, 2), [0, 1, 2, 3, 4, 0, 1, 2], metric())
    run(mx.callback.Speedometer(4, 2, auto_reset=False), range(5), metric())
    run(mx.callback.Speedometer(4, 2), range(3), None)
    both = mx.metric.CompositeEvalMetric([metric(), metric()])
    run(mx.callback.Speedometer(4, 2), range(3), both)
    assert lines() == [
        "Epoch[1] Batch [0-2]\tSpeed: S samples/sec\taccuracy=1.000000",
        "Epoch[1] Batch [2-4]\tSpeed: S samples/sec\taccuracy=nan",
        "Epoch[1] Batch [0-2]\tSpeed: S samples/sec\taccuracy=nan",
        "Epoch[1] Batch [0-2]\tSpeed: S samples/sec\taccuracy=1.000000",
        "Epoch[1] Batch [0-4]\tSpeed: S samples/sec\taccuracy=1.000000",
        "Iter[1] Batch [2]\tSpeed: S samples/sec",
        "Epoch[1] Batch [0-2]\tSpeed: S samples/sec\taccuracy=1.000000\taccuracy=1.000000",
    ]


def test_other_lines(lines):
    run(mx.callback.ProgressBar(total=10, length=20), [0, 3, 10], None)
    run(mx.callback.log_train_metric(2, auto_reset=True), range(4), metric())
    run(mx.callback.LogValidationMetricsCallback(), [3], metric())
    run(mx.callback.LogValidationMetricsCallback(), [3], None)
    assert lines() == ["[--------------------] 0%\r", "[======--------------] 30%\r", "[====================] 100%\r",
                       "Iter[1] Batch[0] Train-accuracy=1.000000", "Iter[1] Batch[2] Train-accuracy=nan",
                       "Epoch[1] Validation-accuracy=1.000000"]


def test_checkpoints(tmp_path, lines):
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    callback = mx.callback.do_checkpoint(str(tmp_path / "m"), period=2)
    for epoch in range(4):
        callback(epoch, symbol, {"fc_weight": nd.ones((2, 3))}, {})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m-0002.params", "m-0004.params", "m-symbol.json"]
    assert lines()[0] == f'Saved checkpoint to "{tmp_path}/m-0002.params"'
    saved = []
    module = SimpleNamespace(save_checkpoint=lambda *args: saved.append(args))
    for epoch in range(4):
        mx.callback.module_checkpoint(module, "m", 3, save_optimizer_states=True)(epoch)
    assert saved == [("m", 3, True)]


# -- Monitor ----------------------------------------------------------------------------------------------------------


def executor():
    symbol = mx.sym.BatchNorm(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc"), name="bn")
    made = symbol.simple_bind(mx.cpu(), data=(2, 3))
    for array in made.arg_dict.values():
        array[:] = 1
    return made


def test_monitor(lines):
    made = executor()
    monitor = mx.monitor.Monitor(2)
    monitor.install(made)
    seen = []
    for _ in range(3):
        monitor.tic()
        made.forward(is_train=True)
        seen.append(monitor.toc())
    assert seen[1] == []
    assert [(step, name) for step, name, _ in seen[2]] == [(3, name) for _, name, _ in seen[0]]
    names = [name for _, name, _ in seen[0]]
    assert names[0] == "fc_output"
    assert names[-7:] == ["data", "fc_weight", "fc_bias", "bn_gamma", "bn_beta", "bn_moving_mean", "bn_moving_var"]
    assert (1, "fc_output", "4.0\t") in seen[0]
    monitor.tic()
    monitor.tic()
    made.forward()
    monitor.toc_print()
    assert "Batch:       5 fc_output                      4.0\t" in lines()


def test_monitor_of_some_names_with_another_statistic():
    made = executor()
    monitor = mx.mon.Monitor(1, stat_func=lambda x: [x.max(), x], pattern=".*weight|.*bias", sort=True)
    monitor.install(made)
    monitor.tic()
    made.forward()
    found = monitor.toc()
    assert [name for _, name, _ in found] == ["fc_bias", "fc_weight"]
    assert found[0][2] == "1.0\t[1. 1.]\t"
    wrong = mx.mon.Monitor(1, stat_func=lambda x: 3)
    wrong.install(made)
    wrong.tic()
    made.forward()
    with pytest.raises(mx.MXNetError, match="^Monitor: stat_func must return an NDArray or a list of them; for "
                                            "'fc_output' it returned int$"):
        wrong.toc()


def test_the_statistics_are_written_as_mxnet_writes_float32_and_leave_gradients_alone():
    made = executor()
    made.arg_dict["fc_weight"][:] = 0.1
    monitor = mx.mon.Monitor(1, pattern="fc_weight")
    monitor.install(made)
    monitor.tic()
    made.forward(is_train=True)
    made.backward(nd.ones((2, 2)))
    assert monitor.toc() == [(1, "fc_weight", "0.1\t")]
    assert made.grad_dict["bn_beta"].asnumpy().tolist() == [2, 2]
