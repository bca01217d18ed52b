"""Arguments of another kind, for all public callables that are not operators: a result, or an MXNetError in words.

Each keyword of each callable is replaced by each of VALUES. A bare TypeError, ValueError, ... of Python would not say
which argument is wrong, or what is expected.
"""

import copy
import inspect
import itertools
import warnings

import numpy as np
import pytest

import minigluon as mx
from minigluon import gluon, nd
from minigluon.base import MXNetError

VALUES = [0, -1, 2, 0.5, 1e30, 2 ** 40, float("nan"), float("inf"), True, None, "2", "x", "", (1, 2), (), [], {},
          np.float32(0.5), np.int64(2), np.array([1, 2]), object()]
IMAGE = nd.ones((8, 8, 3), dtype="uint8")
TENSOR = nd.ones((3, 8, 8))
CELL = gluon.rnn.RNNCell(4)
SYMBOLIC_CELL = mx.rnn.RNNCell(4)
BOXES = nd.array([[0, 0.1, 0.1, 0.6, 0.6]])
LABELS = np.array([[0, 0.1, 0.1, 0.6, 0.6]])
transforms = gluon.data.vision.transforms


def nothing(result):
    """What is done with the result of a function: it has done its work."""


def on_image(transform):
    """Call a transform."""
    transform(IMAGE)


def on_tensor(transform):
    """Call a transform of (C, H, W)."""
    transform(TENSOR)


def on_boxes(augmenter):
    """Call an augmenter of images with boxes."""
    augmenter(IMAGE, LABELS)


def each_on_image(augmenters):
    """Call the augmenters of a list."""
    image = IMAGE
    for augment in augmenters:
        image = augment(image)


def some(iterable):
    """Read the first items."""
    list(itertools.islice(iterable, 3))
    len(iterable)


def unrolled(cell):
    """Unroll a cell of Gluon."""
    cell.initialize()
    cell.unroll(3, nd.ones((3, 2, 4)), layout="TNC", merge_outputs=True)


def symbolic(cell):
    """Unroll a cell of `mx.rnn`, and infer its shapes."""
    outputs, _ = cell.unroll(3, mx.sym.var("x"), layout="TNC", merge_outputs=True)
    outputs.infer_shape(x=(3, 2, 4))


def sequence(layer):
    """Run a recurrent layer."""
    layer.initialize()
    layer(nd.ones((3, 2, 4)))


def convolutional(shape):
    """The use of a layer or cell for inputs of a shape."""
    def use(layer):
        layer.initialize()
        x = nd.ones(shape)
        layer(x, layer.begin_state(batch_size=shape[0])) if hasattr(layer, "begin_state") else layer(x)
    return use


def rates(schedule):
    """The rates of some updates."""
    [schedule(update) for update in (0, 5, 50)]


def reported(callback):
    """Call a callback after a batch."""
    callback(mx.model.BatchEndParam(1, 1, None, None))


def collated(batchify):
    """Make a batch of two samples of unequal lengths, or of equal ones."""
    batchify([np.ones((2, 3), np.float32), np.ones((2, 3), np.float32)])


CELLS = [
    *((f"gluon.rnn.{name}", {"hidden_size": 4}, unrolled) for name in ("RNNCell", "LSTMCell", "GRUCell")),
    *((f"gluon.rnn.{name}", {"hidden_size": 4}, sequence) for name in ("RNN", "LSTM", "GRU")),
    ("gluon.rnn.DropoutCell", {"rate": 0.5}, unrolled), ("gluon.rnn.ZoneoutCell", {"base_cell": CELL}, unrolled),
    ("gluon.rnn.ResidualCell", {"base_cell": CELL}, unrolled),
    ("gluon.rnn.BidirectionalCell", {"l_cell": CELL, "r_cell": gluon.rnn.RNNCell(4)}, unrolled),
    ("gluon.rnn.HybridSequentialRNNCell", {}, nothing), ("gluon.rnn.SequentialRNNCell", {}, nothing),
    ("gluon.contrib.rnn.LSTMPCell", {"hidden_size": 4, "projection_size": 2}, unrolled),
    ("gluon.contrib.rnn.VariationalDropoutCell", {"base_cell": CELL}, unrolled),
    *((f"gluon.contrib.rnn.Conv{d}D{kind}Cell", {"input_shape": (2,) + (4,) * d, "hidden_channels": 2, "i2h_kernel": 3,
                                                "h2h_kernel": 3}, convolutional((1, 2) + (4,) * d))
      for d in (1, 2) for kind in ("RNN", "LSTM", "GRU")),
    *((f"rnn.{name}", {"num_hidden": 4}, symbolic) for name in ("RNNCell", "LSTMCell", "GRUCell", "FusedRNNCell")),
    *((f"rnn.Conv{kind}Cell", {"input_shape": (2, 4, 4), "num_hidden": 2}, nothing) for kind in ("RNN", "LSTM", "GRU")),
    ("rnn.DropoutCell", {"dropout": 0.5}, symbolic), ("rnn.ZoneoutCell", {"base_cell": SYMBOLIC_CELL}, symbolic),
    ("rnn.ResidualCell", {"base_cell": SYMBOLIC_CELL}, symbolic),
    ("rnn.BidirectionalCell", {"l_cell": SYMBOLIC_CELL, "r_cell": mx.rnn.RNNCell(4, prefix="r_")}, symbolic),
    ("rnn.BucketSentenceIter", {"sentences": [[1, 2], [3, 4]], "batch_size": 2, "buckets": [2]}, list),
    ("rnn.encode_sentences", {"sentences": [["a", "b"]]}, nothing),
    ("rnn.do_rnn_checkpoint", {"cells": SYMBOLIC_CELL, "prefix": "x"}, nothing),
    ("rnn.rnn_unroll", {"cell": SYMBOLIC_CELL, "length": 2}, nothing)]
