"""Shapes and keys for x[key], which hypothesis draws."""

import math

import numpy as np
from hypothesis import strategies as st


@st.composite
def shape_and_key(draw, advanced=True):
    """A shape, and a key that fits it; arrays among its items have shapes that broadcast together."""
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    width = draw(st.integers(1, 3))
    named = draw(st.integers(0, len(shape)))
    dots = draw(st.integers(0, named)) if named < len(shape) else None      # where to put an Ellipsis
    key = []
    for axis in range(named):
        n = shape[axis - named if dots is not None and axis >= dots else axis]
        kinds = ["int", "slice", "slice"] + ["array", "array", "list", "mask"] * advanced
        kind = draw(st.sampled_from(kinds))
        index = st.integers(-n, n - 1)
        if kind == "int":
            key.append(draw(index))
        elif kind == "slice":
            bound = st.none() | st.integers(-n - 1, n + 1)
            key.append(slice(draw(bound), draw(bound), draw(st.sampled_from([None, 1, 2, -1, -2]))))
        elif kind == "array":
            rows = draw(st.sampled_from([(width,), (1,), (2, width)]))
            count = math.prod(rows)
            key.append(np.array(draw(st.lists(index, min_size=count, max_size=count))).reshape(rows))
        elif kind == "list":
            key.append(draw(st.lists(index, min_size=width, max_size=width)))
        else:
            mask = np.zeros(n, bool)
            mask[draw(st.integers(0, n - 1))] = True
            key.append(mask)
    if dots is not None and (dots < named or draw(st.booleans())):
        key.insert(dots, ...)
    if draw(st.booleans()):
        key.insert(draw(st.integers(0, len(key))), None)
    if len(key) == 1 and draw(st.booleans()) and not isinstance(key[0], list):
        return shape, key[0]
    return shape, tuple(key)
