"""Random arrays. A table of distributions defines three operators for each: `_random_x` (with numbers as parameters),
`_random_x_like` (with the shape of an array) and `_sample_x` (with arrays as parameters and `shape` draws for each
element).
"""

import re
from functools import cached_property

import numpy as np

from ...base import ArgumentError
from ...diagnostics.strictness import refuse
from ..fields import Device, DType, Shape
from ..op import Op
from ..registry import define, register

__all__ = ["_random_randint", "_shuffle"]


class _Random(Op):
    """Draws with numbers as parameters and without inputs. For `draw` and `forbidden`, see `_distribution`.

    out (*shape)

    shape: the shape of the result; None for (1,).
    ctx: the device, such as 'cpu(0)'; '' for the current one.
    dtype: the element type; None for float32.
    """

    gradient = None
    keeps = ()
    draw = None
    forbidden = {}

    def infer_shape(self):
        return [], [self.shape or (1,)]

    def infer_dtype(self):
        return [], [np.dtype(self.dtype or "float32")]

    @cached_property
    def how(self):
        """Returns the result's shape and dtype, then the parameters. Raises ArgumentError for invalid parameters."""
        parameters = [value for name, value in self.attributes.items() if name not in ("shape", "ctx", "dtype")]
        _check(self, parameters)
        return self.shape or (1,), np.dtype(self.dtype or "float32"), *parameters

    def forward(self, *, rng):
        return _drawn(self, rng, *self.how)


class _RandomLike(Op):
    """Draws with numbers as parameters, with the shape, dtype and context of `data`.

    data (any shape; the elements are not used) | out like data
    """

    gradient = None
    keeps = ()
    draw = None
    forbidden = {}

    def forward(self, data, *, rng):
        return _checked(self, rng, list(self.attributes.values()), data.shape, data.dtype)


class _Sample(Op):
    """`shape` draws for each element of the parameter arrays.

    shape: the shape of the draws for one element; () for one draw.
    dtype: the element type; None for the type of the parameters, or float32 if these are integers.
    """

    gradient = None
    keeps = ()
    draw = None
    forbidden = {}

    def infer_shape(self, *shapes):
        inputs, outputs = super().infer_shape(*shapes)
        return inputs, [None if s is None else (*s, *self.shape) for s in outputs]

    def infer_dtype(self, *dtypes):
        inputs, [dtype] = super().infer_dtype(*dtypes)
        if self.dtype is not None:
            return inputs, [np.dtype(self.dtype)]
        return inputs, [dtype if dtype is None or dtype.kind == "f" else np.dtype("float32")]

    def forward(self, *parameters, rng):
        dtype = self.infer_dtype(*[p.dtype for p in parameters])[1][0]
        lead = parameters[0].shape
        spread = [p.reshape(lead + (1,) * len(self.shape)) for p in parameters]
        return _checked(self, rng, spread, lead + self.shape, dtype)


def _checked(op, rng, parameters, shape, dtype):
    """Checks the parameters and returns the draws in `dtype`."""
    _check(op, parameters)
    return _drawn(op, rng, shape, dtype, *parameters)


def _check(op, parameters):
    """Raises ArgumentError for invalid numbers, as MXNet does. MXNet does not check arrays, which are usually computed;
    in lenient mode, they are not checked here either.
    """
    for message, outside in op.forbidden.items():
        if np.any(outside(*parameters)):
            error = ArgumentError(f"{op.name}: {message}")
            if not isinstance(parameters[0], np.ndarray):
                raise error
            refuse(error)


def _drawn(op, rng, shape, dtype, *parameters):
    """Returns the draws in `dtype`. Converts NumPy's error about a parameter to an error that names the operator."""
    try:
        drawn = op.draw(rng, shape, dtype, *parameters)
        return drawn if drawn.__class__ is np.ndarray and drawn.dtype == dtype else np.asarray(drawn).astype(dtype)
    except ValueError as error:
        raise ArgumentError(f"{op.name}: {error}") from None


_FLOAT32, _FLOAT64 = np.dtype("float32"), np.dtype("float64")       # comparing with np.float64 is slower


def _native(dtype):
    """Returns the type to draw in. NumPy draws float32 and float64 directly; float16 is rounded from float32."""
    return dtype if dtype == _FLOAT64 else _FLOAT32


