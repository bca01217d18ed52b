"""Constructors refuse keywords that they do not have: by the public name of the class, with similar names."""

import inspect
import re
import warnings

import pytest

import minigluon as mx
from minigluon import gluon, nd
from minigluon.base import CallError, MXNetError
from minigluon.common.deprecation import deprecated_argument
from minigluon.diagnostics.keywords import ChecksKeywords
from minigluon.gluon import nn
from minigluon.gluon.contrib import cnn, data, estimator, rnn
from minigluon.gluon.data import batchify
from minigluon.gluon.data.vision import transforms
from minigluon.gluon.model_zoo import vision

pytestmark = pytest.mark.once

MODULES = [
    gluon, nn, gluon.rnn, gluon.loss, gluon.data, batchify, gluon.data.vision, transforms, gluon.contrib.nn, rnn, cnn,
    data, estimator, vision, mx.metric, mx.init, mx.lr_scheduler, mx.optimizer, mx.io, mx.image, mx.mod, mx.callback,
    mx.monitor, mx.rnn, mx.recordio, mx.kv, mx.contrib.text.vocab, mx.contrib.text.embedding, mx.contrib.io]

# Those of OPEN keep what they do not know, in their parameters. Those of IMAGES pass it to functions that check it, see
# tests/image, or check it themselves, since lenient runs ignore it. OTHERS are tuples, strings and classes that are no
# part of a network, its data or its training.
OPEN = {"EvalMetric", "Initializer", "Augmenter", "DetAugmenter"}
IMAGES = {"CSVIter", "LibSVMIter", "MNISTIter", "ImageDetRecordIter", "ImageRecordInt8Iter", "ImageRecordIter",
          "ImageRecordUInt8Iter", "ImageDetIter",
          "ImageIter", "FeedForward"}
OTHERS = {"InitDesc", "DataDesc", "HEADER", "HookHandle", "CopiedParameter", "Updater", "BatchProcessor",
          "LogValidationMetricsCallback", "RandomSizedCropAug", "parameter_snapshot", "replace_together"}


def constructors():
    found = {}
    for module in MODULES:
        for name in getattr(module, "__all__", None) or dir(module):
            value = getattr(module, name, None)
            if inspect.isclass(value) and value.__module__.startswith("minigluon") \
                    and not issubclass(value, BaseException) and not name.startswith("_"):
                found.setdefault(value, f"{module.__name__}.{name}")
    return found


CONSTRUCTORS = constructors()


