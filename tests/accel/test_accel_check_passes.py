"""Translation validation of this backend's passes: a mutant of each dies by it, and the zoo's nets pass it."""

import sys

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from minigluon_accel.gpu.passes.fuse_elementwise import fuse_elementwise as gpu_fuse_elementwise
from minigluon_accel.gpu.passes.fuse_relu import ReluFusion, fuse_relu
from minigluon_accel.kernels.nn.convolution_packed import FilterPrepack
from minigluon_accel.kernels.nn.matrix_packed import DensePrepack
from minigluon_accel.kernels.quantized.matrix_packed import FusedPrepack, IntegersPrepack
from minigluon_accel.kernels.rnn.rnn_packed import RNNPrepack
from minigluon_accel.passes import BEFORE_FUSION, BEFORE_GRADIENTS

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon import symbol as sym
from minigluon.backend import Spec
from minigluon.contrib import quantization
from minigluon.gluon import nn, rnn
from minigluon.hybrid import Draft, check_passes
from minigluon.hybrid.check_passes import WrongPassError
from minigluon.hybrid.draft import run_passes
from minigluon.hybrid.parameter_constants import PrepackOp
from minigluon.hybrid.specs import infer
from minigluon.ops import REGISTRY
from minigluon.symbol.symbol import Symbol


def module(name):
    """A module of a pass: the package has the function of the same name."""
    return sys.modules[f"minigluon_accel.passes.{name}"]


@pytest.fixture(autouse=True)
def _checked(monkeypatch):
    monkeypatch.setattr(check_passes, "enabled", True)
    monkeypatch.setattr(check_passes, "skipped", [])


def run(net, *arrays, train):
    """One call of a hybridized net, with a backward pass if it trains."""
    if not isinstance(net, gluon.SymbolBlock):      # which has its values
        net.initialize(mx.init.Uniform(0.5))
    net(*arrays)                    # imperatively, since parameters wait for shapes
    net.hybridize()
    arrays[0].attach_grad()
    if train:
        with autograd.record():
            out = net(*arrays)
        out.backward()
    else:
        net(*arrays)


def sequential(*layers):
    net = nn.HybridSequential()
    net.add(*layers)
    return net


class Attention(gluon.HybridBlock):
    """softmax(x xᵀ / 3) x"""

    def hybrid_forward(self, F, x):
        return F.batch_dot(F.softmax(F.batch_dot(x, x, transpose_b=True) / 3), x)


class ConvNorm(gluon.HybridBlock):
    """relu of a convolution, normalized, plus what a second one gives."""

    def __init__(self, kernel=3):
        super().__init__()
        with self.name_scope():
            self.conv, self.norm, self.other = nn.Conv2D(32, kernel), nn.BatchNorm(), nn.Conv2D(32, kernel)

    def hybrid_forward(self, F, x):
        return F.relu(self.norm(self.conv(x))) + self.other(x)


class Bent(gluon.HybridBlock):
    """Elementwise operators of several shapes, with an order that matters."""

    def hybrid_forward(self, F, x):
        return F.broadcast_sub(F.exp(x), F.mean(x, axis=1, keepdims=True)) * 2 - F.sin(x)


def images(size=12, channels=3, batch=2):
    return nd.random.uniform(-1, 1, shape=(batch, channels, size, size))


def dense_norm():
    return sequential(nn.Dense(128, activation="relu"), nn.Dense(128), nn.BatchNorm(), nn.Dense(128))


def clipped():
    return sequential(nn.Conv2D(16, 3), nn.BatchNorm(), nn.HybridLambda(lambda F, x: F.clip(x, 0, 6)), nn.Conv2D(4, 3))


def quantized(*layers):
    """A net of 8-bit integers, as a block."""
    net = sequential(*layers)
    net.initialize(mx.init.Uniform(0.5))
    net(images())
    return quantization.quantize_net(net, calib_data=[images()], calib_mode="naive", logger=None)


# -- mutants ----------------------------------------------------------------------------------------------------------

def swapped_norm(original):
    """gamma and beta the other way round."""
    def join(self, node, before, more=()):
        return original(self, node, before, [more[1], more[0], *more[2:]] if len(more) > 2 else more)
    return join


def gradients_turned(original):
    """The gradients in the wrong order."""
    def compute_again(parts, *how):
        heads = original(parts, *how).heads
        return Symbol([*heads[:parts.count], *heads[parts.count:][::-1]])
    return compute_again


def weights_swapped(original):
    """Two layers of a chain, each with the weights of the other."""
    def chain(run, share, across, where):
        node = original(run, share, across, where)
        (one, (a, *first)), (two, (b, *second)), *rest = node.op.program
        node.op = type(node.op)(**{**node.op.attributes, "program": ((one, (a, *second)), (two, (b, *first)), *rest)})
        return node
    return chain


