"""How an initializer is called, and those of one formula."""

from __future__ import annotations

import json
import logging
import math
import warnings
import weakref
import zlib
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from .. import random
from ..base import ArgumentError, ShapeError
from ..common.class_registry import Factory
from ..ndarray import NDArray

__all__ = ["Bilinear", "Constant", "InitDesc", "Initializer", "LSTMBias", "MSRAPrelu", "Normal", "One", "Orthogonal",
           "Uniform", "Xavier", "Zero", "alias", "create", "register"]

_factory = Factory("initializer")
register, alias = _factory.register, _factory.alias

# The text of GivenValues -> the Constant that it means.
_given: weakref.WeakValueDictionary[str, Constant] = weakref.WeakValueDictionary()


def create(described: Any, *args: Any, **kwargs: Any) -> Any:
    """An instance from a name and arguments, or from what `dumps` wrote; see `Factory.create`.

    described: 'normal', '["normal", {"sigma": 0.5}]', or an Initializer, which comes back.
    args, kwargs: arguments of the initializer.

    >>> init.create("normal", sigma=0.5).dumps()
    '["normal", {"sigma": 0.5}]'
    """
    given = _given.get(described) if isinstance(described, str) else None
    return _factory.create(described, *args, **kwargs) if given is None else given


class InitDesc(str):
    """A parameter's name with its attributes and the initializer to fall back to.

    attrs: a dict; the initializer in '__init__' fills the array, whatever the name ends in.
    global_init: the initializer to fall back to.

    >>> weight = nd.zeros((2,))
    >>> init.Normal()(init.InitDesc("weight", {"__init__": '["one", {}]'}), weight)
    >>> weight.asnumpy().tolist()
    [1.0, 1.0]
    """

    def __new__(cls, name: str, attrs: dict[str, Any] | None = None, global_init: Any = None) -> Any:
        self = super().__new__(cls, name)
        self.attrs = attrs or {}
        self.global_init = global_init
        return self


# End of a name -> method that fills the array. The first that fits counts.
_ENDINGS = [("weight", "_init_weight"), ("bias", "_init_bias"), ("gamma", "_init_gamma"), ("beta", "_init_beta"),
            ("min", "_init_zero"), ("max", "_init_one"), ("running_mean", "_init_zero"),
            ("running_var", "_init_one"), ("moving_mean", "_init_zero"), ("moving_var", "_init_one"),
            ("moving_inv_var", "_init_zero"), ("moving_avg", "_init_zero")]