def _uniform(rng, shape, dtype, low, high):
    out = rng.random(shape, _native(dtype))
    width = np.subtract(high, low, dtype=out.dtype)
    if np.any(np.not_equal(width, 1)):
        out *= width
    out += np.asarray(low, out.dtype)
    return out


def _normal(rng, shape, dtype, loc, scale):
    out = rng.standard_normal(shape, _native(dtype))
    if not (scale.__class__ is float and scale == 1):
        out *= np.asarray(scale, out.dtype)
    if not (loc.__class__ is float and loc == 0):
        out += np.asarray(loc, out.dtype)
    return out


def _gamma(rng, shape, dtype, alpha, beta):
    if np.any(np.less(alpha, 0)):               # the formula is undefined here
        raise ValueError("alpha must not be negative")
    out = rng.standard_gamma(alpha, shape, _native(dtype))
    out *= np.asarray(beta, out.dtype)
    return out


def _exponential(rng, shape, dtype, lam):
    out = rng.standard_exponential(shape, _native(dtype))
    with np.errstate(divide="ignore", invalid="ignore"):
        out /= np.asarray(lam, out.dtype)
    return out


def _poisson(rng, shape, dtype, lam):
    return rng.poisson(np.maximum(lam, 0), shape)


def _negative_binomial(rng, shape, dtype, k, p):
    """Returns the failures before the k-th success: a Poisson variable whose rate is a gamma variable."""
    if np.any(np.less_equal(p, 0)):             # there is never a k-th success
        raise ValueError("p must be in (0, 1]")
    p = np.minimum(np.asarray(p, "float64"), 1)
    return rng.poisson(rng.gamma(k, (1 - p) / p, shape))


def _generalized_negative_binomial(rng, shape, dtype, mu, alpha):
    """Returns draws with mean mu and variance mu + alpha·mu². With alpha = 0, this is a Poisson distribution."""
    mu, alpha = np.maximum(np.asarray(mu, "float64"), 0), np.asarray(alpha, "float64")
    flat = alpha == 0
    some = np.where(flat, 1, alpha)
    return rng.poisson(np.where(flat, mu, rng.gamma(1 / some, some * mu, shape)))


def _distribution(name, parameters, draw, doc, mean, short=(), sample_names=None, forbidden=None):
    """Registers the three operators of a distribution.

    parameters: attribute name -> (type, default, description). draw: (rng, shape, dtype, *parameters) -> numbers, of
    any type. doc: uses {0} for the first parameter. mean: an example, "parameters -> the mean of the draws".
    forbidden: message -> a test that is true if the parameters are invalid.
    """
    values, mean = mean.split(" -> ")
    arrays = re.sub(r"\w+=(\S+?)(?=,|$)", r"nd.array([\1])", values)
    sample_names = sample_names or list(parameters)

    def says(head, names, call, shapes=""):
        text = f"Random numbers{head}: {doc.format(*names)}{shapes}\n\n"
        meanings = [meaning for *_, meaning in parameters.values()]
        text += "\n".join(f"{name}: {meaning}." for name, meaning in zip(names, meanings, strict=True))
        text += "".join(f"\n\nRaises ArgumentError: {message}." for message in forbidden or ())
        return f"{text}\n\n>>> {call}.mean().asnumpy().round()\narray([{mean}.], dtype=float32)"

    def members(base, **extra):
        annotations = {n: t for n, (t, *_) in parameters.items()} if base is not _Sample else {}
        defaults = {n: d for n, (_, d, _) in parameters.items()} if base is not _Sample else {}
        return {"draw": draw, "forbidden": forbidden or {}, **defaults, **{n: d for n, (_, d) in extra.items()},
                "__annotations__": {**annotations, **{n: t for n, (t, _) in extra.items()}}}
    aliases = [f"random_{name}", *short]
    define(f"_random_{name}", [], _Random, says("", parameters, f"nd.random_{name}({values}, shape=(10000,))"), aliases,
           **members(_Random, shape=(Shape | None, None), ctx=(Device, ""), dtype=(DType | None, None)))
    define(f"_random_{name}_like", ["data"], _RandomLike,
           says(" in the shape and dtype of data", parameters,
                f"nd.random.{name}_like(nd.zeros((100, 100)), {values})"),
           [f"random_{name}_like"], **members(_RandomLike))
    define(f"_sample_{name}", sample_names, _Sample,
           says(", `shape` draws for each element of the parameters", sample_names,
                f"nd.sample_{name}({arrays}, shape=(10000,))",
                f"\n\n{', '.join(sample_names)} (*S){', one shape' * (len(sample_names) > 1)} | out (*S, *shape)"),
           [f"sample_{name}"], **members(_Sample, shape=(Shape, ()), dtype=(DType | None, None)))