DATA = [
    ("gluon.data.SequentialSampler", {"length": 4}, some), ("gluon.data.RandomSampler", {"length": 4}, some),
    ("gluon.data.BatchSampler", {"sampler": [1, 2, 3], "batch_size": 2}, some),
    ("gluon.data.FilterSampler", {"fn": bool, "dataset": [1, 0, 2]}, some),
    ("gluon.data.IntervalSampler", {"length": 4, "interval": 2}, some),
    ("gluon.data.DataLoader", {"dataset": [1.0, 2.0, 3.0], "batch_size": 2}, some),
    ("gluon.data.SimpleDataset", {"data": [1, 2]}, nothing),
    ("gluon.data.RecordFileDataset", {"filename": "x"}, nothing),
    ("gluon.data.vision.ImageFolderDataset", {"root": "missing"}, nothing),
    ("gluon.data.vision.ImageRecordDataset", {"filename": "x"}, nothing),
    ("gluon.data.batchify.Stack", {}, collated), ("gluon.data.batchify.Pad", {}, collated),
    ("gluon.data.batchify.Append", {}, collated), ("gluon.data.batchify.AsList", {}, collated),
    ("gluon.data.batchify.Group", {"fn": [gluon.data.batchify.Stack()]}, nothing),
    ("gluon.utils.split_data", {"data": nd.ones((4, 2)), "num_slice": 2}, nothing),
    ("gluon.utils.split_and_load", {"data": nd.ones((4, 2)), "ctx_list": [mx.cpu()]}, nothing),
    ("gluon.utils.clip_global_norm", {"arrays": [nd.ones((2,))], "max_norm": 1}, nothing),
    ("gluon.utils.check_sha1", {"filename": __file__, "sha1_hash": "x"}, nothing),
    ("gluon.utils.download", {"url": "file:///missing", "retries": 0}, nothing),
    ("gluon.utils.shape_is_known", {"shape": (1, 2)}, nothing)]
TRANSFORMS = [
    *((f"transforms.{name}", {"size": 4}, on_image) for name in ("Resize", "CenterCrop", "RandomCrop",
                                                               "RandomResizedCrop")),
    ("transforms.CropResize", {"x": 0, "y": 0, "width": 4, "height": 4}, on_image),
    *((f"transforms.Random{name}", {name.lower(): 0.1}, on_image) for name in ("Brightness", "Contrast", "Saturation",
                                                                             "Hue")),
    *((f"transforms.{name}", {}, on_image) for name in ("Cast", "RandomColorJitter", "RandomGray", "ToTensor",
                                                      "RandomFlipLeftRight", "RandomFlipTopBottom")),
    ("transforms.RandomLighting", {"alpha": 0.1}, on_image), ("transforms.Normalize", {}, on_tensor),
    ("transforms.Rotate", {"rotation_degrees": 10}, on_tensor),
    ("transforms.RandomRotation", {"angle_limits": (-10, 10)}, on_tensor),
    ("transforms.Compose", {"transforms": []}, on_image), ("transforms.HybridCompose", {"transforms": []}, nothing),
    ("transforms.RandomApply", {"transforms": transforms.Cast()}, on_image),
    ("transforms.HybridRandomApply", {"transforms": transforms.Cast()}, on_image)]
