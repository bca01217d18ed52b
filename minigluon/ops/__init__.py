"""What each operator *is*: signature, shapes, NumPy forward, gradient. One class an operator.

To add one, write a class like those beside this file and a row in `tests/op_cases.py`:

    from minigluon.ops import Op, register

    @register("data")
    class square(Op):
        "data² element by element."
        def forward(self, data):
            return data * data
        def gradient(self, F, out_grads, inputs, outputs):
            return 2 * inputs[0] * out_grads[0]
"""

# Importing a family fills the registry.
from . import (
    activation,
    attention,
    batch_norm,
    bilinear_resize,
    box_nms,
    boxes,
    broadcast,
    contrib,
    control,
    convert,
    convolution,
    correlation,
    ctc,
    deformable,
    deformable_roi,
    dropout,
    elementwise,
    fourier,
    hawkes,
    image,
    indexing,
    joining,
    khatri_rao,
    linalg,
    linalg_factor,
    linalg_parts,
    matrix,
    multi_update,
    multibox,
    normalization,
    optimizer_update,
    ordering,
    output,
    pdf,
    pooling,
    pooling_winners,
    proposal,
    random,
    reduce,
    resize,
    rnn,
    roi,
    roi_align,
    sample,
    scalar,
    sequence,
    shape,
    slicing,
    softmax,
    sources,
    spatial,
    special,
    statistics,
    straight_through,
    stretch,
    windows,
)
from .op import Op
from .registry import REGISTRY, register

__all__ = ["REGISTRY", "Op", "register"]
