"""Shared parts of `nd.random` and `sym.random`, with `uniform` and `normal`. `distributions` adds other samplers."""

from __future__ import annotations

import numbers
import textwrap
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ..base import ArgumentError
from ..common.types import DType, Number, Shape
from ..context import Context
from ..ops import REGISTRY

__all__ = ["CommonSamplers", "sampler"]

_COMMON = """shape: that of the result, (1,) if None; of parameters that are arrays, the shape of each element's draws.
dtype: of the result, a floating-point type, float32 if None.
ctx: the device, the current one if None; that of parameters that are arrays.
out: an array to write to.
kwargs: `name`, in a graph that of the node."""


_NUMBERS = {int, float}         # the common types; checking for `numbers.Number` takes longer than a draw

_MOST_OPERATORS = 4096

Array = TypeVar("Array")         # NDArray or Symbol
Method = TypeVar("Method", bound=Callable[..., Any])


def sampler(method: Method) -> Method:
    """Decorator that inserts the sentences about common parameters before the example in a docstring."""
    text, prompt, example = (method.__doc__ or "").partition("\n\n        >>>")
    gap = "\n" if "\n" in text else "\n\n"
    method.__doc__ = f"{text}{gap}{textwrap.indent(_COMMON, ' ' * 8)}{prompt}{example}"
    return method


class CommonSamplers(Generic[Array]):
    """The samplers of one namespace, created with its `make_function` and its array type.

    If the parameters are numbers, `shape` is the result's shape ((1,) by default) and `ctx` its device; if they are
    arrays of shape S, the result has shape (*S, *shape) and is on their device. `out=` writes to an existing array.

    create: `create(operator, ctx)` draws immediately, for repeated calls; it is None in a namespace of symbols.
    """

    def __init__(self, namespace: str, make_function: Callable[..., Any], array_type: type[Array],
                 create: Callable[..., Array] | None = None) -> None:
        self._namespace = namespace
        self._make_function = make_function
        self._array_type = array_type
        self._create = create
        self._functions = {}
        self._operators = {}            # {(distribution, dtype, shape, numbers): operator}

    def _function(self, operator):
        function = self._functions.get(operator)
        if function is None:
            function = self._functions[operator] = self._make_function(REGISTRY[operator], operator)
        return function

    def _call(self, operator, *args, out=None, **kwargs):
        function = self._function(operator)
        return function(*args, **kwargs) if out is None else function(*args, out=out, **kwargs)

    def like(self, name: str) -> Callable[..., Array]:
        """Return a function that draws an array like a given array, with its shape, dtype and context.

        The parameters are numbers.
        """
        return self._make_function(REGISTRY[f"_random_{name}_like"], f"{name}_like")

    def _draw(self, name, parameters, shape, dtype, ctx, out, kwargs):
        """Choose between `_random_x` for numbers and `_sample_x` for arrays."""
        if self._create is not None and out is None and not kwargs and _NUMBERS.issuperset(map(type, parameters)):
            return self._create(self._operator(name, dtype, shape, *parameters), ctx)
        kinds = {"number" if p.__class__ in _NUMBERS else self._kind(p) for p in parameters}
        if len(kinds) > 1:
            raise ArgumentError(f"{self._namespace}.{name}: parameters must be all numbers or all arrays, found "
                                + " and ".join(type(p).__name__ for p in parameters))
        if shape is not None:
            kwargs["shape"] = shape
        if dtype is not None:
            kwargs["dtype"] = dtype
        if out is not None:
            kwargs["out"] = out
        if kinds == {"array"}:
            if "_sample_" + name not in REGISTRY:
                raise ArgumentError(f"{self._namespace}.{name} takes numbers, not arrays")
            return self._function("_sample_" + name)(*parameters, **kwargs)
        if out is None and ctx is not None:
            kwargs["ctx"] = ctx
        function = self._function("_random_" + name)
        return function(**dict(zip(function.op.fields, parameters, strict=False)), **kwargs)

    def _operator(self, name, dtype, shape, *numbers):
        """Return `_random_x` with these attributes. Creating the operator takes longer than drawing a few numbers."""
        key = name, dtype, shape, *[number or str(number) for number in numbers]     # str tells 0.0 from -0.0
        try:
            cached = self._operators.get(key)
        except TypeError:               # the shape is a list, which cannot be hashed
            key = cached = None
        if cached is not None:
            return cached
        cls = REGISTRY["_random_" + name]
        attributes = {"shape": shape, "dtype": dtype, **dict(zip(cls.fields, numbers, strict=False))}
        op = cls(**{field: value for field, value in attributes.items() if value is not None})
        if key is not None:
            if len(self._operators) >= _MOST_OPERATORS:
                self._operators.clear()
            self._operators[key] = op
        return op

    def _kind(self, parameter):
        if isinstance(parameter, self._array_type):
            return "array"
        if isinstance(parameter, numbers.Number):
            return "number"
        raise ArgumentError(f"parameters of distributions must be numbers or arrays, found "
                            f"{type(parameter).__name__} {parameter!r}")

    @sampler
    def uniform(self, low: Array | Number = 0, high: Array | Number = 1, shape: Shape | None = None,
                dtype: DType | None = None, ctx: Context | None = None, out: Array | None = None,
                **kwargs: Any) -> Array:
        """Return uniform samples in [low, high).

        low: the lower bound, inclusive.
        high: the upper bound, exclusive.

        >>> x = nd.random.uniform(-1, 1, shape=100).asnumpy()
        >>> bool(-1 <= x.min() and x.max() < 1)
        True
        """
        return self._draw("uniform", [low, high], shape, dtype, ctx, out, kwargs)

    @sampler
    def normal(self, loc: Array | Number = 0, scale: Array | Number = 1, shape: Shape | None = None,
               dtype: DType | None = None, ctx: Context | None = None, out: Array | None = None,
               **kwargs: Any) -> Array:
        """Return normally distributed samples with mean loc and standard deviation scale.

        loc: the mean.
        scale: the standard deviation.

        >>> x = nd.random.normal(5, 0.1, shape=100).asnumpy()
        >>> bool(abs(x.mean() - 5) < 0.1)
        True
        """
        return self._draw("normal", [loc, scale], shape, dtype, ctx, out, kwargs)
