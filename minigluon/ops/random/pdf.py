"""A table of the distributions' densities: name, parameters, log density and derivatives of the log density.

Parameters have a shape S and samples (*S, *T): T samples for each parameter. The result has the samples' shape.
"""

import numpy as np

from ..docstrings import example
from ..math.special import gammaln
from ..numeric import cast, sum_along
from ..op import Op
from ..registry import define, register

__all__ = ["Density"]


def spread(parameter, ndim, last=0):
    """Returns a parameter (*S, *rest) with axes of length 1 inserted after S; its `last` final axes belong to the
    event.
    """
    lead = parameter.ndim - last
    return parameter.reshape(parameter.shape[:lead] + (1,) * (ndim - parameter.ndim) + parameter.shape[lead:])


class Density(Op):
    """One row: `log_density(x, *parameters)` on NumPy arrays, and its `derivatives(F, x, *parameters)` with operators.

    `event`: the number of final axes that make up one sample (1 for vectors). `is_constant`: whether all samples have
    the same density, so that their gradient is 0.

    is_log: True for the logarithm of the density.
    """

    is_log: bool = False
    event = 0
    is_constant = False
    keeps = ("inputs", "outputs")

    def infer_shape(self, sample, *parameters):
        merged = None
        for name, shape in zip(self.arguments[1:], parameters, strict=True):
            merged = self.require(name, shape, merged)
        if sample is not None and merged is not None:
            lead = len(merged) - self.event
            tail = merged[lead:]
            if len(sample) < len(merged):
                raise self.shape_clash(f"sample has shape {sample}, expected it to begin with {merged}", "sample")
            merged = self.require(self.arguments[1], merged, (*sample[:lead], *sample[len(sample) - len(tail):]))
        out = None if sample is None else sample[:len(sample) - self.event]
        return [sample] + [merged] * len(parameters), [out]

    def forward(self, sample, *parameters):
        dtype = sample.dtype
        wide = [spread(p, sample.ndim, self.event) for p in parameters]
        if sample.dtype.kind != "f":
            sample, wide = sample.astype(np.float64), [p.astype(np.float64) for p in wide]
        with np.errstate(divide="ignore", invalid="ignore"):
            logarithm = np.broadcast_to(self.log_density(sample, *wide), sample.shape[:sample.ndim - self.event])
        return cast(np.array(logarithm if self.is_log else np.exp(logarithm)), dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        sample, *parameters = inputs
        g = out_grads[0] if self.is_log else out_grads[0] * outputs[0]
        if self.event:
            g = F.broadcast_mul(F.expand_dims(g, axis=-1), F.ones_like(sample))
        wide = [F._pdf_spread(p, sample, event=self.event) for p in parameters]
        first, *rest = self.derivatives(F, sample, *wide)
        return [first if first is None or self.is_constant else g * first,
                *(F._pdf_collect(g * d, p, event=self.event) for d, p in zip(rest, parameters, strict=True))]


def require_parameter(op, parameter, sample):
    """Returns the shape (*S, *event) of a parameter, completed from samples (*S, *T, *event)."""
    if parameter is None or sample is None:
        return parameter
    lead = len(parameter) - op.event
    if not 0 <= lead <= len(sample) - op.event:
        raise op.shape_clash(f"parameter {parameter} has more axes than {sample}", "parameter")
    return op.require("parameter", parameter, (*sample[:lead], *sample[len(sample) - op.event:]))


@register("parameter", "sample")
class _pdf_spread(Op):
    """The parameters repeated to match the samples' shape; the values of the samples are not used."""

    event: int = 0
    keeps = ("inputs",)

    def infer_shape(self, parameter, sample):
        return [require_parameter(self, parameter, sample), sample], [sample]

    def forward(self, parameter, sample):
        return np.array(np.broadcast_to(spread(parameter, sample.ndim, self.event), sample.shape), order="C")

    def gradient(self, F, out_grads, inputs, outputs):
        return F._pdf_collect(out_grads[0], inputs[0], event=self.event), None


@register("grad", "parameter")
class _pdf_collect(Op):
    """The sum over each parameter's samples, with the parameters' shape: the adjoint of `_pdf_spread`."""

    event: int = 0
    keeps = ("inputs",)

    def infer_shape(self, grad, parameter):
        parameter = require_parameter(self, parameter, grad)
        return [grad, parameter], [parameter]

    def forward(self, grad, parameter):
        lead = parameter.ndim - self.event
        axes = tuple(range(lead, grad.ndim - self.event))
        return np.array(sum_along(grad, axes, grad.dtype))

    def gradient(self, F, out_grads, inputs, outputs):
        return F._pdf_spread(out_grads[0], inputs[0], event=self.event), None


def density(name, parameters, log_density, derivatives, doc, numbers, event=0, is_constant=False):
    """Registers a density. numbers: an example, "[[samples]]; [parameter]; [parameter] -> [[densities]]"."""
    inputs, out = numbers.split(" -> ")
    if not event:
        doc += f"\n\n{', '.join(parameters)} (*S) | sample (*S, *T), *T draws for each of their elements"
        doc += " | out like sample"
    doc += example(f"nd.random_pdf_{name}({', '.join(f'nd.array({x})' for x in inputs.split('; '))})", out)
    define(f"_random_pdf_{name}", ["sample", *parameters], Density, doc,
           [f"random_pdf_{name}"], log_density=log_density, derivatives=derivatives, event=event,
           is_constant=is_constant)


def _psi(F, x):
    return F._polygamma(x, n=0)


def _normal(F, x, mu, sigma):
    z = (x - mu) / sigma
    return -z / sigma, z / sigma, (F.square(z) - 1) / sigma


def _gamma(F, x, alpha, beta):
    return (alpha - 1) / x - beta, F.log(beta) + F.log(x) - _psi(F, alpha), alpha / beta - x


def _negative_binomial(F, x, k, p):
    return None, _psi(F, x + k) - _psi(F, k) + F.log(p), k / p - x / (1 - p)


def _log_generalized(x, mu, alpha):
    """Returns the log density of the negative binomial with k = 1 / alpha and p = 1 / (1 + mu · alpha)."""
    return _log_negative_binomial(x, 1 / alpha, 1 / (1 + mu * alpha))


def _generalized(F, x, mu, alpha):
    k, p = 1 / alpha, 1 / (1 + mu * alpha)
    _, dk, dp = _negative_binomial(F, x, k, p)
    dp = -dp * F.square(p)
    return None, dp * alpha, dp * mu - dk * F.square(k)


def _log_negative_binomial(x, k, p):
    return gammaln(x + k) - gammaln(x + 1) - gammaln(k) + k * np.log(p) + x * np.log(1 - p)


def _log_dirichlet(x, alpha):
    return (gammaln(alpha.sum(axis=-1)) - gammaln(alpha).sum(axis=-1) + ((alpha - 1) * np.log(x)).sum(axis=-1))


def _dirichlet(F, x, alpha):
    total = F.broadcast_mul(F.sum(alpha, axis=-1, keepdims=True), F.ones_like(alpha))
    return (alpha - 1) / x, F.log(x) + _psi(F, total) - _psi(F, alpha)


density("uniform", ["low", "high"], lambda x, low, high: -np.log(high - low),
        lambda F, x, low, high: (F.zeros_like(x), 1 / (high - low), -1 / (high - low)),
        "1 / (high - low), even for samples outside the bounds.", "[[0, 1]]; [0]; [4] -> [[0.25, 0.25]]",
        is_constant=True)
density("normal", ["mu", "sigma"],
        lambda x, mu, sigma: -0.5 * ((x - mu) / sigma) ** 2 - np.log(sigma) - 0.5 * np.log(2 * np.pi), _normal,
        "The normal density with mean mu and standard deviation sigma.", "[[0, 1]]; [0]; [1] -> [[0.4 , 0.24]]")
density("gamma", ["alpha", "beta"],
        lambda x, a, b: a * np.log(b) - gammaln(a) + (a - 1) * np.log(x) - b * x, _gamma,
        "The gamma density with shape alpha and rate beta (`random_gamma`'s beta is a scale).",
        "[[1, 2]]; [2]; [1] -> [[0.37, 0.27]]")
density("exponential", ["lam"], lambda x, lam: np.log(lam) - lam * x, lambda F, x, lam: (-lam, 1 / lam - x),
        "The exponential density with rate lam.", "[[0, 1]]; [2] -> [[2.  , 0.27]]")
density("poisson", ["lam"], lambda x, lam: x * np.log(lam) - lam - gammaln(x + 1),
        lambda F, x, lam: (None, x / lam - 1),
        "The probability of each number under Poisson's law with mean lam.", "[[0, 1, 2]]; [1] -> [[0.37, 0.37, 0.18]]")
density("negative_binomial", ["k", "p"], _log_negative_binomial, _negative_binomial,
        "The probability of this many failures before k successes of probability p.",
        "[[0, 1]]; [1]; [0.5] -> [[0.5 , 0.25]]")
density("generalized_negative_binomial", ["mu", "alpha"], _log_generalized, _generalized,
        "The probability of each number under the negative binomial law with mean mu and variance mu + alpha · mu².",
        "[[0, 1]]; [1]; [1] -> [[0.5 , 0.25]]")
density("dirichlet", ["alpha"], _log_dirichlet, _dirichlet,
        "Dirichlet's density of vectors of k numbers.\n\nalpha (*S, k) | sample (*S, *T, k) | out (*S, *T)",
        "[[0.5, 0.5]]; [2, 2] -> [1.5]", event=1)
