"""An operator of the registry with inputs left out, in its place None or what is no array, or with one too many.

Also with an attribute turned round that decides how many inputs there are. By the registry, by the function of `nd`, as
a symbol that is bound, and in a hybridized block; before and after the same operator has run with all its inputs. What
comes of it is what comes of the call on NumPy: an error of ours, or the same arrays. `tests/scripts/sanitize.py
tests/campaign left_out` looks at the memory that kernels read.
"""

import random
import re

import numpy as np
from helpers import misfits
from helpers.hybrid_twins import hybrid
from helpers.misfit_checks import close

import minigluon as mx
from minigluon import autograd, nd, sym
from minigluon.backend import available, use_backend
from minigluon.base import MXNetError
from minigluon.ndarray.imperative import invoke
from minigluon.symbol.symbol import compose

SECONDS = 3.0
IN_CI = 60
EDITS = ["none", "none", "drop", "drop", "number", "more", "swap"]


def case(seed):
    """A call of a row, what is done to its inputs and attributes, and how it is made."""
    draw = random.Random(seed)
    arrays = []
    while not arrays:
        row, number, (op, arrays, _) = misfits.drawn(draw)
    edits = [[draw.choice(EDITS), draw.randrange(len(arrays))] for _ in range(draw.choice([0, 1, 1, 1, 2]))]
    switches = [name for name, value in op.attributes.items() if isinstance(value, bool)]
    turned = draw.choice(switches) if switches and (not edits or draw.random() < 0.3) else None
    return {"operator": op.name, "row": row, "call": number, "edits": edits or [["none", 0]] * (turned is None),
            "turned": turned, "way": draw.choice(list(WAYS)), "warm": draw.random() < 0.5,
            "record": draw.random() < 0.5}


def run(case):
    """What the plugin does that NumPy does not, or None."""
    op, arrays, train = misfits.calls_of(case["row"])[case["call"]]
    if op.dynamic or op.random:
        return None
    backend = "accel" if "accel" in available() else "numpy"
    found, wanted = outcome(case, op, arrays, train, backend), outcome(case, op, arrays, train, "numpy")
    if isinstance(found, str) or isinstance(wanted, str):
        return None if found == wanted else f"{case}: {found!r} instead of {wanted!r}"
    for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
        try:
            close(one, other, arrays, f"{case}: result {number}")
        except AssertionError as error:
            return str(error)
    return None


def outcome(case, op, arrays, train, backend):
    """The results as NumPy arrays, or the text of an error of ours."""
    inputs = [nd.array(a, dtype=a.dtype) for a in arrays]
    mx.random.seed(7)
    with use_backend(backend), np.errstate(all="ignore"):
        if case["warm"]:
            invoke(op, [x.copy() for x in inputs])
        try:
            if case["turned"] is not None:
                op = type(op)(**{**op.attributes, case["turned"]: not op.attributes[case["turned"]]})
            with autograd.record(train_mode=train) if case["record"] else (
                    autograd.train_mode() if train else autograd.predict_mode()):
                outputs = WAYS[case["way"]](op, edited(inputs, case["edits"]))
        except MXNetError as error:
            return re.sub(r"[0-9]+", "#", str(error).splitlines()[0])       # names have counters
    return [y.asnumpy() for y in (outputs if isinstance(outputs, (list, tuple)) else [outputs])]


def edited(inputs, edits):
    """The inputs after the edits."""
    given = list(inputs)
    for kind, place in edits:
        if kind == "more":
            given.append(inputs[place].copy())      # an operator that updates two inputs needs two arrays
        elif place < len(given):
            if kind == "swap":
                given[0], given[place] = given[place], given[0]
            else:
                given[place:place + 1] = {"none": [None], "drop": [], "number": [2.5]}[kind]
    return given


def by_function(op, given):
    """The call as programs write it; names with an underscore are the project's own."""
    function = None if op.name.startswith("_") else getattr(nd, op.name, None)
    if function is None:
        return invoke(op, given)
    attributes = {name: value for name, value in op.attributes.items() if value is not None}
    return function(*given, **attributes)


def bound(op, given):
    """A symbol, bound and run."""
    variables = [sym.var(f"x{k}") if isinstance(x, nd.NDArray) else None for k, x in enumerate(given)]
    graph = compose(op, variables)
    return graph.eval(**{f"x{k}": x for k, x in enumerate(given) if isinstance(x, nd.NDArray)})


def hybridized(op, given):
    """A hybridized block."""
    places = [k for k, x in enumerate(given) if isinstance(x, nd.NDArray)]
    if not places:
        return invoke(op, given)

    def function(F, *xs):
        inputs = [None] * len(given)
        for k, x in zip(places, xs, strict=True):
            inputs[k] = x
        outputs = compose(op, inputs) if F is sym else invoke(op, inputs)
        return list(outputs) if len(op.argument_names(len(inputs))) and not isinstance(outputs, nd.NDArray) else outputs
    return hybrid(function)(*[given[k] for k in places])


WAYS = {"registry": lambda op, given: invoke(op, given), "function": by_function, "bound": bound,
        "hybridized": hybridized}


def smaller(case):
    """Cases with one edit less."""
    for k in range(len(case["edits"])):
        if len(case["edits"]) > 1 or case["turned"]:
            yield {**case, "edits": case["edits"][:k] + case["edits"][k + 1:]}