def parts_swapped(original):
    """The first two parts of a gradient, one in the place of the other."""
    def visit(self, node):
        original(self, node)
        if node in self.cuts:
            self.where[node, 0], self.where[node, 1] = self.where[node, 1], self.where[node, 0]
    return visit


def parameters_swapped(original):
    """The first two parameters of a recurrent layer, one in the place of the other."""
    def found(node, specs, kept):
        parameters = original(node, specs, kept)
        return parameters and [parameters[1], parameters[0], *parameters[2:]]
    return found


def without_turning(original):
    """Images are not turned before a layer that reads their channels last."""
    return lambda self, pair: self.where[pair]


def zeros_of_any_pad(original):
    """Whatever a pad adds counts as zeros."""
    def padding_of(self, node):
        op = node.inputs[0][0].op if node.inputs else None
        return tuple(before for before, _ in op.widths[2:]) if op is not None and op.name == "Pad" else None
    return padding_of


def padded():
    """A convolution behind a pad with ones."""
    pad = nn.HybridLambda(lambda F, x: F.pad(x, mode="constant", pad_width=(0, 0, 0, 0, 1, 1, 1, 1), constant_value=1))
    return sequential(pad, nn.Conv2D(8, 3))


def patch(name, attribute, change):
    """A mutant: something of a pass's module, 'function' or 'Class.method', is changed."""
    def mutate(monkeypatch):
        owner, _, member = attribute.rpartition(".")
        place = getattr(module(name), owner) if owner else module(name)
        monkeypatch.setattr(place, member, change(getattr(place, member)))
    return mutate


def large_norm_takes_tanh(monkeypatch):
    """tanh taken for relu behind a normalization, and any size for a large one."""
    monkeypatch.setattr(module("fuse_neighbours"), "LARGE", 0)
    monkeypatch.setattr(module("fuse_neighbours"), "is_relu", lambda node: node.op.name in ("tanh", "Activation"))


def smaller(monkeypatch):
    """Values of any size count as large."""
    monkeypatch.setattr(module("recompute_normalized"), "LARGE", 0)