class Initializer:
    """Base class. A subclass fills the array in `_init_weight(name, array)`.

    Calling it with a name fills an array: weights by `_init_weight`, biases and the like with 0 or 1, by the name's
    end.

    kwargs: what `dumps` writes.

    >>> class Counted(init.Initializer):
    ...     def _init_weight(self, name, array):
    ...         array[:] = nd.arange(array.size).reshape(array.shape)
    >>> weight, bias = nd.zeros((2, 2)), nd.ones((2,))
    >>> Counted()(init.InitDesc("weight"), weight), Counted()(init.InitDesc("bias"), bias)
    (None, None)
    >>> weight.asnumpy().tolist(), bias.asnumpy().tolist(), Counted().dumps()
    ([[0.0, 1.0], [2.0, 3.0]], [0.0, 0.0], '["counted", {}]')
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs
        self._verbose = False
        self._print_func = None

    def set_verbosity(self, verbose: bool = False, print_func: Callable[[NDArray], Any] | None = None) -> Initializer:
        """Log each array that is initialized, with `print_func(array)` (the root of its mean square by default).

        verbose: False logs nothing.

        >>> init.One().set_verbosity(True, print_func=lambda array: array.shape)     # logging.info tells of each array
        One()
        """
        self._verbose = verbose
        self._print_func = print_func or (lambda x: str(float(np.linalg.norm(x.asnumpy()) / math.sqrt(x.size))))
        return self

    def dumps(self) -> str:
        """JSON that `create` understands, such as '["normal", {"sigma": 0.5}]'."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, desc: Any, arr: Any) -> Any:
        """Fill `arr` as `desc` says. A plain string as description is deprecated."""
        if not isinstance(desc, InitDesc):
            self._legacy_init(desc, arr)
            return
        if desc.global_init is None:
            desc.global_init = self
        own = desc.attrs.get("__init__", "")
        if own:
            init = create(own)
            if isinstance(init, Initializer):
                init._init_weight(desc, arr)
            else:
                init(InitDesc(str(desc)), arr)          # Mixed and Load choose by the name
            pattern = own
        else:
            pattern = self._init_by_name(desc, arr)
        if self._verbose and self._print_func:
            logging.info("Initialized %s as %s: %s", desc, pattern, self._print_func(arr))

    def _init_by_name(self, name, arr):
        for ending, method in _ENDINGS:
            if name.endswith(ending):
                getattr(self, method)(name, arr)
                return ending
        self._init_default(name, arr)
        return "default"

    def _legacy_init(self, name, arr):
        if not isinstance(name, str):
            raise TypeError(f"an initializer is called with a name and an array, found {type(name).__name__} {name!r}")
        if not isinstance(arr, NDArray):
            raise TypeError(f"an initializer fills an NDArray, found {type(arr).__name__}")
        warnings.warn("calling an initializer with a string is deprecated: use init(mx.init.InitDesc(name), array)",
                      DeprecationWarning, stacklevel=3)
        if name.startswith("upsampling"):
            self._init_bilinear(name, arr)
        elif name.startswith("stn_loc") and name.endswith("weight"):
            self._init_zero(name, arr)
        elif name.startswith("stn_loc") and name.endswith("bias"):
            arr[:] = np.array([1, 0, 0, 0, 1, 0], "float32")        # a spatial transformer starts as the identity
        else:
            self._init_by_name(name, arr)

    def _init_weight(self, name, arr):
        raise NotImplementedError(f"{type(self).__name__} has no _init_weight")

    def _init_bias(self, name, arr):
        arr[:] = 0.0

    def _init_gamma(self, name, arr):
        arr[:] = 1.0

    def _init_beta(self, name, arr):
        arr[:] = 0.0

    def _init_zero(self, name, arr):
        arr[:] = 0.0

    def _init_one(self, name, arr):
        arr[:] = 1.0

    def _init_bilinear(self, name, arr):
        arr[:] = bilinear_kernel(arr.shape)

    def _init_default(self, name, arr):
        raise ArgumentError(
            f"no initialization is known for {name}: its name ends in none of {', '.join(e for e, _ in _ENDINGS)}. "
            "Name one for it with mx.sym.Variable(init=mx.init.Zero()) or Parameter(init=...).")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Initializer):
            return NotImplemented
        return type(self) is type(other) and self._kwargs == other._kwargs

    __hash__: ClassVar[None] = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._kwargs.items())})"


@alias("zeros")
@register
class Zero(Initializer):
    """Zeros.

    >>> array = nd.ones((2,))
    >>> init.Zero()(init.InitDesc("weight"), array)
    >>> array.asnumpy().tolist()
    [0.0, 0.0]
    """

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name, arr):
        arr[:] = 0


@alias("ones")
@register
class One(Initializer):
    """Ones.

    >>> array = nd.zeros((2,))
    >>> init.One()(init.InitDesc("weight"), array)
    >>> array.asnumpy().tolist()
    [1.0, 1.0]
    """

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name, arr):
        arr[:] = 1


@register
class Constant(Initializer):
    """One number, or the elements of an array of the parameter's shape.

    value: a number, an NDArray, or nested lists.

    >>> array = nd.zeros((2,))
    >>> init.Constant([1, 2])(init.InitDesc("weight"), array)
    >>> array.asnumpy().tolist()
    [1.0, 2.0]
    """

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def _init_weight(self, name, arr):
        arr[:] = np.asarray(self.value) if isinstance(self.value, (list, tuple)) else self.value

    def dumps(self) -> str:
        value = self._kwargs["value"]
        if hasattr(value, "asnumpy"):
            value = value.asnumpy()
        return json.dumps(["constant", {"value": value.tolist() if hasattr(value, "tolist") else value}])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self.dumps() == other.dumps()

    __hash__: ClassVar[None] = None


