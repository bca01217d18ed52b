"""Values of another kind for options of layers, optimizers and iterators: an MXNetError that names the option.

`tests/scripts/options.py` tries every keyword with 24 values; here is one case of each kind that ended in an error of
Python.
"""

import numpy as np
import pytest

import minigluon as mx
from minigluon import nd
from minigluon.base import MXNetError
from minigluon.gluon import nn, rnn

TWO = np.array([1, 2])
ROWS = {"data": np.arange(10.0).reshape(5, 2), "batch_size": 2}
CASES = {
    "an activation": (lambda: nn.Conv2D(2, 2, activation=0), "Conv2D: activation is 0, expected a name such as 'relu'"),
    "a layout": (lambda: nn.MaxPool2D(layout=TWO), r"MaxPool2D: layout is array\(\[1, 2\]\), expected a string"),
    "a truth value": (lambda: nn.Conv1D(2, 2, use_bias=TWO), r"use_bias is array\(\[1, 2\]\), expected True or False"),
    "a scale": (lambda: nn.LayerNorm(scale=TWO), "scale is .*, expected True or False"),
    "a length": (lambda: nn.Conv2D(2, 2, in_channels=None), "in_channels is None, expected an integer, at least 0"),
    "a size": (lambda: rnn.LSTM(2, projection_size=TWO), "projection_size is .*, expected an integer"),
    "a count": (lambda: rnn.LSTM(2, num_layers=2 ** 40), "num_layers is 1099511627776, expected at most 65536"),
    "parameters": (lambda: nn.Dense(2, params=3), "Dense: params is of type int, expected a ParameterDict"),
    "an initializer": (lambda: nn.Dense(2, weight_initializer={}), r"init is \{\}, expected an initializer"),
    "a slope": (lambda: nn.Swish(beta=None), "Swish: beta is None, expected a number"),
    "edges": (lambda: nn.ReflectionPad2D(0.5), "padding is 0.5, expected an integer or 8 of them"),
    "a precision": (lambda: mx.optimizer.Adam(multi_precision=TWO), "multi_precision is .*, expected True or False"),
    "a factor": (lambda: mx.optimizer.SGD(rescale_grad=None), "rescale_grad is None, expected a number"),
    "batches of a step": (lambda: mx.optimizer.LBSGD(batch_scale=0), "batch_scale is 0, expected the number"),
    "epochs": (lambda: mx.optimizer.LBSGD(warmup_epochs="2"), "warmup_epochs is '2', expected a number"),
    "beta1": (lambda: step("adam", beta1=1), r"Adam: beta1 is 1, and 1 - beta1 \*\* 1 divides. Expected beta1 from 0"),
    "beta2": (lambda: step("adam", beta2=2), "Adam: beta2 is 2, expected a number below 1"),
    "a count of updates": (lambda: step("adamax", begin_num_update=-1), "begin_num_update at least 0"),
    "a rate": (lambda: step("sgld", learning_rate=-0.5), "SGLD: the learning rate is -0.5, but its square root"),
    "a batch": (lambda: mx.io.NDArrayIter(**{**ROWS, "batch_size": 2 ** 40}), "batch_size is .*, expected less than 2"),
    "an order": (lambda: mx.io.NDArrayIter(shuffle=TWO, **ROWS), "shuffle must be True or False"),
    "an order of images": (lambda: mx.image.ImageIter(2, (3, 8, 8), imglist=[], path_root=".", shuffle=TWO),
                           r"ImageIter: shuffle is array\(\[1, 2\]\), expected True or False"),
    "a padding": (lambda: nn.Conv2DTranspose(2, 2, output_padding=None),
                  r"Conv2DTranspose: output_padding is None, expected an integer or 2 of them"),
    "a strategy": (lambda: mx.optimizer.LBSGD(warmup_strategy=TWO), r"warmup_strategy is array\(\[1, 2\]\), expected"),
    "images": (lambda: mx.image.ImageIter(2, (3, 8, 8), imglist=[1, 2], path_root="."), "entry 1 is 1, expected a"),
}


def step(name, **options):
    weight = nd.array([1, 2])
    mx.optimizer.get_updater(mx.optimizer.create(name, **options))(0, nd.ones(2), weight)


@pytest.mark.parametrize("case", CASES)
def test_a_value_of_another_kind(case):
    call, message = CASES[case]
    with pytest.raises(MXNetError, match=message):
        call()


def test_a_negative_first_epoch_has_no_root_only_for_sqrt():
    step("lbsgd", begin_epoch=-1)
    with pytest.raises(MXNetError, match="begin_epoch is -1, which has no square root"):
        step("lbsgd", begin_epoch=-1, warmup_strategy="sqrt")
