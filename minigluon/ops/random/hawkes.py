"""The likelihood of a Hawkes process, in which each event temporarily makes further events more likely."""

import numpy as np

from ..op import Op
from ..registry import register
from ..vision.boxes import wide

__all__ = []


class Hawkes(Op):
    """Shapes, types, and the loop over the events, for all sequences simultaneously."""

    def infer_shape(self, lda, alpha, beta, state, lags, marks, valid_length, max_time):
        for name, shape in (("lda", lda), ("lags", lags)):
            self.require_rank(name, shape, 2)
        state = self.require("state", state, lda)
        lda = self.require("lda", lda, state)
        kinds = (None if lda is None else lda[1],)
        alpha, beta = self.require("alpha", alpha, kinds), self.require("beta", beta, kinds)
        lags = self.require("lags", lags, (None if lda is None else lda[0], None))
        marks = self.require("marks", marks, lags)
        count = lags[:1]
        valid_length, max_time = (self.require(name, s, count) for name, s in (("valid_length", valid_length),
                                                                               ("max_time", max_time)))
        return [lda, alpha, beta, state, marks, marks, valid_length, max_time], [count, lda]

    def infer_dtype(self, *dtypes):
        reals = [d for k, d in enumerate(dtypes) if k != 5]
        for name, dtype in zip([n for n in self.arguments[-8:] if n != "marks"], reals[-7:], strict=True):
            self.require_float(name, dtype)
        inferred = next((d for d in reals if d is not None), None)
        if any(d is not None and d != inferred for d in reals):        # not `==`: numpy.dtype("float64") equals None
            raise self.dtype_clash(dtypes)
        return [*[inferred] * 5, dtypes[5] or np.dtype(np.int32), inferred, inferred], [inferred] * self.num_outputs

    @staticmethod
    def steps(lda, alpha, beta, state, lags, marks, valid_length, max_time):
        """Yields (rows, classes, time since the class's last event, True for an event) for each event, then for each
        class until max_time. The caller stores the new state of the rows in `state` before the next iteration.
        """
        rows, last, now = np.arange(len(lags)), np.zeros_like(state), np.zeros(len(lags), state.dtype)
        kinds = np.clip(marks, 0, max(lda.shape[1] - 1, 0)).astype(np.int64)
        for step in range(lags.shape[1]):
            there = rows[step < valid_length]
            kind = kinds[there, step]
            now[there] += lags[there, step]
            since = now[there] - last[there, kind]
            yield there, kind, since, True
            last[there, kind] = now[there]
        for kind in range(lda.shape[1]):
            yield rows, np.full(len(rows), kind), max_time - last[:, kind], False


@register("lda", "alpha", "beta", "state", "lags", "marks", "valid_length", "max_time")
class _contrib_hawkesll(Hawkes):
    """The log likelihood of events of K independent classes, and the remaining excitation at the end.

    lda (N, K): background rates | alpha, beta (K,): the number of events that one event causes, and the rate at which
    its effect decays | state (N, K): excitation by earlier events | lags (N, T): times since the previous event |
    marks (N, T), int32: classes | valid_length (N,): number of events | max_time (N,): end of observation
    outputs: log likelihood (N,), state at max_time (N, K)

    The rate of class k is lda + alpha · beta · Σ exp(-beta · age) over its earlier events; the likelihood is the sum of
    the logarithms of the rates at the events, less the integral of all rates. It has gradients for lda, alpha and beta.

    Source: Bacry, Mastromatteo, Muzy 2015, Hawkes processes in finance, arXiv:1502.04592.

    One event in 3 seconds that causes no others, at a rate of 2 per second: log 2 - 3 · 2

    >>> lda, alpha, beta, state = nd.array([[2]]), nd.array([0]), nd.array([1]), nd.array([[0]])
    >>> lags, marks, length, end = nd.array([[1]]), nd.zeros((1, 1), dtype="int32"), nd.array([1]), nd.array([3])
    >>> nd.contrib.hawkesll(lda, alpha, beta, state, lags, marks, length, end)[0].asnumpy().round(2)
    array([-5.31], dtype=float32)
    """

    num_outputs = 2
    output_names = ("output", "out_state")
    keeps = ("inputs",)

    def forward(self, *inputs):
        lda, alpha, beta, state, *events = [wide(x) if x.dtype.kind == "f" else x for x in inputs]
        state, likelihood = state.copy(), np.zeros(len(lda), lda.dtype)
        with np.errstate(all="ignore"):
            for rows, kind, since, event in self.steps(lda, alpha, beta, state, *events):
                before, a, b, rate = state[rows, kind], alpha[kind], beta[kind], lda[rows, kind]
                loss = np.expm1(-b * since)                     # the decay of excitation: exp(-b · since) - 1
                memory = before * (1 + loss)
                likelihood[rows] -= rate * since - a * before * loss
                if event:
                    likelihood[rows] += np.log(rate + a * b * memory)
                state[rows, kind] = memory + event
        return likelihood.astype(inputs[0].dtype), state.astype(inputs[0].dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return [*F._hawkesll_grad(out_grads[0], *inputs), *[None] * 5]


@register("grad", "lda", "alpha", "beta", "state", "lags", "marks", "valid_length", "max_time")
class _hawkesll_grad(Hawkes):
    """The gradients of the log likelihood with respect to lda, alpha and beta, times grad (N,)."""

    num_outputs = 3

    def infer_shape(self, grad, *shapes):
        shapes, (likelihood, _) = super().infer_shape(*shapes)
        return [self.require("grad", grad, likelihood), *shapes], shapes[:3]

    def infer_dtype(self, grad, *dtypes):
        dtypes, outputs = super().infer_dtype(*dtypes)
        grad = self.require_dtype("grad", grad, outputs[0])
        return [grad, *dtypes], [grad] * 3

    def forward(self, grad, *inputs):
        lda, alpha, beta, state, *events = [wide(x) if x.dtype.kind == "f" else x for x in inputs]
        state, by_beta = state.copy(), np.zeros_like(state)     # by_beta: the derivative of state with respect to beta
        partials = [np.zeros_like(lda) for _ in range(3)]
        with np.errstate(all="ignore"):
            for rows, kind, since, event in self.steps(lda, alpha, beta, state, *events):
                before, a, b, slope = state[rows, kind], alpha[kind], beta[kind], by_beta[rows, kind]
                loss = np.expm1(-b * since)
                memory, fading = before * (1 + loss), (slope - before * since) * (1 + loss)
                partials[0][rows, kind] -= since
                partials[1][rows, kind] += before * loss
                partials[2][rows, kind] -= a * (slope - fading)
                if event:
                    rate = lda[rows, kind] + a * b * memory
                    partials[0][rows, kind] += 1 / rate
                    partials[1][rows, kind] += b * memory / rate
                    partials[2][rows, kind] += a * (memory + b * fading) / rate
                state[rows, kind], by_beta[rows, kind] = memory + event, fading
        shares = [wide(grad)[:, None] * x for x in partials]
        return tuple([x.astype(grad.dtype) for x in (shares[0], shares[1].sum(0), shares[2].sum(0))])