class GivenValue(Constant):
    """The value of a gluon.Constant, with a short text: the symbols of a network do not hold all its numbers.

    As in MXNet, the text stands for the value as long as this process has it; elsewhere a file has the value. value: an
    NDArray.
    """

    def __init__(self, name: str, value: NDArray) -> None:
        super().__init__(value)
        self._text = f"Constant_{name}_{zlib.crc32(value.asnumpy().tobytes()):08x}"
        self._meant = _given.setdefault(self._text, Constant(value))    # shared with its equals, and lives with them

    def dumps(self) -> str:
        """The constant's name and a checksum of its value."""
        return self._text


@register
class Uniform(Initializer):
    """Uniform in [-scale, scale).

    scale: the bound.

    >>> array = nd.zeros((1000,))
    >>> init.Uniform(0.5)(init.InitDesc("weight"), array)
    >>> bool((abs(array) <= 0.5).asnumpy().all())
    True
    """

    def __init__(self, scale: Any = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, name, arr):
        random.uniform(-self.scale, self.scale, out=arr)


@register
class Normal(Initializer):
    """Normal with mean 0 and standard deviation sigma.

    sigma: the standard deviation.

    >>> array = nd.zeros((10000,))
    >>> init.Normal(2)(init.InitDesc("weight"), array)
    >>> round(float(array.asnumpy().std()))
    2
    """

    def __init__(self, sigma: float = 0.01) -> None:
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, name, arr):
        random.normal(0, self.sigma, out=arr)


@register
class Orthogonal(Initializer):
    """scale times a matrix (shape[0], rest) whose rows or columns, whichever are fewer, are orthonormal.

    scale: the length of each of them.
    rand_type: 'uniform' or 'normal', the distribution of the matrix that is made orthogonal.

    Source: Saxe, McClelland and Ganguli 2014, Exact Solutions to the Nonlinear Dynamics of Learning in Deep Linear
        Neural Networks.

    >>> array = nd.zeros((2, 5))
    >>> init.Orthogonal(scale=2)(init.InitDesc("weight"), array)
    >>> nd.dot(array, array.T).asnumpy().round(3) + 0           # adding 0 turns -0 to 0
    array([[4., 0.],
           [0., 4.]], dtype=float32)
    """

    def __init__(self, scale: Any = 1.414, rand_type: str = "uniform") -> None:
        super().__init__(scale=scale, rand_type=rand_type)
        if rand_type not in ("uniform", "normal"):
            raise ArgumentError(f"Orthogonal: rand_type is {rand_type!r}, expected 'uniform' or 'normal'")
        self.scale = scale
        self.rand_type = rand_type

    def _init_weight(self, name, arr):
        shape = (arr.shape[0], math.prod(arr.shape[1:]))
        drawn = random.uniform(-1, 1, shape) if self.rand_type == "uniform" else random.normal(0, 1, shape)
        u, _, v = np.linalg.svd(drawn.asnumpy(), full_matrices=False)
        arr[:] = (self.scale * (u if u.shape == shape else v)).reshape(arr.shape)


