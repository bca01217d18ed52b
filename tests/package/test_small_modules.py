"""mx.engine, mx.log, mx.runtime, mx.util, what is left out on purpose, and class properties of older programs."""

import concurrent.futures
import logging
import re

import numpy as np
import pytest
from helpers.errors import message

import minigluon as mx
from minigluon import nd

pytestmark = pytest.mark.once


def test_engine():
    before = mx.engine.set_bulk_size(10)
    assert mx.engine.set_bulk_size(before) == 10
    with mx.engine.bulk(5):
        assert mx.engine.set_bulk_size(7) == 5
    assert mx.engine.set_bulk_size(before) == before
    assert message(ValueError, mx.engine.set_bulk_size, -1) == \
        "set_bulk_size: size is -1, expected a number of operators, 0 or more"


def test_log(tmp_path, capsys):
    path = tmp_path / "log.txt"
    logger = mx.log.get_logger("minigluon.test.file", filename=str(path), level=mx.log.INFO)
    logger.info("hello %d", 3)
    logger.debug("too small")
    assert re.fullmatch(r"I\d{4} \d\d:\d\d:\d\d \d+ .*test_small_modules.py:test_log:\d+\] hello 3\n", path.read_text())
    assert mx.log.get_logger("minigluon.test.file") is logger
    assert len(logger.handlers) == 1
    with pytest.warns(DeprecationWarning, match="getLogger is deprecated, use get_logger"):
        assert mx.log.getLogger() is logging.getLogger()


def test_features():
    features = mx.runtime.Features()
    assert features is mx.runtime.Features()
    assert len(features) == 32
    assert features.is_enabled("profiler")
    assert not features.is_enabled("MKLDNN")
    assert str(features).startswith("[✖ CUDA" if not mx.num_gpus() else "[✔ CUDA")
    assert [feature.name for feature in mx.runtime.feature_list()] == list(features)
    assert message(ValueError, features.is_enabled, "OPENMPI").startswith(
        "no feature is called 'OPENMPI'. Did you mean 'OPENMP'")


def test_util(monkeypatch):
    monkeypatch.delenv("MINIGLUON_TEST", raising=False)
    mx.util.setenv("MINIGLUON_TEST", 3)
    assert mx.util.getenv("MINIGLUON_TEST") == "3"
    mx.util.setenv("MINIGLUON_TEST", None)
    assert mx.util.getenv("MINIGLUON_TEST") is None
    assert mx.util.get_gpu_count() == mx.num_gpus()

    @mx.util.set_module("elsewhere")
    def function():
        pass
    assert function.__module__ == "elsewhere"


def test_what_is_left_out_says_so():
    for read in (lambda: mx.tvmop, lambda: mx.rtc):
        assert issubclass(type(pytest.raises(AttributeError, read).value), mx.MXNetError)
    assert not hasattr(mx, "rtc")
    plain = pytest.raises(AttributeError, lambda: mx.no_such_thing).value
    assert not isinstance(plain, mx.MXNetError)
    assert str(plain) == "module 'mx' has no attribute 'no_such_thing'"


THREE = np.int64(3)


@pytest.mark.parametrize("call", [
    lambda: mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2).simple_bind(mx.cpu(), data=(THREE, 4)),
    lambda: mx.sym.var("x", shape=(THREE, 4)).infer_shape(),
    lambda: mx.gluon.utils.split_data(nd.ones((3, 2)), THREE, batch_axis=np.int64(0)),
    lambda: repr(mx.gluon.rnn.LSTM(4, THREE)),
    lambda: mx.gluon.nn.ReflectionPad2D(THREE)(nd.ones((1, 1, 4, 4))),
    lambda: mx.gluon.contrib.nn.PixelShuffle1D(THREE)(nd.ones((1, 3, 2))),
    lambda: mx.gluon.contrib.rnn.Conv2DRNNCell((1, 4, 4), 2, THREE, THREE),
    lambda: mx.gluon.data.vision.transforms.RandomCrop(2, pad=THREE)(nd.ones((4, 4, 3), dtype="uint8")),
    lambda: mx.lr_scheduler.CosineScheduler(THREE, warmup_steps=np.int64(1))(np.int64(2)),
    lambda: mx.engine.set_bulk_size(np.int64(mx.engine.set_bulk_size(0))),
    lambda: mx.contrib.text.vocab.Vocabulary().to_tokens(np.int64(0)),
    lambda: nd.split_v2(nd.ones((3, 2)), THREE),
    lambda: nd.moveaxis(nd.ones((3, 2)), np.int64(0), np.int64(1)),
])
def test_integers_of_numpy_are_integers(call):
    call()


def test_a_declared_shape_of_numpys_integers_is_written_as_one_of_pythons():
    assert mx.sym.var("x", shape=(THREE, 4)).attr("__shape__") == "(3, 4)"


# -- what holds in a thread, read and set by a name of the class ------------------------------------------------------


@pytest.fixture
def thread():
    """Run a function in a thread of its own, where nothing has been set."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        yield lambda function: pool.submit(function).result()


def test_the_current_device_by_its_older_name(thread):
    def set_and_read():
        with pytest.warns(DeprecationWarning, match="^Context.default_ctx is deprecated. Read mx.current_context"):
            mx.Context.default_ctx = mx.cpu(2)
        with mx.cpu(1), pytest.deprecated_call():
            inside = mx.Context.default_ctx
        with pytest.raises(mx.base.ContextError), pytest.deprecated_call():
            mx.Context.default_ctx = 5
        return inside, mx.nd.ones(1).context
    assert thread(set_and_read) == (mx.cpu(1), mx.cpu(2))
    with pytest.deprecated_call():
        assert mx.Context.default_ctx == mx.cpu(0)


def test_the_current_names_may_be_set(thread):
    def set_and_count():
        mx.name.NameManager.current = prefix = mx.name.Prefix("p_")
        with pytest.warns(DeprecationWarning, match="^NameManager.current is deprecated. Write `with NameManager"):
            assert mx.name.NameManager.current is prefix
        with mx.name.NameManager():
            inside = mx.sym.relu(mx.sym.var("x")).name
        with pytest.raises(TypeError, match="^NameManager.current must be a NameManager, found None$"):
            mx.name.NameManager.current = None
        return [mx.sym.relu(mx.sym.var("x")).name, inside, mx.sym.relu(mx.sym.var("x")).name]
    assert thread(set_and_count) == ["p_relu0", "relu0", "p_relu1"]


def test_the_current_attributes_may_be_set(thread):
    def set_and_mark():
        def made():
            return mx.sym.relu(mx.sym.var("x")).list_attr()
        with mx.AttrScope(x="1") as scope, pytest.deprecated_call():
            assert mx.AttrScope.current is scope
        with pytest.warns(DeprecationWarning, match=r"^AttrScope.current is deprecated. Write `with AttrScope\("):
            mx.AttrScope.current = mx.AttrScope(y="1")
        with mx.AttrScope(z="2"):
            inside = made()
        with pytest.raises(TypeError, match="^AttrScope.current must be an AttrScope, found 5$"), \
                pytest.deprecated_call():
            mx.AttrScope.current = 5
        return made(), inside
    assert thread(set_and_mark) == ({"y": "1"}, {"y": "1", "z": "2"})
    assert mx.sym.relu(mx.sym.var("x")).list_attr() == {}
