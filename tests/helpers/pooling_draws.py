"""What the tests of pooling draw on every device: windows with data, and all operators that run on them."""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from minigluon.ops import REGISTRY
from minigluon.ops.nn.pooling_argmax import NonOverlappingWindows

LAYOUTS = {(1, False): "NCW", (2, False): "NCHW", (3, False): "NCDHW", (1, True): "NWC", (2, True): "NHWC",
           (3, True): "NDHWC"}


def numbers(rng, shape, dtype):
    """Few different ones, so that windows have several largest elements."""
    return rng.integers(-3, 4, shape).astype(dtype)


@st.composite
def pools(draw, longest, most_p, dtypes):
    """(attributes of Pooling, data that they suit). longest: side of a line or image; most_p: the largest p_value."""
    d, last = draw(st.sampled_from([1, 2, 2, 2, 3])), draw(st.booleans())
    space = [draw(st.integers(1, longest if d < 3 else 6)) for _ in range(d)]
    kernel = [draw(st.integers(1, min(4, n))) for n in space]
    convention = draw(st.sampled_from(["valid", "full", "same"]))
    pad = [0 if convention == "same" or draw(st.booleans()) else draw(st.integers(0, k - 1)) for k in kernel]
    attributes = {
        "kernel": tuple(kernel), "stride": tuple(draw(st.integers(1, 4)) for _ in kernel), "pad": tuple(pad),
        "pooling_convention": convention, "layout": LAYOUTS[d, last], "global_pool": draw(st.integers(0, 9)) == 0,
        "pool_type": draw(st.sampled_from(["max", "avg", "sum", "lp"])), "p_value": draw(st.integers(1, most_p)),
        "count_include_pad": draw(st.booleans())}
    batch, channels = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    shape = (batch, *space, channels) if last else (batch, channels, *space)
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    data = numbers(rng, shape, draw(st.sampled_from(dtypes)))
    try:
        REGISTRY["Pooling"](**attributes).infer_shape(data.shape)
    except ValueError:
        assume(False)
    return attributes, data


def check_with_gradients(check, attributes, data):
    """check(name, arrays, **attributes) for Pooling and for all that its gradient may be made of."""
    rng = np.random.default_rng(0)
    pooling = REGISTRY["Pooling"](**attributes)
    check("Pooling", [data], **attributes)
    with np.errstate(all="ignore"):
        pooled = pooling.forward(data)
    grad = rng.standard_normal(pooled.shape).astype(data.dtype)
    if pooling.pool_type in ("avg", "sum"):
        check("_sum_pooling_grad", [grad, data], **attributes)
    if pooling.pool_type != "max":
        return
    check("_max_pooling_grad", [grad, data, pooled], **attributes)
    check("_pick_largest", [rng.standard_normal(data.shape).astype(data.dtype), data, pooled], **attributes)
    if NonOverlappingWindows.suits(pooling):
        check("_max_pooling_argmax", [data], **attributes)
        winners = REGISTRY["_max_pooling_argmax"](**attributes).forward(data)[1]
        check("_max_pooling_argmax_grad", [grad, winners, data], **attributes)
