"""Layers and losses with attributes and input shapes that hypothesis draws. A draw is (block, [inputs as NumPy])."""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from minigluon.gluon import loss, nn

small = st.integers(1, 3)


class Drawer:
    """The `draw` of a composite strategy, with what the layers below need."""

    def __init__(self, draw):
        self.draw = draw
        self.rng = np.random.default_rng(draw(st.integers(0, 2 ** 32 - 1)))

    def one_of(self, *choices):
        return self.draw(st.sampled_from(choices))

    def integer(self, low, high):
        return self.draw(st.integers(low, high))

    def flag(self):
        return self.draw(st.booleans())

    def lengths(self, rank, low=1, high=4):
        return tuple(self.integer(low, high) for _ in range(rank))

    def normal(self, *shape):
        return self.rng.normal(size=shape)


def activation(d):
    return d.one_of(None, "relu", "tanh", "sigmoid", "softrelu", "softsign")


def dense(d):
    return nn.Dense(d.integer(1, 4), activation(d), d.flag(), d.flag()), [d.normal(*d.lengths(d.integer(2, 4)))]


def elementwise(make):
    return lambda d: (make(d), [d.normal(*d.lengths(d.integer(1, 4), 0))])


def prelu(d):
    shape = d.lengths(d.integer(2, 4))
    return nn.PReLU(in_channels=d.one_of(1, shape[1])), [d.normal(*shape)]


def dropout(d):
    shape = d.lengths(d.integer(1, 3))
    return nn.Dropout(d.one_of(0, 0.25, 0.5, 0.9), axes=d.one_of((), (0,), (len(shape) - 1,))), [d.normal(*shape)]


def embedding(d):
    count = d.integer(1, 5)
    return nn.Embedding(count, d.integer(1, 3)), [d.rng.integers(0, count, d.lengths(d.integer(1, 3)))]


def conv(cls, rank):
    def make(d):
        kernel, dilation, pad = d.lengths(rank, 1, 3), d.lengths(rank, 1, 2), d.lengths(rank, 0, 2)
        groups = d.one_of(1, 1, 2)
        size = [max(di * (k - 1) + 1 - 2 * p, 1) + d.integer(0, 3)
                for k, di, p in zip(kernel, dilation, pad, strict=True)]
        layer = cls(groups * d.integer(1, 3), kernel, d.lengths(rank, 1, 2), pad, dilation=dilation, groups=groups,
                    use_bias=d.flag(), activation=activation(d))
        return layer, [d.normal(d.integer(1, 3), groups * d.integer(1, 2), *size)]
    return make


def conv_transpose(cls, rank):
    def make(d):
        kernel, strides, pad = d.lengths(rank, 1, 3), d.lengths(rank, 1, 2), d.lengths(rank, 0, 1)
        dilation, groups, size = d.lengths(rank, 1, 2), d.one_of(1, 1, 2), d.lengths(rank, 1, 3)
        extra = tuple(d.integer(0, s - 1) for s in strides)
        assume(all((n - 1) * s - 2 * p + di * (k - 1) + 1 + e > 0 for n, s, p, di, k, e in
                   zip(size, strides, pad, dilation, kernel, extra, strict=True)))
        layer = cls(groups * d.integer(1, 2), kernel, strides, pad, extra, dilation, groups, use_bias=d.flag(),
                    activation=activation(d))
        return layer, [d.normal(d.integer(1, 2), groups * d.integer(1, 2), *size)]
    return make


def pool(cls, rank):
    def make(d):
        window, ceil = d.lengths(rank, 1, 3), d.flag()
        pad = tuple(d.integer(0, k - 1) for k in window)
        size = tuple(k + d.integer(0, 3) for k in window)
        options = {"count_include_pad": d.flag()} if "Avg" in cls.__name__ else {}
        layer = cls(window, d.one_of(None, d.lengths(rank, 1, 3)), pad, ceil_mode=ceil, **options)
        return layer, [d.normal(d.integer(1, 2), d.integer(1, 2), *size)]
    return make


