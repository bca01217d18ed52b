"""One step of an optimizer as an operator: weight, gradient and state in; the new weight out, the state overwritten.

`out=weight` makes the step in place. In all of them g = clip(rescale_grad · grad), where a clip_gradient below 0 means
no clipping; the formulas say where the weight decay enters. `mp_` stands for mixed precision: float16 weights with a
float32 copy, `weight32`, on which the step is made.
"""

import numpy as np

from ..kinds import Elementwise

__all__ = []


class Update(Elementwise):
    """What steps of one weight share: arrays of one shape and one floating-point type, no gradient of their own.

    weight: what is moved. The result is its new value: `out=weight` makes the step in place.
    lr: the learning rate.
    momentum: how much of the last step is made again.
    beta1: how much the running mean of the gradient keeps.
    beta2: how much the running mean of its square keeps.
    gamma1: how much the running means keep.
    epsilon: what is added below a fraction, so that it never divides by 0.
    wd: the weight decay.
    wd_lh: a decay apart from the gradient's, after Loshchilov and Hutter.
    eta: the factor of the whole step, a schedule's.
    t: the number of the step, from 1.
    rescale_grad: what grad is multiplied by before all else.
    clip_gradient: into [-clip_gradient, clip_gradient] the rescaled gradient is brought; not where it is below 0.
    clip_grad: into [-clip_grad, clip_grad] the rescaled gradient is brought; not where it is below 0.
    clip_weights: into [-clip_weights, clip_weights] the new weight is brought; not where it is not above 0.
    lazy_update: with a row_sparse gradient, step the rows that it has alone.
    lower_bound: the least that r1 counts; no bound where it is below 0.
    upper_bound: the most that r1 counts; no bound where it is below 0.
    bias_correction: True divides the running means by 1 - betaᵗ, as they begin with 0.
    """

    gradient = None
    keeps = ()

    def infer_dtype(self, *dtypes):
        for name, dtype in zip(self.list_arguments(), dtypes, strict=True):
            self.require_float(name, dtype)
        return super().infer_dtype(*dtypes)

    @property
    def in_place(self):
        """A piece of the new weight is written after that piece of all arrays was read; a state has its own memory."""
        return tuple(name for name in self.list_arguments() if name not in self.mutates)


PIECE = 2 ** 15         # elements of each array at a time: what a step computes on the way then stays in the cache


def in_pieces(step, arrays, targets):
    """Write the results of `step(*arrays)` to `targets`, a piece after the other where they are large."""
    if targets[0].size <= PIECE:
        store(targets, step(*arrays))
        return
    arrays, targets = [a.reshape(-1) for a in arrays], [a.reshape(-1) for a in targets]
    for start in range(0, targets[0].size, PIECE):
        piece = slice(start, start + PIECE)
        store([a[piece] for a in targets], step(*[a[piece] for a in arrays]))


def store(targets, results):
    """Write a step's results, the new weight and states, into the memory of the old ones."""
    for target, result in zip(targets, results if isinstance(results, tuple) else (results,), strict=True):
        np.copyto(target, result)


class MixedUpdate(Update):
    """A step on `weight32`; weight and grad are float16.

    weight32: the float32 copy of weight, on which the step is made. It is overwritten.
    """

    def infer_dtype(self, *dtypes):
        require_mixed(self, dict(zip(self.list_arguments(), dtypes, strict=True)))
        return list(dtypes), [dtypes[0]]


def require_mixed(op, dtypes):
    """Refuse types with which a step cannot be made. dtypes: {name in the group: dtype}.

    Floats, and one type for weight and gradient; also for weight32 and the states. Without weight32, one type for all.
    """
    narrow = wide = None
    for name, dtype in dtypes.items():
        op.require_float(name, dtype)
        if name in ("weight", "grad") or "weight32" not in dtypes:
            narrow = op.require_dtype(name, dtype, narrow)
        else:
            wide = op.require_dtype(name, dtype, wide)


def clipped(g, limit):
    """g with its elements brought into [-limit, limit], in place; untouched when limit is negative."""
    if limit > 65504:           # the least of the floats' largest numbers: beyond it the limit may be infinite
        limit = np.array(limit).astype(g.dtype)
    if not isinstance(g, np.ndarray):       # a number, which is what NumPy computes of arrays without axes
        return g if limit < 0 else np.clip(g, -limit, limit)
    return g if limit < 0 else np.clip(g, -limit, limit, out=g)


def decayed(op, weight, grad, wd):
    """clip(rescale_grad · grad + wd · weight): the decay is clipped with the gradient."""
    d = grad * op.rescale_grad
    if wd:
        d += wd * weight
    return clipped(d, op.clip_gradient)


def moments(op, d, mean, var):
    """The running means of d and d². Overwrites d."""
    mean = running_mean(mean, d, op.beta1)
    return mean, running_mean(var, np.square(d, out=d), op.beta2)


def running_mean(mean, new, decay):
    """decay · mean + (1 - decay) · new, with one array of memory."""
    out = mean - new
    out *= decay
    out += new
    return out