_distribution("uniform", {"low": (float, 0.0, "the lower bound, inclusive"),
                          "high": (float, 1.0, "the upper bound, exclusive")},
              _uniform, "uniform in [{0}, {1}).", "low=2, high=4 -> 3", ["uniform"],
              forbidden={"low must not be above high": np.greater})
_distribution("normal", {"loc": (float, 0.0, "the mean"), "scale": (float, 1.0, "the standard deviation")},
              _normal, "normal with mean {0} and standard deviation {1}.", "loc=5, scale=2 -> 5", ["normal"],
              ["mu", "sigma"], {"the standard deviation must not be negative": lambda loc, scale: np.less(scale, 0)})
_distribution("gamma", {"alpha": (float, 1.0, "the shape of the distribution"),
                        "beta": (float, 1.0, "its scale; the mean is alpha · beta")},
              _gamma, "gamma with shape alpha and scale beta; 0 if one of them is 0.", "alpha=4, beta=2 -> 8",
              forbidden={"beta must not be negative": lambda alpha, beta: np.less(beta, 0)})
_distribution("exponential", {"lam": (float, 1.0, "the rate")}, _exponential,
              "exponential with rate lam, so that the mean is 1 / lam.", "lam=0.25 -> 4",
              forbidden={"lam must not be negative": lambda lam: np.less(lam, 0)})
_distribution("poisson", {"lam": (float, 1.0, "the mean, and the variance")}, _poisson, "Poisson with mean lam.",
              "lam=4 -> 4", forbidden={"lam must not be negative": lambda lam: np.less(lam, 0)})
_distribution("negative_binomial", {"k": (int, 1, "the number of successes"),
                                    "p": (float, 1.0, "the probability of one success")},
              _negative_binomial, "failures before k successes of probability p.", "k=4, p=0.5 -> 4",
              forbidden={"p must be in (0, 1]": lambda k, p: np.greater(p, 1)})
_distribution("generalized_negative_binomial",
              {"mu": (float, 1.0, "the mean"),
               "alpha": (float, 1.0, "how much wider than Poisson's the distribution is; 0 is Poisson's")},
              _generalized_negative_binomial, "negative binomial with mean mu and variance mu + alpha · mu².",
              "mu=4, alpha=0.5 -> 4",
              forbidden={"mu must not be negative": lambda mu, alpha: np.less(mu, 0)})


@register(aliases=["random_randint"])
class _random_randint(Op):
    """Random integers in [low, high).

    out (*shape)

    low, high: the bounds; low is inclusive, high is exclusive.
    shape: the shape of the result; None for (1,).
    ctx: the device, such as 'cpu(0)'; '' for the current one.
    dtype: 'int32' or 'int64'; None for int32.

    Raises ArgumentError if low is not below high.

    >>> sorted(set(nd.random_randint(low=3, high=5, shape=(100,)).asnumpy().tolist()))
    [3, 4]
    """

    low: int
    high: int
    shape: Shape | None = None
    ctx: Device = ""
    dtype: DType | None = None
    gradient = None

    def infer_shape(self):
        if self.low >= self.high:
            raise ArgumentError(f"{self.name}: low={self.low} must be below high={self.high}")
        return [], [self.shape or (1,)]

    def infer_dtype(self):
        return [], [np.dtype(self.dtype or "int32")]

    def forward(self, *, rng):
        try:
            return rng.integers(self.low, self.high, self.shape or (1,), np.dtype(self.dtype or "int32"))
        except (ValueError, TypeError) as error:
            raise ArgumentError(f"{self.name}: {error}") from None


@register("data", aliases=["shuffle"])
class _shuffle(Op):
    """The items along the first axis in random order; the items themselves are unchanged.

    data (n, *item) | out like data

    >>> x = nd.shuffle(nd.array([[1, 10], [2, 20], [3, 30]]))
    >>> nd.sort(x, axis=0).asnumpy(), (x[:, 1] / x[:, 0]).asnumpy()
    (array([[ 1., 10.],
           [ 2., 20.],
           [ 3., 30.]], dtype=float32), array([10., 10., 10.], dtype=float32))
    """

    gradient = None

    def forward(self, data, *, rng):
        return data[rng.permutation(data.shape[0])]
