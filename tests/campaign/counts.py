"""An attribute that counts, or says how large, with a number that nothing fits: an error in words at once, or a result.

Imperatively, as a symbol whose shapes are inferred, and in a symbol file. The process may take a gigabyte.
"""

import contextlib
import json
import pathlib
import random
import resource

import numpy as np
from helpers import misfits

from minigluon import autograd, nd, sym
from minigluon.base import MXNetError
from minigluon.ndarray.imperative import invoke
from minigluon.symbol.symbol import compose

SECONDS = 3.0
IN_CI = 60
MEMORY = 2 ** 30
NUMBERS = [2 ** 31 - 1, 2 ** 31 - 1, 10 ** 6, 2 ** 40, 2 ** 62, 2 ** 64, -1, -2 ** 31, 0, 65537]


def case(seed):
    """A call of a row, one of its attributes of whole numbers, and the number."""
    draw = random.Random(seed)
    attributes = []
    while not attributes:
        row, number, (op, arrays, _) = misfits.drawn(draw)
        attributes = [name for name, value in op.attributes.items() if _whole(value) and arrays]
    name, value = draw.choice(attributes), draw.choice(NUMBERS)
    if isinstance(op.attributes[name], tuple):
        place = draw.randrange(len(op.attributes[name]))
        value = [*op.attributes[name][:place], value, *op.attributes[name][place + 1:]]
    counts = [n for n in attributes if n.startswith("num_")]
    return {"operator": op.name, "row": row, "call": number, "attribute": draw.choice(counts) if counts and isinstance(
        value, int) and draw.random() < 0.7 else name, "value": value,
            "way": draw.choice(["imperative", "out", "symbol", "file", "file"])}


def _whole(value):
    values = value if isinstance(value, tuple) else [value]
    return bool(values) and all(type(v) is int for v in values)


def run(case):
    """What is no MXNetError; the campaign measures time."""
    op, arrays, train = misfits.calls_of(case["row"])[case["call"]]
    return tried(op, arrays, train, case["attribute"], case["value"], case["way"])


def tried(op, arrays, train, attribute, value, way):
    """What is wrong with an attribute of that value, or None."""
    attributes = {**op.attributes, attribute: tuple(value) if isinstance(value, list) else value}
    try:
        with limited(MEMORY), np.errstate(all="ignore"):
            WAYS[way](type(op), attributes, arrays, train)
    except MXNetError:
        return None
    except MemoryError as error:
        return f"{op.name}({attribute}={value}) {way}: MemoryError {error}"
    return None


@contextlib.contextmanager
def limited(memory):
    """In this block the process gets so many more bytes, and then a MemoryError."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + memory, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def imperative(cls, attributes, arrays, train, out=False):
    """The call, recorded."""
    op = cls(**attributes)
    inputs = [nd.array(a, dtype=a.dtype) for a in arrays]
    with autograd.record(train_mode=train):
        invoke(op, inputs, out=nd.zeros((1,)) if out else None)


def into(cls, attributes, arrays, train):
    """The call, with out=."""
    imperative(cls, attributes, arrays, train, out=True)


def symbol(cls, attributes, arrays, train):
    """A graph, its names, its shapes."""
    graph = compose(cls(**attributes), [sym.var(f"x{k}") for k in range(len(arrays))])
    graph.list_outputs()
    graph.list_auxiliary_states()
    graph.infer_shape(**{f"x{k}": a.shape for k, a in enumerate(arrays)})


def file(cls, attributes, arrays, train):
    """A symbol file, whose graph has its shapes inferred."""
    nodes = [{"op": "null", "name": f"x{k}", "inputs": []} for k in range(len(arrays))]
    nodes.append({"op": cls.name, "name": "y", "inputs": [[k, 0, 0] for k in range(len(arrays))],
                  "attrs": {name: str(value) for name, value in attributes.items()
                            if value is not None and type(value) in (int, float, str, bool, tuple)}})
    graph = sym.load_json(json.dumps({"nodes": nodes, "arg_nodes": list(range(len(arrays))),
                                      "heads": [[len(arrays), 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}))
    graph.infer_shape(**{f"x{k}": a.shape for k, a in enumerate(arrays)})


WAYS = {"imperative": imperative, "out": into, "symbol": symbol, "file": file}
