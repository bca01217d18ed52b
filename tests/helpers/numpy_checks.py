"""A drawn call of a function of `mx.np` against NumPy: forward and gradient, imperative and in a hybridized block."""

import numpy as onp

import minigluon as mx
from minigluon import autograd, gluon, np

from .numpy_rows import WITHOUT_GRADIENT, flat, numpys

__all__ = ["check"]

# Their gradients are 0 or have steps; of a part of an eigenvector's sign nothing is known.
_STEPS = {*WITHOUT_GRADIENT, "nan_to_num", "linalg.eigvalsh", "around", "round", "round_"}


class _Called(gluon.HybridBlock):
    def __init__(self, name, call):
        super().__init__()
        self._function, self._call = name, call

    def hybrid_forward(self, F, *arrays):
        function = F.np
        for part in self._function.split("."):
            function = getattr(function, part)
        return self._call(function, arrays)


def check(name, call, is_thorough=False):
    """Raise AssertionError where the call differs from NumPy's; where NumPy refuses it, an MXNetError must come.

    is_thorough: compare results and gradients in all three ways; otherwise results of arrays and of symbols, and
    gradients of arrays and of a hybridized block.
    """
    given = [np.array(a) for a in call.arrays]
    with onp.errstate(all="ignore"):
        try:
            expected = flat(call(numpys(name), call.arrays))
        except ZeroDivisionError:           # of weights without a sum, where MXNet gives NaN
            return
        except Exception as error:
            expected = error
    plain, hybridized, symbolic = _Called(name, call), _Called(name, call), _Symbolic(name, call)
    hybridized.hybridize()
    for block in (plain, symbolic, hybridized)[:3 if is_thorough else 2]:
        if isinstance(expected, Exception):
            _check_refusal(name, call, block, given, expected)
        else:
            _check_results(name, flat(block(*given)), expected)
    if not isinstance(expected, Exception) and name not in _STEPS and all(
            a.dtype.kind == "f" or i == 1 and name == "take" for i, a in enumerate(call.arrays)):
        _check_gradients(name, call, (plain, hybridized, symbolic)[:3 if is_thorough else 2])


class _Symbolic:
    """The function of `mx.sym.np` as a symbol that a SymbolBlock runs."""

    def __init__(self, name, call):
        self._function, self._call = name, call

    def __call__(self, *arrays):
        function = mx.sym.np
        for part in self._function.split("."):
            function = getattr(function, part)
        inputs = [mx.sym.var(f"x{i}").as_np_ndarray() for i in range(len(arrays))]
        results = self._call(function, inputs)
        return gluon.SymbolBlock(results, inputs)(*arrays)


def _check_refusal(name, call, block, given, error):
    try:
        found = block(*given)
    except mx.MXNetError:
        return
    raise AssertionError(f"np.{name}: NumPy says {type(error).__name__}: {error}; here it gives {found}")


def _check_results(name, found, expected):
    assert len(found) == len(expected), (len(found), len(expected))
    for x, y in zip(found, expected, strict=True):
        y = onp.asarray(y)
        assert type(x) is np.ndarray, type(x)
        assert x.shape == y.shape, (x.shape, y.shape)
        assert (x.dtype == bool) == (y.dtype == bool), (x.dtype, y.dtype)
        values = x.asnumpy()
        if x.dtype.kind == "u":
            y = y.astype("int64") % 256
        if name == "linalg.eigh":
            values = abs(values)
        loose = "float32" in (x.dtype.name, y.dtype.name)
        onp.testing.assert_allclose(values.astype("float64"), y.astype("float64"), rtol=1e-4 if loose else 1e-6,
                                    atol=1e-5 if loose else 1e-9)


def _check_gradients(name, call, blocks):
    """Compare along one direction, in float64, with differences."""
    arrays = [a.astype("float64") if a.dtype.kind == "f" else a for a in call.arrays]
    rng = onp.random.default_rng(0)
    directions = [rng.uniform(-1, 1, a.shape) * (a.dtype.kind == "f") for a in arrays]
    if name in ("linalg.cholesky", "linalg.eigh", "linalg.eigvalsh"):         # of symmetric matrices
        directions = [d + d.swapaxes(-1, -2) for d in directions]

    def value(step):
        moved = [np.array(a + step * d if a.dtype.kind == "f" else a) for a, d in zip(arrays, directions, strict=True)]
        total = _total(blocks[0](*moved))
        return onp.nan if total is None else float(total)
    difference = (value(1e-6) - value(-1e-6)) / 2e-6
    if onp.isnan(difference):
        return
    for block in blocks:
        given = [np.array(a) for a in arrays]
        variables = [x for x in given if x.dtype.kind == "f"]
        for x in variables:
            x.attach_grad()
        with autograd.record():
            total = _total(block(*given))
        total.backward()
        slope = sum(float((x.grad.asnumpy() * d).sum()) for x, d in zip(
            variables, [d for a, d in zip(arrays, directions, strict=True) if a.dtype.kind == "f"], strict=True))
        onp.testing.assert_allclose(slope, difference, rtol=1e-4, atol=1e-5)


def _total(results):
    """The sum of the floats of all results, each with another weight; None without floats."""
    parts = [y for y in flat(results) if y.dtype.kind == "f"]
    return sum((y * (k + 1) * _weights(y.shape)).sum() for k, y in enumerate(parts)) if parts else None


def _weights(shape):
    """Different weights for the elements of a result, so that no two of them can be mistaken for each other."""
    count = int(onp.prod(shape))
    return np.array(onp.linspace(0.5, 1.5, count).reshape(shape))