IMAGES = [
    ("image.imresize", {"src": IMAGE, "w": 4, "h": 4}, nothing),
    ("image.resize_short", {"src": IMAGE, "size": 4}, nothing),
    ("image.fixed_crop", {"src": IMAGE, "x0": 0, "y0": 0, "w": 4, "h": 4}, nothing),
    ("image.random_crop", {"src": IMAGE, "size": (4, 4)}, nothing),
    ("image.center_crop", {"src": IMAGE, "size": (4, 4)}, nothing),
    ("image.color_normalize", {"src": IMAGE, "mean": nd.ones((3,))}, nothing),
    ("image.random_size_crop", {"src": IMAGE, "size": (4, 4), "area": 0.5, "ratio": (0.5, 1)}, nothing),
    ("image.copyMakeBorder", {"src": IMAGE, "top": 1, "bot": 1, "left": 1, "right": 1}, nothing),
    ("image.scale_down", {"src_size": (8, 8), "size": (4, 4)}, nothing),
    ("image.imrotate", {"src": TENSOR, "rotation_degrees": 10}, nothing),
    ("image.random_rotate", {"src": TENSOR, "angle_limits": (-10, 10)}, nothing),
    ("image.imdecode", {"buf": b"x"}, nothing), ("image.imread", {"filename": "missing"}, nothing),
    ("image.CreateAugmenter", {"data_shape": (3, 4, 4)}, each_on_image),
    ("image.CreateDetAugmenter", {"data_shape": (3, 4, 4)}, nothing),
    ("image.CreateMultiRandCropAugmenter", {}, on_boxes),
    *((f"image.{name}JitterAug", {name.lower(): 0.1}, on_image) for name in ("Brightness", "Contrast", "Saturation",
                                                                           "Hue")),
    ("image.ColorJitterAug", {"brightness": 0.1, "contrast": 0.1, "saturation": 0.1}, on_image),
    ("image.CastAug", {}, on_image), ("image.ResizeAug", {"size": 4}, on_image),
    *((f"image.{name}Aug", {"size": (4, 4)}, on_image) for name in ("CenterCrop", "ForceResize", "RandomCrop")),
    ("image.RandomSizedCropAug", {"size": (4, 4), "area": 0.5, "ratio": (0.5, 1)}, on_image),
    ("image.ColorNormalizeAug", {"mean": nd.ones((3,)), "std": nd.ones((3,))}, on_image),
    ("image.HorizontalFlipAug", {"p": 1}, on_image), ("image.RandomGrayAug", {"p": 1}, on_image),
    ("image.LightingAug", {"alphastd": 1, "eigval": np.ones(3), "eigvec": np.eye(3)}, on_image),
    ("image.SequentialAug", {"ts": []}, on_image), ("image.RandomOrderAug", {"ts": []}, on_image),
    ("image.DetBorrowAug", {"augmenter": mx.image.CastAug()}, on_boxes),
    ("image.DetHorizontalFlipAug", {"p": 1}, on_boxes), ("image.DetRandomCropAug", {}, on_boxes),
    ("image.DetRandomPadAug", {}, on_boxes),
    ("image.DetRandomSelectAug", {"aug_list": [mx.image.DetHorizontalFlipAug(1)]}, on_boxes)]
REST = [
    ("gluon.contrib.nn.Concurrent", {}, nothing), ("gluon.contrib.nn.HybridConcurrent", {}, nothing),
    *((f"gluon.contrib.nn.PixelShuffle{d}D", {"factor": 2}, convolutional((1, 8) + (2,) * d)) for d in (1, 2, 3)),
    ("gluon.contrib.nn.SparseEmbedding", {"input_dim": 3, "output_dim": 2}, convolutional((2, 3))),
    ("gluon.contrib.nn.SyncBatchNorm", {}, convolutional((2, 3, 4))),
    *((f"gluon.contrib.cnn.{name}", {"channels": 2}, convolutional((1, 2, 4, 4))) for name in (
        "DeformableConvolution", "ModulatedDeformableConvolution")),
    *((f"lr_scheduler.{name}Scheduler", {"max_update": 10}, rates) for name in ("Cosine", "Poly")),
    ("lr_scheduler.FactorScheduler", {"step": 2}, rates), ("lr_scheduler.LRScheduler", {}, nothing),
    ("lr_scheduler.MultiFactorScheduler", {"step": [2, 4]}, rates),
    ("callback.ProgressBar", {"total": 3}, reported), ("callback.Speedometer", {"batch_size": 2}, reported),
    ("callback.do_checkpoint", {"prefix": "x"}, nothing), ("callback.log_train_metric", {"period": 2}, reported),
    ("callback.module_checkpoint", {"mod": None, "prefix": "x"}, nothing),
    ("gluon.nn.Conv1DTranspose", {"channels": 2, "kernel_size": 2}, convolutional((1, 2, 4)))]
ROWS = [*CELLS, *DATA, *TRANSFORMS, *IMAGES, *REST]
# Numbers of processes, trials and steps, which take forever, and errors of a dataset.
LEFT_OUT = {("gluon.data.DataLoader", "num_workers"), ("gluon.data.DataLoader", "sampler"),
            ("gluon.utils.download", "url"), ("gluon.utils.download", "retries"), ("rnn.rnn_unroll", "length")}


def named(path):
    """The callable of a row."""
    found = mx
    for name in path.split("."):
        found = transforms if name == "transforms" else getattr(found, name)
    return found


@pytest.mark.parametrize(("path", "given", "use"), ROWS, ids=[row[0] for row in ROWS])
def test_wrong_arguments_are_refused_in_words(path, given, use, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function, bare = named(path), []
    names = [p.name for p in inspect.signature(function).parameters.values()
             if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name not in ("prefix", "params")]
    for name, value in itertools.product(names, VALUES):
        if (path, name) in LEFT_OUT:
            continue
        try:
            with warnings.catch_warnings(), mx.name.NameManager():       # names of other tests stay
                warnings.simplefilter("ignore")
                use(function(**{**given, name: copy.copy(value)}))
        except (MXNetError, OSError):           # a missing file is Python's error, which names it
            pass
        except Exception as error:
            bare.append(f"{path}({name}={value!r}): {type(error).__name__}: {error}")
    assert not bare, "\n".join(bare)
