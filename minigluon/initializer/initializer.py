"""The base class of initializers, how they are called, and `Uniform` and `Normal`."""

from __future__ import annotations

import json
import logging
import math
import weakref
from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

import numpy as np

from .. import random
from ..base import ArgumentError
from ..common.class_registry import Factory
from ..diagnostics.keywords import ChecksKeywords
from .legacy import LegacyCalls

__all__ = ["InitDesc", "Initializer", "Normal", "Uniform", "alias", "create", "register"]

_factory = Factory("initializer")
register, alias = _factory.register, _factory.alias
# The text of a GivenValue -> the Constant that it represents.
given_values: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()


def create(described: Any, *args: Any, **kwargs: Any) -> Any:
    """Return an initializer from a name and arguments, or from the result of `dumps`; see `Factory.create`.

    described: 'normal', '["normal", {"sigma": 0.5}]', or an Initializer, which is returned.
    args, kwargs: arguments of the initializer.

    >>> init.create("normal", sigma=0.5).dumps()
    '["normal", {"sigma": 0.5}]'
    """
    instance = given_values.get(described) if isinstance(described, str) else None
    return _factory.create(described, *args, **kwargs) if instance is None else instance


class InitDesc(str):
    """A parameter's name with its attributes and a fallback initializer.

    attrs: a dict; the initializer in '__init__' fills the array, regardless of the name's suffix.
    global_init: the fallback initializer.

    >>> weight = nd.zeros((2,))
    >>> init.Normal()(init.InitDesc("weight", {"__init__": '["one", {}]'}), weight)
    >>> weight.asnumpy().tolist()
    [1.0, 1.0]
    """

    attrs: dict[str, Any]
    global_init: Any

    def __new__(cls, name: str, attrs: dict[str, Any] | None = None, global_init: Any = None) -> Any:
        self = super().__new__(cls, name)
        self.attrs = attrs or {}
        self.global_init = global_init
        return self


def _root_mean_square(array: Any) -> str:
    length: Any = np.linalg.norm(array.asnumpy())
    return str(float(length / math.sqrt(array.size)))


# Suffix of a name -> method that fills the array. The first match wins.
_ENDINGS = [("weight", "_init_weight"), ("bias", "_init_bias"), ("gamma", "_init_gamma"), ("beta", "_init_beta"),
            ("min", "_init_zero"), ("max", "_init_one"), ("running_mean", "_init_zero"),
            ("running_var", "_init_one"), ("moving_mean", "_init_zero"), ("moving_var", "_init_one"),
            ("moving_inv_var", "_init_zero"), ("moving_avg", "_init_zero")]


class Initializer(ChecksKeywords, LegacyCalls):
    """Base class. A subclass fills the array in `_init_weight(name, array)`.

    A call with a name fills an array according to the name's suffix: weights with `_init_weight`, biases and similar
    parameters with 0 or 1.

    kwargs: the arguments that `dumps` writes.

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
        self._kwargs: dict[str, Any] = kwargs
        self._verbose = False
        self._print_func: Callable[[Any], Any] | None = None

    def set_verbosity(self, verbose: bool = False, print_func: Callable[[Any], Any] | None = None) -> Initializer:
        """Log each array that is initialized, with `print_func(array)` (the root of its mean square by default).

        verbose: False logs nothing.

        >>> init.One().set_verbosity(True, print_func=lambda array: array.shape)     # logging.info tells of each array
        One()
        """
        self._verbose = verbose
        self._print_func = print_func or _root_mean_square
        return self

    def dumps(self) -> str:
        """Return JSON that `create` accepts, such as '["normal", {"sigma": 0.5}]'."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, desc: Any, arr: Any) -> Any:
        """Fill `arr` as described by `desc`. A plain string as a description is deprecated."""
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
                init(InitDesc(str(desc)), arr)          # Mixed and Load choose by name
            pattern = own
        else:
            pattern = self._init_by_name(desc, arr)
        if self._verbose and self._print_func:
            logging.info("Initialized %s as %s: %s", desc, pattern, self._print_func(arr))

    def _init_by_name(self, name: str, arr: Any) -> str:
        for ending, method in _ENDINGS:
            if name.endswith(ending):
                getattr(self, method)(name, arr)
                return ending
        self._init_default(name, arr)
        return "default"

    def _init_weight(self, name: str, arr: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no _init_weight")

    def _init_bias(self, name: str, arr: Any) -> None:
        arr[:] = 0.0

    def _init_gamma(self, name: str, arr: Any) -> None:
        arr[:] = 1.0

    def _init_beta(self, name: str, arr: Any) -> None:
        arr[:] = 0.0

    def _init_zero(self, name: str, arr: Any) -> None:
        arr[:] = 0.0

    def _init_one(self, name: str, arr: Any) -> None:
        arr[:] = 1.0

    def _init_default(self, name: str, arr: Any) -> NoReturn:
        raise ArgumentError(
            f"no initialization is known for {name}: its name ends in none of {', '.join(e for e, _ in _ENDINGS)}. "
            "Name one for it with mx.sym.Variable(init=mx.init.Zero()) or Parameter(init=...).")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Initializer):
            return NotImplemented
        return type(self) is type(other) and self._kwargs == other._kwargs

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._kwargs.items())})"


@register
class Uniform(Initializer):
    """Initializer that draws uniformly from [-scale, scale).

    scale: the bound.

    >>> array = nd.zeros((1000,))
    >>> init.Uniform(0.5)(init.InitDesc("weight"), array)
    >>> bool((abs(array) <= 0.5).asnumpy().all())
    True
    """

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, name: str, arr: Any) -> None:
        random.uniform(-self.scale, self.scale, out=arr)


@register
class Normal(Initializer):
    """Initializer that draws from a normal distribution with mean 0 and standard deviation sigma.

    sigma: the standard deviation.

    >>> array = nd.zeros((10000,))
    >>> init.Normal(2)(init.InitDesc("weight"), array)
    >>> round(float(array.asnumpy().std()))
    2
    """

    def __init__(self, sigma: float = 0.01) -> None:
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, name: str, arr: Any) -> None:
        random.normal(0, self.sigma, out=arr)