def global_pool(cls, rank):
    return lambda d: (cls(), [d.normal(*d.lengths(2 + rank))])


def batch_norm(cls):
    def make(d):
        shape = d.lengths(d.integer(2, 4), 1, 3)
        axis = 1 if cls is nn.BatchNormReLU else d.one_of(1, -1)
        return cls(axis=axis, momentum=d.one_of(0.5, 0.9), epsilon=d.one_of(1e-5, 1e-2), center=d.flag(),
                   scale=d.flag(), use_global_stats=d.flag()), [d.normal(*shape)]
    return make


def norm(cls, ranks, *axes):
    def make(d):
        shape = d.lengths(d.integer(*ranks), 2, 4)
        return (cls(axis=d.one_of(*axes), epsilon=d.one_of(1e-5, 1e-2), center=d.flag(), scale=d.flag()),
                [d.normal(*shape)])
    return make


def group_norm(d):
    groups = d.integer(1, 2)
    return (nn.GroupNorm(groups, center=d.flag(), scale=d.flag()),
            [d.normal(d.integer(1, 3), groups * d.integer(1, 2), *d.lengths(d.integer(1, 2), 2, 4))])


def padded(d):
    return nn.ReflectionPad2D(d.integer(0, 2)), [d.normal(*d.lengths(2), *d.lengths(2, 3, 5))]


LAYERS = {
    "Dense": dense, "Dropout": dropout, "Embedding": embedding, "PReLU": prelu, "GroupNorm": group_norm,
    "Flatten": lambda d: (nn.Flatten(), [d.normal(*d.lengths(d.integer(2, 4)))]),
    "Activation": elementwise(lambda d: nn.Activation(activation(d) or "relu")),
    "LeakyReLU": elementwise(lambda d: nn.LeakyReLU(d.one_of(0, 0.1, 0.5))),
    "ELU": elementwise(lambda d: nn.ELU(d.one_of(0.5, 1.0))),
    "SELU": elementwise(lambda d: nn.SELU()), "GELU": elementwise(lambda d: nn.GELU()),
    "Swish": elementwise(lambda d: nn.Swish(d.one_of(1.0, 1.5))),
    "HybridLambda": elementwise(lambda d: nn.HybridLambda(d.one_of("tanh", lambda F, x: F.exp(x) * x - 1))),
    "BatchNorm": batch_norm(nn.BatchNorm), "BatchNormReLU": batch_norm(nn.BatchNormReLU),
    "LayerNorm": norm(nn.LayerNorm, (2, 3), -1, 1), "InstanceNorm": norm(nn.InstanceNorm, (3, 4), 1),
    "ReflectionPad2D": padded,
}
for _rank in 1, 2, 3:
    for _name, _draw in ((f"Conv{_rank}D", conv), (f"Conv{_rank}DTranspose", conv_transpose),
                         (f"MaxPool{_rank}D", pool), (f"AvgPool{_rank}D", pool),
                         (f"GlobalMaxPool{_rank}D", global_pool), (f"GlobalAvgPool{_rank}D", global_pool)):
        LAYERS[_name] = _draw(getattr(nn, _name), _rank)


# -- losses -----------------------------------------------------------------------------------------------------------


def simplex(d, *shape):
    x = d.rng.uniform(0.1, 1, shape)
    return x / x.sum(-1, keepdims=True)


def common(d):
    return {"weight": d.one_of(1.0, 0.5, 2.0)}


def sample_weight(d, shape):
    """[] or [weights of the samples]."""
    return [d.rng.uniform(0, 2, (shape[0],) + (1,) * (len(shape) - 1))] if d.flag() else []


def pairs(cls, label, **options):
    """A loss of predictions and labels of the same shape."""
    def make(d):
        shape = d.lengths(d.integer(2, 3), 1, 4)
        drawn = {key: d.one_of(*values) for key, values in options.items()}
        return cls(**common(d), **drawn), [d.normal(*shape), label(d, shape), *sample_weight(d, shape)]
    return make