@register
class Xavier(Initializer):
    """Keeps the scale of activations and gradients alike through the layers: c = √(magnitude / factor).

    rnd_type: 'uniform' draws from [-c, c), 'gaussian' with standard deviation c.
    factor_type: the factor is the number of inputs of a unit ('in'), of its outputs ('out'), or their mean ('avg').
    magnitude: 3 keeps the variance of a layer without activation, 6 with relu.

    Source: Glorot and Bengio 2010, Understanding the Difficulty of Training Deep Feedforward Neural Networks.

    >>> array = nd.zeros((100, 200))
    >>> init.Xavier()(init.InitDesc("weight"), array)                          # √(3 / 150) is 0.141
    >>> round(float(abs(array.asnumpy()).max()), 2)
    0.14
    """

    def __init__(self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3) -> None:
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        if rnd_type not in ("uniform", "gaussian"):
            raise ArgumentError(f"Xavier: rnd_type is {rnd_type!r}, expected 'uniform' or 'gaussian'")
        if factor_type not in ("avg", "in", "out"):
            raise ArgumentError(f"Xavier: factor_type is {factor_type!r}, expected 'avg', 'in' or 'out'")
        self.rnd_type = rnd_type
        self.factor_type = factor_type
        self.magnitude: float = float(magnitude)

    def _init_weight(self, name, arr):
        if len(arr.shape) < 2:
            raise ShapeError(f"{type(self).__name__} needs at least 2 dimensions, but {name} has shape {arr.shape}. "
                             "Give it another initializer, for example init='zeros'.")
        taps = math.prod(arr.shape[2:])
        fan_in, fan_out = arr.shape[1] * taps, arr.shape[0] * taps
        factor = {"avg": (fan_in + fan_out) / 2, "in": fan_in, "out": fan_out}[self.factor_type]
        scale = math.sqrt(self.magnitude / factor)
        if self.rnd_type == "uniform":
            random.uniform(-scale, scale, out=arr)
        else:
            random.normal(0, scale, out=arr)


@register
class MSRAPrelu(Xavier):
    """For layers followed by a PReLU of this slope: normal with variance 2 / ((1 + slope²) · factor).

    factor_type: the factor is the number of inputs of a unit ('in'), of its outputs ('out'), or their mean ('avg').
    slope: of the PReLU.

    Source: He et al. 2015, Delving Deep into Rectifiers.

    >>> array = nd.zeros((100, 200))
    >>> init.MSRAPrelu(slope=0)(init.InitDesc("weight"), array)                # √(2 / 150) is 0.115
    >>> round(float(array.asnumpy().std()), 2)
    0.12
    """

    def __init__(self, factor_type: str = "avg", slope: float = 0.25) -> None:
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope ** 2))
        self._kwargs = {"factor_type": factor_type, "slope": slope}


@register
class Bilinear(Initializer):
    """The kernel with which a Deconvolution enlarges an image by linear interpolation. Weight (*, *, h, w).

    >>> array = nd.zeros((1, 1, 4, 4))
    >>> init.Bilinear()(init.InitDesc("weight"), array)
    >>> array.asnumpy()[0, 0, 1]
    array([0.1875, 0.5625, 0.5625, 0.1875], dtype=float32)
    """

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name, arr):
        self._init_bilinear(name, arr)


def bilinear_kernel(shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """A tent in both directions, repeated over the leading axes; its width follows from the last axis."""
    f = math.ceil(shape[3] / 2)
    c = (2 * f - 1 - f % 2) / (2 * f)
    tent = [1 - np.abs(np.arange(n) / f - c) for n in shape[2:4]]
    return np.broadcast_to(np.outer(*tent), shape).astype("float32")


@register
class LSTMBias(Initializer):
    """A bias (4 · hidden,) of zeros, with `forget_bias` at the second gate of four, the forget gate.

    forget_bias: 1 is recommended.

    Source: Jozefowicz, Zaremba and Sutskever 2015, An Empirical Exploration of Recurrent Network Architectures.

    >>> cell = gluon.rnn.LSTMCell(2, input_size=1, i2h_bias_initializer=init.LSTMBias())
    >>> cell.initialize()
    >>> cell.i2h_bias.data().asnumpy().tolist()
    [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    """

    def __init__(self, forget_bias: float = 1.0) -> None:
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, name, arr):
        hidden = arr.shape[0] // 4
        values = np.zeros(arr.shape, "float32")
        values[hidden:2 * hidden] = self.forget_bias
        arr[:] = values

    def _init_bias(self, name, arr):
        self._init_weight(name, arr)