MUTANTS = {         # pass: (net, data, does it train?, what the case needs, the mutant)
    "fuse_attention": (Attention, lambda: nd.random.uniform(shape=(2, 16, 8)), False, None,
                       patch("fuse_attention.match", "_scale", lambda original: lambda *how: 2 * original(*how))),
    "recompute_normalized": (clipped, images, True, smaller,
                             patch("recompute_normalized", "recompute_nodes", gradients_turned)),
    "absorb_padding": (padded, images, False, None,
                       patch("absorb_padding", "PaddingAbsorption.padding_of", zeros_of_any_pad)),
    "fuse_neighbours": (lambda: sequential(nn.Conv2D(8, 3), nn.BatchNorm(), nn.Activation("tanh")), images, True, None,
                        large_norm_takes_tanh),
    "prepack_convolution": (ConvNorm, images, False, None,
                            patch("prepack_convolution", "ConvolutionPrepacking.join", swapped_norm)),
    "blocked_layout": (lambda: ConvNorm(1), lambda: images(channels=128), False, None,
                       patch("blocked_layout", "BlockedLayout.read", lambda original: lambda self, pair:
                             self.where[pair])),
    "prepack_matrix": (dense_norm, lambda: nd.random.uniform(shape=(4, 128)), False, None,
                       patch("prepack_matrix", "MatrixPrepacking.join", swapped_norm)),
    "prepack_quantized": (lambda: quantized(nn.Conv2D(8, 3, activation="relu")), images, False, None,
                          patch("prepack_quantized", "QuantizedPrepacking.read_last", without_turning)),
    "tile_batch": (lambda: sequential(*[nn.Dense(64) for _ in range(3)]), lambda: nd.random.uniform(shape=(64, 64)),
                   False, None, patch("tile_batch", "_chain", weights_swapped)),
    "prepack_rnn": (lambda: rnn.GRU(8, input_size=8), lambda: nd.random.uniform(shape=(3, 4, 8)), False, None,
                    patch("prepack_rnn", "_parameters", parameters_swapped)),
    "split_rnn_parameters": (lambda: rnn.GRU(8, input_size=8), lambda: nd.random.uniform(shape=(3, 4, 8)), True, None,
                             patch("split_rnn_parameters", "RNNParameterSplit.visit", parts_swapped)),
    "fuse_elementwise": (Bent, lambda: nd.random.uniform(shape=(4, 6)), False, None,
                         patch("fuse_elementwise", "ElementwiseFusion.operands", lambda original: lambda self, node:
                               original(self, node)[::-1])),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_of_each_pass_dies(name, monkeypatch):
    make, data, train, needs, mutate = MUTANTS[name]
    if needs is not None:
        needs(monkeypatch)
    run(make(), data(), train=train)
    assert check_passes.skipped == []
    mutate(monkeypatch)
    with pytest.raises(WrongPassError, match=f"^pass {name}: "):
        run(make(), data(), train=train)


def test_every_pass_has_a_mutant():
    assert {pass_.__name__ for pass_ in (*BEFORE_GRADIENTS, *BEFORE_FUSION)} == set(MUTANTS)


def test_a_mutant_of_the_pass_for_parameters_dies(monkeypatch):
    constants = sys.modules["minigluon.hybrid.parameter_constants"]

    def wrong(node, numbers, specs, ctx, known, original=constants._prepacker):
        return original(node, [numbers[1], numbers[0], *numbers[2:]], specs, ctx, known)
    monkeypatch.setattr(constants, "_prepacker", wrong)
    with pytest.raises(WrongPassError, match="^pass parameter_constants: "):
        run(rnn.GRU(8, input_size=8), nd.random.uniform(shape=(3, 4, 8)), train=False)


PACKS = {           # operator that packs: (the pass that inserts it, net, data)
    FilterPrepack: ("prepack_convolution", ConvNorm, images),
    DensePrepack: ("prepack_matrix", dense_norm, lambda: nd.random.uniform(shape=(4, 128))),
    IntegersPrepack: ("prepack_quantized", lambda: quantized(nn.Dense(8)), images),
    FusedPrepack: ("prepack_quantized", lambda: quantized(nn.Conv2D(8, 3, activation="relu")), images),
    RNNPrepack: ("prepack_rnn", lambda: rnn.GRU(8, input_size=8), lambda: nd.random.uniform(shape=(3, 4, 8))),
}


@pytest.mark.parametrize("cls", PACKS, ids=lambda cls: cls.__name__)
def test_wrongly_packed_parameters_are_seen(cls, monkeypatch):
    """`forward` of the packed layers reads the parameters themselves; the check runs the kernels."""
    name, make, data = PACKS[cls]
    run(make(), data(), train=False)
    assert check_passes.skipped == []
    packed = []

    def turned(self, *inputs, original=cls.forward):
        packed.append(original(self, *inputs))
        return np.ascontiguousarray(packed[-1][::-1])
    monkeypatch.setattr(cls, "forward", turned)
    with pytest.raises(WrongPassError, match=f"^pass {name}: "):
        run(make(), data(), train=False)
    assert packed


def test_every_operator_that_packs_is_tested():
    assert set(PrepackOp.__subclasses__()) == set(PACKS)


# -- the GPU's, which decide without one ------------------------------------------------------------------------------

def passed(graph, pass_, **shapes):
    shapes, _, _ = graph.infer_shape(**shapes)
    known = {name: Spec(shape, np.dtype("float32")) for name, shape in zip(graph.list_arguments(), shapes, strict=True)}
    return run_passes(Draft(graph, {}, known, list(known), mx.cpu(), rest=[infer, pass_]))


def test_mutants_of_the_passes_for_gpus_die(monkeypatch):
    x = sym.var("x")
    layer = sym.relu(sym.FullyConnected(x, num_hidden=5))
    bent = sym.broadcast_sub(sym.exp(x), sym.mean(x, axis=1, keepdims=True)) - sym.sin(x)
    assert passed(layer, fuse_relu, x=(4, 6)).summary[0] == "gpu: relu"
    assert passed(bent, gpu_fuse_elementwise, x=(4, 6)).summary[0] == "fuse elementwise"

    def sine(self, node, original=ReluFusion.look_at):
        original(self, node)
        for end, (op, inputs) in self.made.items():
            line, _ = op.program
            self.made[end] = type(op)(program=(line, (REGISTRY["sin"](), (-1,)))), inputs
    monkeypatch.setattr(ReluFusion, "look_at", sine)
    with pytest.raises(WrongPassError, match="^pass fuse_relu: "):
        passed(layer, fuse_relu, x=(4, 6))
    MUTANTS["fuse_elementwise"][-1](monkeypatch)
    with pytest.raises(WrongPassError, match="^pass fuse_elementwise: "):
        passed(bent, gpu_fuse_elementwise, x=(4, 6))


# -- nets -------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize("name", ["resnet18_v1", "mobilenetv2_0.25"])
def test_nets_of_the_zoo(name, train):
    run(gluon.model_zoo.vision.get_model(name, classes=10), images(32), train=train)
    assert check_passes.skipped == []
