"""One optimizer step as an operator: it takes weight, gradient and state, returns the new weight and overwrites the
state.

`out=weight` updates the weight in place. In all formulas, g = clip(rescale_grad · grad); a clip_gradient below 0 means
no clipping. `mp_` means mixed precision: float16 weights with a float32 copy, `weight32`, which the step updates.
"""

import numpy as np

from ..kinds import Elementwise

__all__ = []


class Update(Elementwise):
    """Base class of steps for one weight: the arrays have the same shape and floating-point type, and there is no
    gradient.

    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    lr: the learning rate.
    momentum: the fraction of the last step that is repeated.
    beta1: the decay rate of the running mean of the gradient.
    beta2: the decay rate of the running mean of the squared gradient.
    gamma1: the decay rate of the running means.
    epsilon: added to the denominator to avoid division by 0.
    wd: the weight decay.
    wd_lh: a decoupled weight decay, as in Loshchilov and Hutter.
    eta: the factor of the entire step, for schedules.
    t: the index of the step, counted from 1.
    rescale_grad: the factor of grad, applied first.
    clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    clip_grad: the rescaled gradient is clipped to [-clip_grad, clip_grad]; no clipping if negative.
    clip_weights: the new weight is clipped to [-clip_weights, clip_weights]; no clipping if not positive.
    lazy_update: if True, update only the rows that a row_sparse gradient contains.
    lower_bound: the lower bound of r1; no bound if negative.
    upper_bound: the upper bound of r1; no bound if negative.
    bias_correction: if True, divide the running means by 1 - betaᵗ, because they start at 0.
    """

    gradient = None
    keeps = ()

    def infer_dtype(self, *dtypes):
        for name, dtype in zip(self.list_arguments(), dtypes, strict=True):
            self.require_float(name, dtype)
        return super().infer_dtype(*dtypes)

    @property
    def in_place(self):
        """The names of the inputs that the result may overwrite, because each piece is read before it is written."""
        return tuple(name for name in self.list_arguments() if name not in self.mutates)


PIECE = 2 ** 15         # elements per piece, so that a step's intermediate results stay in the cache


def in_pieces(step, arrays, targets):
    """Writes the results of `step(*arrays)` to `targets`, piece by piece if they are large."""
    if targets[0].size <= PIECE:
        store(targets, step(*arrays))
        return
    arrays, targets = [a.reshape(-1) for a in arrays], [a.reshape(-1) for a in targets]
    for start in range(0, targets[0].size, PIECE):
        piece = slice(start, start + PIECE)
        store([a[piece] for a in targets], step(*[a[piece] for a in arrays]))


def store(targets, results):
    """Writes a step's results, the new weight and states, over the old ones."""
    for target, result in zip(targets, results if isinstance(results, tuple) else (results,), strict=True):
        np.copyto(target, result)


class MixedUpdate(Update):
    """A step on `weight32`; weight and grad are float16.

    weight32: the float32 copy of weight, which the step updates in place.
    """

    def infer_dtype(self, *dtypes):
        require_mixed(self, dict(zip(self.list_arguments(), dtypes, strict=True)))
        return list(dtypes), [dtypes[0]]


def require_mixed(op, dtypes):
    """Raises DTypeError for types that a step does not accept. dtypes: {name in the group: dtype}.

    All must be floats. Weight and gradient have the same type, and weight32 and the states another type; without
    weight32, all have the same type.
    """
    narrow = wide = None
    for name, dtype in dtypes.items():
        op.require_float(name, dtype)
        if name in ("weight", "grad") or "weight32" not in dtypes:
            narrow = op.require_dtype(name, dtype, narrow)
        else:
            wide = op.require_dtype(name, dtype, wide)


def clipped(g, limit):
    """Returns g clipped to [-limit, limit], in place; unchanged if limit is negative."""
    if limit > 65504:           # the largest float16: a higher limit may become infinite
        limit = np.array(limit).astype(g.dtype)
    if not isinstance(g, np.ndarray):       # a scalar, which NumPy returns for arrays without axes
        return g if limit < 0 else np.clip(g, -limit, limit)
    return g if limit < 0 else np.clip(g, -limit, limit, out=g)


def decayed(op, weight, grad, wd):
    """Returns clip(rescale_grad · grad + wd · weight): the decay is clipped together with the gradient."""
    d = grad * op.rescale_grad
    if wd:
        d += wd * weight
    return clipped(d, op.clip_gradient)


def moments(op, d, mean, var):
    """Returns the running means of d and d². Overwrites d."""
    mean = running_mean(mean, d, op.beta1)
    return mean, running_mean(var, np.square(d, out=d), op.beta2)


def running_mean(mean, new, decay):
    """Returns decay · mean + (1 - decay) · new, with decay in float32, as in MXNet, unless they are float64.

    Computing with the difference of mean and new would give infinity where new is infinite.
    """
    decay = decay if mean.dtype == np.float64 else float(np.float32(decay))
    out = mean * decay
    out += new * (1 - decay)
    return out
