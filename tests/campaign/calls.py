"""An operator of the registry called as programs call it, with something that does not fit.

Imperatively, with out=, as a bound symbol and inside a hybridized block, the gradient and all inputs included: what
comes of it is what comes of the imperative call on NumPy. Random and dynamic operators, and those that overwrite their
inputs, are among them.
"""

import random

from helpers import misfits
from helpers.misfit_calls import OUTS, difference, outcome

from minigluon.backend import available
from minigluon.base import MXNetError

SECONDS = 2.0
IN_CI = 20


def case(seed):
    """A call of a row, what is changed in it, and how it is made.

    Arrays of programs are in one piece, so none is laid out otherwise.
    """
    draw = random.Random(seed)
    row, number, (op, arrays, _) = misfits.drawn(draw)
    way = draw.choice(["imperative", "into", "bound", "hybridized"])
    how = {"imperative": {}, "into": {"out": draw.choice(OUTS), "place": draw.randrange(8)},
           "bound": {"simple": draw.random() < 0.5, "between": draw.random() < 0.5},
           "hybridized": {"static": draw.random() < 0.3, "between": draw.random() < 0.5}}[way]
    if way == "imperative" and len(arrays) > 1 and draw.random() < 0.3:
        how["same"] = draw.sample(range(len(arrays)), 2)
    changes = misfits.changes(draw, op, arrays) if draw.random() < 0.8 else []
    changes = [change for change in changes if change[0] != "layout"]
    return {"operator": op.name, "row": row, "call": number, "changes": changes, "way": way, "how": how}


def run(case):
    """What the way and the backend's kernels do that NumPy does not."""
    op, arrays, train = misfits.calls_of(case["row"])[case["call"]]
    try:
        op, arrays, _ = misfits.applied(op, arrays, case["changes"])
    except MXNetError:
        return None                     # an attribute that no such operator has
    if is_no_case(case, op, arrays):
        return None
    train = train or case["way"] == "bound"
    way, how = case["way"], case["how"]
    backend = "accel" if "accel" in available() else "numpy"
    what = f"{way} {op!r} on {[(a.shape, a.dtype.name) for a in arrays]}"
    found = outcome(way, op, arrays, train, backend, **how)
    if how.get("out") == "other shape":
        return None if isinstance(found, str) else f"{what}: no error for out= of another shape"
    if way == "into":
        wanted = outcome("into", op, arrays, train, "numpy")
        if how["out"] == "input" and not isinstance(wanted, str):
            target = arrays[how["place"] % len(arrays)]
            if target.shape != wanted[0][1].shape:
                return None if isinstance(found, str) else f"{what}: no error for out= of another shape"
        return difference(op, arrays, found, wanted, what)
    same = {"same": how["same"]} if "same" in how else {}
    return difference(op, arrays, found, outcome("imperative", op, arrays, train, "numpy", **same), what)


def is_no_case(case, op, arrays):
    """Is there nothing to compare?"""
    if not arrays or sum(a.size for a in arrays) > misfits.LARGE:
        return True
    if case["way"] != "imperative" and (op.num_outputs == 0 or any(c[1] == "num_args" for c in case["changes"])):
        return True                     # a graph has outputs; functions count inputs themselves, and files are checked
    # What stands between multiplies by 1, which makes numbers of truth values.
    return case["how"].get("between", False) and any(a.dtype.kind == "b" for a in arrays)


smaller = misfits.fewer
