"""The likelihood of a Hawkes process and its gradients."""

from minigluon.backend import Spec

from ...launch import THREADS, In, Launch, Out, Scratch, SourceFile, Work, blocks, types
from ..movement import zeros
from ..reductions import wide
from ..registry import kernel_for

__all__ = []

SOURCE = SourceFile("random/hawkes.cu")


def _launcher(inputs, marks):
    defines = types(inputs[0].dtype)
    defines["MARK"] = types(marks.dtype)["T"]

    def launch(function, threads, arguments):
        return Launch(SOURCE, function, defines, blocks(threads), THREADS, arguments)
    return launch


@kernel_for("_contrib_hawkesll")
def likelihood(op, inputs, outputs):
    lda, lags, marks = inputs[0], inputs[4], inputs[5]
    (n, kinds), steps = lda.shape, lags.shape[1]
    if not n * kinds:
        return Work(*zeros(outputs[0], Out(0)))
    launch, room = _launcher(inputs, marks), Spec((n, kinds), wide(lda.dtype))
    return Work(
        launch("widened", n * kinds, [Scratch(0), In(3), n * kinds]), *zeros(room, Scratch(1)),
        launch("likelihood", n, [Out(0), Scratch(0), Scratch(1), In(0), In(1), In(2), *[In(k) for k in range(4, 8)], n,
                                 kinds, steps]),
        launch("rounded", n * kinds, [Out(1), Scratch(0), n * kinds]), scratch=[room, room])


@kernel_for("_hawkesll_grad")
def likelihood_grad(op, inputs, outputs):
    lda, lags, marks = inputs[1], inputs[5], inputs[6]
    (n, kinds), steps = lda.shape, lags.shape[1]
    if not n * kinds:
        return Work(*[one for k, spec in enumerate(outputs) for one in zeros(spec, Out(k))])
    launch, room = _launcher(inputs, marks), Spec((n, kinds), wide(lda.dtype))
    rooms = [Scratch(k) for k in range(6)]          # by_lda, by_alpha, by_beta, state, last, slope
    return Work(
        *[one for place in rooms for one in zeros(room, place)],
        launch("widened", n * kinds, [rooms[3], In(4), n * kinds]),
        launch("gradients", n, [*rooms, *[In(k) for k in (0, 1, 2, 3, 5, 6, 7, 8)], n, kinds, steps]),
        launch("rounded", n * kinds, [Out(0), rooms[0], n * kinds]),
        *[launch("over_sequences", kinds, [Out(k), rooms[k], n, kinds]) for k in (1, 2)], scratch=[room] * 6)