def refused(cls):
    """The error for a keyword that no class has, next to arguments for what is required."""
    parameters = inspect.signature(cls).parameters.values()
    required = [1 for p in parameters if p.default is p.empty
                and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            cls(*required, kernal_sise=1)
        except Exception as error:
            return error
    return None


def test_every_public_constructor():
    """One keyword that is nowhere, for each class: 280 of them."""
    wrong, checked = [], 0
    for cls, name in CONSTRUCTORS.items():
        if cls.__name__ in OPEN | IMAGES | OTHERS:
            continue
        error = refused(cls)
        text = str(error)
        checked += 1
        expected = f"{cls.__name__}: unknown argument 'kernal_sise'; it "
        if not (isinstance(error, CallError) and text.startswith((expected, f"{cls.__name__} takes no arguments"))) \
                or re.search(r"\b_[A-Z]", text):
            wrong.append((name, type(error).__name__, text[:120]))
    assert not wrong
    assert checked > 265


def test_what_keeps_other_keywords():
    assert {cls.__name__ for cls in CONSTRUCTORS if cls.__name__ in OPEN and refused(cls) is None} == OPEN
    assert mx.metric.EvalMetric("name", top=3).get_config()["top"] == 3


CONV = ("channels, kernel_size, strides, padding, dilation, groups, layout, activation, use_bias, weight_initializer, "
        "bias_initializer, in_channels, adj, prefix, params")
LAYER = nn.Dense(2, in_units=2)


@pytest.mark.parametrize(("call", "text"), [
    (lambda: nn.Conv2D(8, 3, pading=1), f"Conv2D: unknown argument 'pading'; it has {CONV}. Did you mean 'padding'?"),
    (lambda: nn.Conv2D(8, kernal_size=3),
     f"Conv2D: unknown argument 'kernal_size'; it has {CONV}. Did you mean 'kernel_size'?"),
    (lambda: nn.HybridSequential(prefx="net_"),
     "HybridSequential: unknown argument 'prefx'; it has prefix, params. Did you mean 'prefix'?"),
    (lambda: gluon.rnn.LSTMCell(8, input_sise=2),
     "LSTMCell: unknown argument 'input_sise'; it has hidden_size, i2h_weight_initializer, h2h_weight_initializer, "
     "i2h_bias_initializer, h2h_bias_initializer, input_size, prefix, params, activation, recurrent_activation. "
     "Did you mean 'input_size'?"),
    (lambda: gluon.Trainer(LAYER.collect_params(), "sgd", optimizer_param={}),
     "Trainer: unknown argument 'optimizer_param'; it has params, optimizer, optimizer_params, kvstore, "
     "compression_params, update_on_kvstore. Did you mean 'optimizer_params', 'optimizer'?"),
    (lambda: gluon.data.DataLoader([1, 2], batchsize=1),
     "DataLoader: unknown argument 'batchsize'; it has dataset, batch_size, shuffle, sampler, last_batch, "
     "batch_sampler, batchify_fn, num_workers, pin_memory, pin_device_id, prefetch, thread_pool, timeout, auto_reload, "
     "try_nopython. "
     "Did you mean 'batch_size', 'batch_sampler', 'batchify_fn'?"),
    (lambda: mx.metric.create("acc", axes=1),
     "Accuracy: unknown argument 'axes'; it has axis, name, output_names, label_names. Did you mean 'axis'?"),
    (lambda: mx.init.Xavier(rand_type="uniform"),
     "Xavier: unknown argument 'rand_type'; it has rnd_type, factor_type, magnitude. Did you mean 'rnd_type', "
     "'factor_type'?"),
    (lambda: mx.lr_scheduler.FactorScheduler(1, faktor=0.5),
     "FactorScheduler: unknown argument 'faktor'; it has step, factor, stop_factor_lr, base_lr, warmup_steps, "
     "warmup_begin_lr, warmup_mode. Did you mean 'factor'?"),
    (lambda: mx.optimizer.create("sgd", momentm=0.9),
     "SGD: unknown argument 'momentm'; it has momentum, lazy_update, rescale_grad, param_idx2name, wd, clip_gradient, "
     "learning_rate, lr_scheduler, sym, begin_num_update, multi_precision, param_dict. Did you mean 'momentum'?"),
    (lambda: mx.io.NDArrayIter(nd.ones(4), batchsize=2),
     "NDArrayIter: unknown argument 'batchsize'; it has data, label, batch_size, shuffle, last_batch_handle, "
     "data_name, label_name, layout. Did you mean 'batch_size'?"),
    (lambda: gluon.data.Dataset([1, 2]), "Dataset takes no arguments"),
    (lambda: mx.init.Zero(value=1), "Zero: unknown argument 'value'; it takes no keyword arguments."),
])
def test_messages(call, text):
    with pytest.raises(CallError) as error:
        call()
    assert str(error.value) == text


def test_classes_of_programs():
    """A class that names its keywords is checked; one with **kwargs may use them itself, and the root sees the rest."""
    class Named(gluon.Block):
        def __init__(self, units):
            super().__init__()

    class Kept(nn.HybridSequential):
        def __init__(self, **kwargs):
            self.units = kwargs.pop("units", 1)
            super().__init__(**kwargs)

    class Plain(gluon.data.Dataset, dict):
        """A dict that is a dataset: `dict` takes the keywords."""

    with pytest.raises(CallError, match=r"^Named: unknown argument 'unit'; it has units\. Did you mean 'units'\?$"):
        Named(unit=2)
    assert Named(units=2) is not None
    assert Kept(units=3, prefix="kept_").prefix == "kept_"
    with pytest.raises(CallError, match="^Kept: unknown argument 'unit'; it has prefix, params"):
        Kept(unit=3)
    assert Plain(a=1) == {"a": 1}


def test_deprecated_keywords_are_still_known():
    class Renamed(ChecksKeywords):
        @deprecated_argument("size", "units", since="0.1", until="99.0")
        def __init__(self, units=0):
            self.units = units

    Renamed.__module__ = "minigluon.renamed"
    with pytest.warns(DeprecationWarning, match=r"Renamed\(size=...\)"):
        assert Renamed(size=3).units == 3
    with pytest.raises(CallError, match="^Renamed: unknown argument 'sise'"):
        Renamed(sise=3)


def test_no_error_that_programs_see_has_a_private_name():
    net = type("Net", (gluon.Block,), {"__init__": lambda self: setattr(self, "scale", gluon.Parameter("scale"))})
    with pytest.raises(MXNetError) as error:
        net()
    assert type(error.value).__name__ == "NotConstructedError"

    class Broken(gluon.data.Dataset):
        def __len__(self):
            return 2

        def __getitem__(self, index):
            raise KeyError(index)

    with pytest.raises(KeyError) as error:
        list(gluon.data.DataLoader(Broken(), 1, num_workers=1))
    assert type(error.value.__cause__).__name__ == "WorkerTraceback"
