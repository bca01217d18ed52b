"""What the tests of convolutions draw on every device."""

from hypothesis import assume
from hypothesis import strategies as st


@st.composite
def convolutions(draw, longest, batches, layouts=None):
    """(attributes, batch, channels, filters, sizes of the image, dtype), with one to three axes.

    longest: sides of a line, an image and a volume. layouts: one for each number of axes, besides the usual; or None.
    """
    axes = draw(st.integers(1, 3))
    several = lambda low, high: tuple(draw(st.lists(st.integers(low, high), min_size=axes, max_size=axes)))
    groups = draw(st.sampled_from([1, 1, 2, 3]))
    geometry = {"kernel": several(1, 4), "stride": several(1, 3), "dilate": several(1, 2), "pad": several(0, 3),
                "num_group": groups}
    if layouts is not None:
        geometry["layout"] = draw(st.sampled_from([None, layouts[axes - 1]]))
    space = several(1, longest[axes - 1])
    assume(all(n + 2 * p >= d * (k - 1) + 1 for n, p, d, k in zip(
        space, geometry["pad"], geometry["dilate"], geometry["kernel"], strict=True)))
    channels, filters = (groups * draw(st.integers(1, 18)) for _ in range(2))
    return geometry, draw(batches), channels, filters, space, draw(st.sampled_from(["float32", "float64"]))
