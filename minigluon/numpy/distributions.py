"""The distributions of `np.random` and `npx.random`, for arrays and for graphs.

Each is a row of `functions/draws.py`, or is computed from one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from ..base import ArgumentError

__all__ = ["DISTRIBUTIONS", "Distribution", "build_function"]

Draw = Callable[..., Any]       # of (function that calls a row by its name, parameters, size, element type)


class Distribution(NamedTuple):
    """A distribution: its name in the module, its parameters, its description, an example and a function that draws."""

    name: str
    parameters: str
    text: str
    example: str
    draw: Draw


def _row(row: str, is_typed: bool = False) -> Draw:
    """Return a function that calls a row. is_typed: whether the row has a parameter for the element type."""
    def draw(call: Any, *values: Any) -> Any:
        *parameters, size, dtype = values
        if is_typed:
            return call(row, *parameters, size, dtype or "float32")
        drawn = call(row, *parameters, size)
        return drawn if dtype is None else drawn.astype(dtype)
    return draw


def _beta(call, a, b, size, dtype):
    first, second = (call("_gamma", x, 1, size, "float64") for x in (a, b))
    return (first / (first + second)).astype(dtype or "float32")


def _chisquare(call, df, size, dtype):
    return call("_gamma", df / 2, 2.0, size, dtype or "float32")


def _lognormal(call, mean, sigma, size, dtype):
    return call("exp", call("_normal", mean, sigma, size, dtype or "float32"))


_OF_NP = [
    Distribution("beta", "a b", "the beta distribution", "np.array([1, 2]), 3", _beta),
    Distribution("chisquare", "df", "the χ² distribution", "2, size=(2, 3)", _chisquare),
    Distribution("exponential", "scale=1", "the exponential distribution with mean scale", "np.array([1, 10])",
                 _row("_exponential")),
    Distribution("gamma", "shape scale=1", "the gamma distribution", "2, np.array([1, 10])", _row("_gamma", True)),
    Distribution("gumbel", "loc=0 scale=1", "the Gumbel distribution", "size=(2, 3)", _row("_gumbel")),
    Distribution("laplace", "loc=0 scale=1", "the Laplace distribution, which MXNet 1.9.1 lacks", "0, 2, size=(2, 3)",
                 _row("_laplace")),
    Distribution("logistic", "loc=0 scale=1", "the logistic distribution", "np.array([0, 5]), 2", _row("_logistic")),
    Distribution("lognormal", "mean=0 sigma=1", "the log-normal distribution", "0, 0.5, size=(2, 3)", _lognormal),
    Distribution("normal", "loc=0 scale=1", "the normal distribution with mean loc and standard deviation scale",
                 "np.zeros(2), 1", _row("_normal", True)),
    Distribution("pareto", "a", "the Pareto distribution", "np.array([1, 3])", _row("_pareto")),
    Distribution("power", "a", "the power distribution", "3, size=(2, 3)", _row("_powerd")),
    Distribution("rayleigh", "scale=1", "the Rayleigh distribution", "np.array([1, 2])", _row("_rayleigh")),
    Distribution("uniform", "low=0 high=1", "the uniform distribution over [low, high)", "0, np.array([1, 10])",
                 _row("_uniform", True)),
    Distribution("weibull", "a", "the Weibull distribution", "2, size=(2, 3)", _row("_weibull")),
]
_OF_NPX = [
    Distribution("bernoulli", "prob= logit=", "1 with the probability prob, or with the logarithmic odds logit, else 0",
                 "np.array([0, 1])", _row("_bernoulli", True)),
    Distribution("normal_n", "loc=0 scale=1", "the normal distribution, of shape (*batch_shape, *parameters)",
                 "np.zeros(3), 1, batch_shape=(2,)", _row("_normal_n", True)),
    Distribution("uniform_n", "low=0 high=1", "the uniform distribution, of shape (*batch_shape, *parameters)",
                 "np.zeros(3), 1, batch_shape=(2,)", _row("_uniform_n", True)),
]
DISTRIBUTIONS = {"np": _OF_NP, "npx": _OF_NPX}


def build_function(module: str, distribution: Distribution, run: Callable[..., Any]) -> Callable[..., Any]:
    """Return the public function of a distribution.

    module: 'np' or 'npx'.
    distribution: the distribution.
    run: is called with `distribution.draw`, the parameters, size and type as a list, ctx and out.
    """
    name, parameters, text, example, draw = distribution
    signature = _signature(parameters.split(), "batch_shape" if name.endswith("_n") else "size")

    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            reason = str(error)
        else:
            bound.apply_defaults()
            *values, ctx, out = bound.args
            return run(draw, values, ctx, out)
        raise ArgumentError(f"{module}.random.{name}{signature}: {reason}")

    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature                  # type: ignore[attr-defined]
    *names, size, _, _, _ = signature.parameters
    function.__doc__ = (
        f"Return samples of {text}.\n\n{', '.join(names)}: numbers or arrays.\n{size}: a shape; that of the parameters "
        "if None.\ndtype: float32 if None.\nctx: the device, that of an array, or the current one.\nout: an array to "
        "write to.\n\nRaises ArgumentError for other arguments.\n\n"
        f">>> {module}.random.{name}({example}).shape\n{'(2, 3)' if 'size=' in example or '_' in name else '(2,)'}")
    return function


def _signature(parameters, size):
    """Return the signature of a function with these parameters; `a=` has the default None."""
    kind, empty = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    parts = [part.partition("=") for part in parameters]
    named = [inspect.Parameter(name, kind, default=float(default) if default else None if equals else empty)
             for name, equals, default in parts]
    return inspect.Signature([*named, *(inspect.Parameter(name, kind, default=None)
                                        for name in (size, "dtype", "ctx", "out"))])
