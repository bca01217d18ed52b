"""`autograd.grad`: gradients as new arrays, which can be differentiated again."""

from __future__ import annotations

from collections.abc import Sequence

from .. import ndarray as F
from .. import tape
from ..base import AutogradError
from ..ndarray import NDArray
from ..ndarray.exports import plain_arrays
from ..tape import Scope
from ..tape.checks import list_arrays, match_heads

__all__ = ["grad"]


def grad(heads: NDArray | Sequence[NDArray], variables: NDArray | Sequence[NDArray],
         head_grads: NDArray | Sequence[NDArray | None] | None = None, retain_graph: bool | None = None,
         create_graph: bool = False, train_mode: bool = True) -> list[NDArray]:
    """Returns the gradients of `variables` as a list of new arrays, even for one variable; `.grad` is unchanged.

    heads: an array, or a list of arrays; the sum of their elements is differentiated.
    variables: an array, or a list of arrays.
    head_grads: weights for the heads' elements, one array per head (None: ones).
    retain_graph: whether to keep the graph for another call; None means create_graph.
    create_graph: whether to record the computation of the gradients, so that they can be differentiated again.
    train_mode: whether to compute the gradients in training mode instead of prediction mode.

    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     first, = autograd.grad(x ** 3, x, create_graph=True)
    ...     second, = autograd.grad(first, x)
    >>> print(first.asnumpy(), second.asnumpy())
    [27.] [18.]
    """
    heads, head_grads = match_heads(plain_arrays(heads), plain_arrays(head_grads))
    variables = list_arrays(variables, "variable")
    for x in variables:
        if x.entry is None:
            raise AutogradError(f"grad needs variables on the tape, but the array of shape {x.shape} has no "
                                "attach_grad() and was not computed while recording")
    if not variables:
        raise AutogradError("grad needs at least one variable")
    retain_graph = create_graph if retain_graph is None else retain_graph
    with Scope(create_graph, train_mode):
        grads = tape.gradients(F, heads, head_grads, retain_graph, {x.entry for x in variables})
        results: list[NDArray] = []
        for x in variables:
            if x.entry not in grads:
                raise AutogradError(f"the variable of shape {x.shape} is not part of the graph of the heads")
            g = grads[x.entry][x.output_index]
            # a copy, because two variables, or a variable and a head, may share a gradient
            results.append(F.zeros_like(x) if g is None else x._to_own_class(g.copy()))
    return results
