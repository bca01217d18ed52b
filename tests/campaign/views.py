"""An operator in a graph whose inputs are views of variables and of values, with numbers that its kernel may refuse.

Hybridized, recorded, differentiated twice on one tape, bound, and as a TrainStep: what comes of it is what comes of the
imperative call, NaN and infinity included.
"""

import random

import numpy as np
from helpers import misfits, view_calls

from minigluon.backend import available

SECONDS = 3.0
IN_CI = 60
VALUES = [0, 0, np.nan, np.inf, -np.inf, -1, -3, 1000, 0.5, 2.0 ** 31, 1e30]


def case(seed):
    """A call of a row, numbers put into its arrays, what each input is, and how the graph runs."""
    draw = random.Random(seed)
    row, number, (op, arrays, _) = misfits.drawn(draw)
    places = [k for k, a in enumerate(arrays) if a.size]
    changes = [["value", place, draw.randrange(arrays[place].size), draw.choice(VALUES)]
               for place in places and draw.choices(places, k=draw.choice([0, 1, 1, 1, 2, 4]))]
    return {"operator": op.name, "row": row, "call": number, "changes": changes,
            "kinds": [list(draw.choice(view_calls.KINDS)) for _ in arrays],
            "way": draw.choice(list(view_calls.WAYS)), "results": draw.random() < 0.2}


def run(case):
    """What differs from the imperative call."""
    op, arrays, train = misfits.calls_of(case["row"])[case["call"]]
    op, arrays, _ = misfits.applied(op, arrays, case["changes"])
    if op.dynamic or op.num_outputs == 0 or not arrays or op.random or sum(a.size for a in arrays) > misfits.LARGE:
        return None
    backend = "accel" if "accel" in available() else "numpy"
    kinds = [tuple(kind) for kind in case["kinds"]]
    train = train or case["way"] in ("step", "bound")
    found = view_calls.outcome(case["way"], op, arrays, train, kinds, case["results"])
    wanted = view_calls.wanted(case["way"], op, arrays, train, backend)
    return difference(found, wanted, arrays, f"{case['way']} {op!r} on {[(a.shape, a.dtype.name) for a in arrays]}")


def difference(found, wanted, arrays, what):
    """In words, or None."""
    if isinstance(found, str) or isinstance(wanted, str):
        if isinstance(found, str) and isinstance(wanted, str):
            first, second = found.splitlines()[0], wanted.splitlines()[0]
            return None if first == second else f"{what}: {first!r}, but imperatively {second!r}"
        shown = [x if isinstance(x, str) else "no error" for x in (found, wanted)]
        return f"{what}: {shown[0]!r}, but imperatively {shown[1]!r}"
    for name, x in found.items():
        if name.startswith("step"):
            place = int(name.removeprefix("step x"))
            gradient = wanted.get(f"gradient x{place}")
            if gradient is None:
                continue
            with np.errstate(all="ignore"):
                right = arrays[place].reshape(x.shape) - gradient.reshape(x.shape)
        elif name in wanted:
            right = wanted[name]
        else:
            continue
        try:
            close(x, right, arrays, f"{what}: {name}")
        except AssertionError as error:
            return str(error)
    return None


def close(found, right, arrays, what):
    """Equal but for rounding; NaN and infinity stand where they stand."""
    assert (found.shape, found.dtype) == (right.shape, right.dtype), what
    if found.dtype.kind != "f":
        np.testing.assert_array_equal(found, right, what)
        return
    eps = np.finfo(found.dtype).eps
    finite = [np.abs(a[np.isfinite(a)]).max(initial=1) for a in (*arrays, right) if a.dtype.kind == "f"]
    np.testing.assert_allclose(found.astype("f8"), right.astype("f8"), rtol=1000 * eps, atol=1000 * eps * max(finite),
                               err_msg=what)


def smaller(case):
    """Fewer numbers, then plainer inputs."""
    yield from misfits.fewer(case)
    for place, kind in enumerate(case["kinds"]):
        if kind != ["none", "variable"]:
            yield {**case, "kinds": [["none", "variable"] if k == place else other
                                     for k, other in enumerate(case["kinds"])]}
    if case["results"]:
        yield {**case, "results": False}
