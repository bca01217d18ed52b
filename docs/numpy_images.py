"""The image of the two interfaces, drawn from real arrays and a real graph. `make_images.py` draws it."""

import numpy as onp
from drawing import Drawing

from minigluon import autograd, nd, sym
from minigluon.backend import Spec
from minigluon.hybrid.expand import expanded

__all__ = ["IMAGES"]


def two_interfaces():
    """Draw an NDArray and its view with the same memory and the same tape entry, and a row before and after
    expansion."""
    weight = nd.array([1, 2, 3])
    weight.attach_grad()
    with autograd.record():
        y = weight * 2
        view = y.as_np_ndarray()
    assert view.buffer is y.buffer
    assert view.entry is y.entry
    drawing = Drawing(900, 310, "One memory and one tape under two interfaces, and a function of mx.np in a graph")
    drawing.text(30, 30, "two arrays", 15, bold=True)
    drawing.labelled(30, 46, 190, "array", "NDArray", f"y.sum().shape  {y.sum().shape}\n(y > 2).dtype  float32")
    drawing.labelled(250, 46, 190, "array", "mx.np.ndarray",
                     f"x.sum().shape  {view.sum().shape}\n(x > 2).dtype  {(view > 2).dtype}")
    drawing.labelled(30, 190, 190, "base", "buffer", f"{y.buffer.dtype}, {y.shape}")
    drawing.labelled(250, 190, 190, "tape", "Entry", y.entry.op.name)
    for left in (90, 310):
        for right in (90, 310):
            drawing.arrow(left + 25 * (right > left) - 25 * (right < left), 114, right, 190, "muted")
    drawing.text(30, 274, "as_np_ndarray() and as_nd_ndarray()\nlead from one to the other", 13, "muted")

    drawing.text(490, 30, "a function in a graph", 15, bold=True)
    graph = sym.np.mean(sym.var("x").as_np_ndarray() * 2, axis=0)
    plain = expanded(graph, {"x": Spec((4, 3), onp.dtype("float32"))})
    before, after = (", ".join(node.op.name for node in g.nodes() if node.op) for g in (graph, plain))
    drawing.labelled(490, 46, 380, "symbol", "F.np.mean(x * 2, axis=0)", before)
    drawing.arrow(680, 98, 680, 132)
    drawing.labelled(490, 132, 380, "ops", "its row, once shapes are known", "mean(F, a, axis, ...) with F = sym")
    drawing.arrow(680, 184, 680, 218)
    drawing.labelled(490, 218, 380, "backend", "the compiled graph", after)
    drawing.text(490, 292, "gradients, fusion, kernels: operators of nd only", 13, "muted")
    return drawing


IMAGES = {"two-interfaces": two_interfaces}