def real(d, shape):
    return d.normal(*shape)


def sign(d, shape):
    return d.rng.choice([-1.0, 1.0], shape)


def bit(d, shape):
    return d.rng.integers(0, 2, shape)


def sigmoid_bce(d):
    shape, probabilities = d.lengths(2), d.flag()
    pred = d.rng.uniform(0.05, 0.95, shape) if probabilities else d.normal(*shape)
    weights = [d.rng.uniform(0, 2, (shape[0], 1)), d.rng.uniform(0, 2, (1, shape[1]))][:d.integer(0, 2)]
    return loss.SigmoidBCELoss(from_sigmoid=probabilities, **common(d)), [pred, bit(d, shape), *weights]


def softmax_ce(d):
    shape, sparse, logits = d.lengths(2, 2, 5), d.flag(), d.flag()
    pred = np.log(simplex(d, *shape)) if logits else d.normal(*shape)
    label = d.rng.integers(0, shape[1], shape[0]) if sparse else simplex(d, *shape)
    return (loss.SoftmaxCELoss(sparse_label=sparse, from_logits=logits, **common(d)),
            [pred, label, *sample_weight(d, shape)])


def kl_div(d):
    shape, logits = d.lengths(2, 2, 5), d.flag()
    pred = np.log(simplex(d, *shape)) if logits else d.normal(*shape)
    return loss.KLDivLoss(from_logits=logits, **common(d)), [pred, simplex(d, *shape), *sample_weight(d, shape)]


def ctc(d):
    batch, steps, classes, layout = d.integer(1, 2), d.integer(5, 6), d.integer(3, 4), d.one_of("NTC", "TNC")
    pred = d.normal(*((batch, steps) if layout == "NTC" else (steps, batch)), classes)
    return loss.CTCLoss(layout, **common(d)), [pred, d.rng.integers(0, classes - 1, (batch, 2))]


def triplet(d):
    shape = d.lengths(2)
    return loss.TripletLoss(margin=d.one_of(1, 0.5), **common(d)), [d.normal(*shape) for _ in range(3)]


def poisson(d):
    shape, logits = d.lengths(2), d.flag()
    pred = d.normal(*shape) if logits else d.rng.uniform(0.1, 2, shape)
    return (loss.PoissonNLLLoss(from_logits=logits, compute_full=d.flag(), **common(d)),
            [pred, d.rng.integers(0, 5, shape)])


def cosine(d):
    shape = d.lengths(2)
    return (loss.CosineEmbeddingLoss(margin=d.one_of(0, -0.2, 0.3), **common(d)),
            [d.normal(*shape), d.normal(*shape), sign(d, shape[:1])])


def sdml(d):
    shape = d.lengths(2, 2)
    return loss.SDMLLoss(smoothing_parameter=d.one_of(0.3, 0.1)), [d.normal(*shape), d.normal(*shape)]


LOSSES = {
    "L2Loss": pairs(loss.L2Loss, real), "L1Loss": pairs(loss.L1Loss, real, batch_axis=(0, 1)),
    "HuberLoss": pairs(loss.HuberLoss, real, rho=(1, 0.5)), "HingeLoss": pairs(loss.HingeLoss, sign, margin=(1, 2)),
    "SquaredHingeLoss": pairs(loss.SquaredHingeLoss, sign, margin=(1, 2)),
    "LogisticLoss": pairs(loss.LogisticLoss, sign), "SigmoidBinaryCrossEntropyLoss": sigmoid_bce,
    "SoftmaxCrossEntropyLoss": softmax_ce, "KLDivLoss": kl_div, "CTCLoss": ctc, "TripletLoss": triplet,
    "PoissonNLLLoss": poisson, "CosineEmbeddingLoss": cosine, "SDMLLoss": sdml,
}


@st.composite
def blocks(draw, make):
    """(block, inputs as NumPy arrays) of one of the functions above."""
    return make(Drawer(draw))
