"""`nd.contrib`: optimizer steps for several weights at once, and classes drawn from Zipf's law."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..base import ArgumentError
from ..context import current_context
from ..ops import REGISTRY
from . import random
from .ndarray import NDArray
from .register import make_function

if TYPE_CHECKING:
    from ..context import Context

__all__ = ["adamw_update", "mp_adamw_update", "multi_adamw_update", "multi_lamb_update", "multi_mp_adamw_update",
           "multi_mp_lamb_update", "rand_zipfian"]

_cast, _exp, _floor, _log, _norm, _reshape, _zeros_like = (
    make_function(REGISTRY[name]) for name in ("Cast", "exp", "floor", "log", "norm", "Reshape", "zeros_like"))
_steps = {name: make_function(REGISTRY[name]) for name in (
    "_adamw_update", "_mp_adamw_update", "lamb_update_phase1", "lamb_update_phase2", "mp_lamb_update_phase1",
    "mp_lamb_update_phase2")}


def adamw_update(weight: NDArray, grad: NDArray, mean: NDArray, var: NDArray, rescale_grad: float | NDArray, lr: float,
                 eta: float, out: NDArray | None = None, **kwargs: Any) -> NDArray:
    """Returns the new weight after a step of AdamW: weight - eta · (lr · mean / (√var + epsilon) + wd · weight).

    weight, grad, mean, var (any shape): mean and var, the running means of the gradient and its square, are overwritten

    rescale_grad: the factor by which grad is multiplied, a number or an NDArray (1,) on any device; if it is 0, NaN or
        infinite, nothing changes.
    lr: the learning rate.
    eta: a factor applied to the entire step, for schedules.
    out: an array for the new weight, often weight itself.
    kwargs: beta1, beta2, epsilon, wd, clip_gradient.

    Source: Loshchilov and Hutter 2017, Decoupled weight decay regularization, arXiv:1711.05101.

    >>> weight, mean, var = nd.array([1]), nd.zeros(1), nd.zeros(1)
    >>> how = {"beta1": 0.5, "beta2": 0.75, "epsilon": 0, "lr": 1, "wd": 0.5, "eta": 1}
    >>> print(nd.contrib.adamw_update(weight, nd.array([4]), mean, var, 1, **how).asnumpy())
    [-0.5]
    """
    return _steps["_adamw_update"](weight, grad, mean, var, _scale(rescale_grad, mean), lr=lr, eta=eta, out=out,
                                   **kwargs)


def mp_adamw_update(weight: NDArray, grad: NDArray, mean: NDArray, var: NDArray, weight32: NDArray,
                    rescale_grad: float | NDArray, lr: float, eta: float, out: NDArray | None = None,
                    **kwargs: Any) -> NDArray:
    """Returns the result of `adamw_update` for a float16 weight.

    weight32: the float32 copy of weight, which the step updates.
    weight, grad, mean, var, rescale_grad, lr, eta, out, kwargs: as in `adamw_update`.

    >>> weight32, mean, var = nd.array([1]), nd.zeros(1), nd.zeros(1)
    >>> weight, grad = weight32.astype("float16"), nd.array([4], dtype="float16")
    >>> how = {"beta1": 0.5, "beta2": 0.75, "epsilon": 0, "lr": 1, "wd": 0.5, "eta": 1}
    >>> print(nd.contrib.mp_adamw_update(weight, grad, mean, var, weight32, 1, **how).asnumpy(), weight32.asnumpy())
    [-0.5] [-0.5]
    """
    return _steps["_mp_adamw_update"](weight, grad, mean, var, weight32, _scale(rescale_grad, mean), lr=lr, eta=eta,
                                      out=out, **kwargs)


def _scale(rescale_grad, mean):
    """Returns rescale_grad as an array on the device of mean."""
    if isinstance(rescale_grad, NDArray):
        return rescale_grad.as_in_context(mean.context)
    return _zeros_like(_reshape(mean, shape=(-1,))[:1]) + rescale_grad


def multi_adamw_update(weights: Sequence[NDArray], grads: Sequence[NDArray], mean: Sequence[NDArray],
                       var: Sequence[NDArray], rescale_grad: float | NDArray, lrs: Sequence[float],
                       wds: Sequence[float], etas: Sequence[float], out: Sequence[NDArray] | None = None,
                       name: str | None = None, size: int = 0, **kwargs: Any) -> list[NDArray]:
    """Takes an `adamw_update` step for each weight. Returns the list of new weights, written to `out` if given.

    weights, grads, mean, var: lists of NDArrays; mean and var are overwritten.
    rescale_grad: NDArray (1,) or a number; 0, NaN or infinity skips the step.
    lrs, wds, etas: lists of numbers.
    name: has no effect.
    size: the number of weights, which can be inferred from the lists.
    kwargs: beta1, beta2, epsilon, clip_gradient.

    >>> weights, grads, mean, var = [nd.array([1])], [nd.array([4])], [nd.zeros(1)], [nd.zeros(1)]
    >>> how = {"beta1": 0.5, "beta2": 0.75, "epsilon": 0, "lrs": [1], "wds": [0.5], "etas": [1]}
    >>> print(nd.contrib.multi_adamw_update(weights, grads, mean, var, 1, **how)[0].asnumpy())
    [-0.5]
    """
    return _adamw("_adamw_update", [weights, grads, mean, var], rescale_grad, lrs, wds, etas, out, kwargs)


def multi_mp_adamw_update(weights: Sequence[NDArray], grads: Sequence[NDArray], mean: Sequence[NDArray],
                          var: Sequence[NDArray], weights32: Sequence[NDArray], rescale_grad: float | NDArray,
                          lrs: Sequence[float], wds: Sequence[float], etas: Sequence[float],
                          out: Sequence[NDArray] | None = None, name: str | None = None, size: int = 0,
                          **kwargs: Any) -> list[NDArray]:
    """Returns the result of `multi_adamw_update` for float16 weights.

    weights32: the float32 copies of the weights, which the steps update.
    weights, grads, mean, var, rescale_grad, lrs, wds, etas, out, name, size, kwargs: as in `multi_adamw_update`.

    >>> weights32, mean, var = [nd.array([1])], [nd.zeros(1)], [nd.zeros(1)]
    >>> weights, grads = [nd.array([1], dtype="float16")], [nd.array([4], dtype="float16")]
    >>> how = {"beta1": 0.5, "beta2": 0.75, "epsilon": 0, "lrs": [1], "wds": [0.5], "etas": [1]}
    >>> print(nd.contrib.multi_mp_adamw_update(weights, grads, mean, var, weights32, 1, **how)[0].asnumpy())
    [-0.5]
    """
    return _adamw("_mp_adamw_update", [weights, grads, mean, var, weights32], rescale_grad, lrs, wds, etas, out, kwargs)


def _adamw(step, arrays, rescale_grad, lrs, wds, etas, out, options):
    rescale_grad = _scale(rescale_grad, arrays[2][0])
    rows = _rows(step, arrays, {"lrs": lrs, "wds": wds, "etas": etas}, out)
    return [_steps[step](*row, rescale_grad, lr=lr, wd=wd, eta=eta, out=target, **options)
            for row, (lr, wd, eta), target in rows]


def multi_lamb_update(weights: Sequence[NDArray], grads: Sequence[NDArray], mean: Sequence[NDArray],
                      var: Sequence[NDArray], step_count: Sequence[int], lrs: Sequence[float], wds: Sequence[float],
                      out: Sequence[NDArray] | None = None, num_tensors: int = 0, **kwargs: Any) -> list[NDArray]:
    """Takes the steps of `lamb_update_phase1` and `_phase2` for each weight. Returns the new weights, or `out`.

    weights, grads, mean, var: lists of NDArrays; mean and var are overwritten.
    step_count, lrs, wds: lists of numbers.
    num_tensors: the number of weights, which can be inferred from the lists.
    kwargs: beta1, beta2, epsilon, bias_correction, rescale_grad, clip_gradient, lower_bound, upper_bound.

    >>> weights, grads, mean, var = [nd.array([2])], [nd.array([4])], [nd.zeros(1)], [nd.zeros(1)]
    >>> how = {"epsilon": 0, "step_count": [1], "lrs": [0.5], "wds": [0]}
    >>> print(nd.contrib.multi_lamb_update(weights, grads, mean, var, **how)[0].asnumpy().round(3))
    [1.]
    """
    return _lamb("", [weights, grads, mean, var], step_count, lrs, wds, out, kwargs)


def multi_mp_lamb_update(weights: Sequence[NDArray], grads: Sequence[NDArray], mean: Sequence[NDArray],
                         var: Sequence[NDArray], weights32: Sequence[NDArray], step_count: Sequence[int],
                         lrs: Sequence[float], wds: Sequence[float], out: Sequence[NDArray] | None = None,
                         num_tensors: int = 0, **kwargs: Any) -> list[NDArray]:
    """Returns the result of `multi_lamb_update` for float16 weights.

    weights32: the float32 copies of the weights, which the steps update.
    weights, grads, mean, var, step_count, lrs, wds, out, num_tensors, kwargs: as in `multi_lamb_update`.

    >>> weights32, mean, var = [nd.array([2])], [nd.zeros(1)], [nd.zeros(1)]
    >>> weights, grads = [nd.array([2], dtype="float16")], [nd.array([4], dtype="float16")]
    >>> how = {"epsilon": 0, "step_count": [1], "lrs": [0.5], "wds": [0]}
    >>> print(nd.contrib.multi_mp_lamb_update(weights, grads, mean, var, weights32, **how)[0].asnumpy().round(3))
    [1.]
    """
    return _lamb("mp_", [weights, grads, mean, var, weights32], step_count, lrs, wds, out, kwargs)


def _lamb(precision, arrays, step_count, lrs, wds, out, options):
    bounds = {key: options.pop(key) for key in ("lower_bound", "upper_bound") if key in options}
    results = []
    rows = _rows(f"multi_{precision}lamb_update", arrays, {"step_count": step_count, "lrs": lrs, "wds": wds}, out)
    for row, (t, lr, wd), target in rows:
        direction = _steps[f"{precision}lamb_update_phase1"](*row, t=t, wd=wd, **options)
        # For float16 weights, MXNet also uses the norm of these weights rather than that of the float32 copies.
        norms = [_reshape(_norm(_cast(x, dtype="float32")), shape=(1,)) for x in (row[0], direction)]
        results.append(_steps[f"{precision}lamb_update_phase2"](row[0], direction, *norms, *row[4:], lr=lr, out=target,
                                                                **bounds))
    return results


def _rows(function, arrays, numbers, out):
    """Yields (arrays, numbers, target) for each weight. Raises ArgumentError for lists of different lengths."""
    out = [None] * len(arrays[0]) if out is None else out if isinstance(out, (list, tuple)) else [out]
    lengths = [len(part) for part in (*arrays, *numbers.values(), out)]
    if len(set(lengths)) > 1:
        raise ArgumentError(f"{function.strip('_')}: the lists have different lengths: {', '.join(map(str, lengths))} "
                            f"of arrays, {', '.join(numbers)} and out")
    return zip(zip(*arrays, strict=True), zip(*numbers.values(), strict=True), out, strict=True)


def rand_zipfian(true_classes: NDArray, num_sampled: int, range_max: int,
                 ctx: Context | None = None) -> tuple[NDArray, NDArray, NDArray]:
    """Draws classes 0 ... range_max - 1 with replacement.

    Classes with smaller indices are drawn more often, like words sorted by frequency.

    P(c) = log((c + 2) / (c + 1)) / log(range_max + 1)

    true_classes: NDArray (n,).
    num_sampled: the number of classes to draw.
    range_max: the number of classes.
    ctx: the device; the current one if None.

    Returns (the drawn classes (num_sampled,) int64, the expected counts among num_sampled draws of true_classes (n,)
    and of the drawn classes (num_sampled,), float64).

    >>> drawn, expected, _ = nd.contrib.rand_zipfian(nd.array([0]), num_sampled=4, range_max=3)
    >>> print(drawn.shape, expected.asnumpy())                          # 4 log 2 / log 4
    (4,) [2.]
    """
    ctx = ctx or current_context()
    total = math.log(range_max + 1)
    drawn = random.uniform(0, total, shape=(num_sampled,), dtype="float64", ctx=ctx)
    sampled = _cast(_floor(_exp(drawn) - 1), dtype="int64") % range_max

    def expected(classes):
        classes = _cast(classes.as_in_context(ctx), dtype="float64")
        return _log((classes + 2.0) / (classes + 1.0)) / total * num_sampled
    return sampled, expected(true_classes), expected(sampled)
