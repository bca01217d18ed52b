"""Drawn attributes in symbol files with nodes of `mx.np`, and drawn arguments of its functions."""

import gzip
import json
import warnings

import numpy as onp
from records import DATA

from minigluon import gluon, np, sym
from minigluon.base import MXNetError
from minigluon.numpy.table import FUNCTIONS

__all__ = ["call", "file"]

RECORDED = json.loads(gzip.decompress((DATA / "mxnet_np_graphs.json.gz").read_bytes()))
NETS = [name for name in RECORDED if name not in ("perceptron", "attention", "convolutions", "losses")]
TEXTS = ["None", "-1", "0", "1", "3", "99999999999", "1e400", "nan", "-inf", "True", "()", "(1,)", "(-1, 5)", "(0, 0)",
         "[2]", "('a',)", "abc", "<input 0>", "<input 7>", "<input -1>", "(<input 0>,)", "1.5", "-9223372036854775809",
         "(99999, 99999, 99999)", "((1, 2), (3,))", "[[0]]", "float64", "int99", "", "é", "'x'", "{}", "1" * 400,
         "(1000000000000,)", "Ellipsis"]
VALUES = [None, -1, 0, 1, 3, 99999999999, 10 ** 400, float("nan"), float("inf"), True, (), (1,), (-1, 5), [2], ("a",),
          "abc", 1.5, ((1, 2), (3,)), [[0]], "float64", "int99", {}, ..., slice(0, 1), (10 ** 12,), object()]
SHAPES = [(2, 3), (3,), (), (0, 2), (2, 2, 2)]


def an_array(draw):
    return np.array(onp.ones(draw.choice(SHAPES), draw.choice(["float32", "int32", "bool"])))


def problem_of(function, *args):
    """Return an exception that is not an MXNetError, with its type, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(*args)
        except MXNetError:
            return None
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:200]}"
    return None


def file(draw, started=None):
    """Return (description, exception that is not an MXNetError or None) of a file whose node has drawn attributes.

    started: called with the description before it runs, for what takes too long.
    """
    graph = json.loads(RECORDED[draw.choice(NETS)][0])
    nodes = [node for node in graph["nodes"] if node["op"] != "null"]
    if not nodes:
        return "a graph without operators", None
    node = draw.choice(nodes)
    attrs = node.setdefault("attrs", {})
    for _ in range(draw.choice([1, 1, 2])):
        if attrs:
            attrs[draw.choice(list(attrs))] = draw.choice(TEXTS)
    shown = f"{node['op']} {attrs}"[:300]
    if started is not None:
        started(shown)
    return shown, problem_of(_run, json.dumps(graph), draw)


def _run(text, draw):
    symbol = sym.load_json(text)
    names = symbol.list_inputs()
    outputs = gluon.SymbolBlock(symbol, [sym.var(name) for name in names])(*[an_array(draw) for _ in names])
    for y in outputs if isinstance(outputs, (list, tuple)) else [outputs]:
        y.asnumpy()


def call(draw, started=None):
    """Return (description, exception that is not an MXNetError or None) of a call with drawn arguments.

    started: as for `file`.
    """
    name = draw.choice(sorted(name for name in FUNCTIONS if name[0] != "_"))
    parameters = [p for p in FUNCTIONS[name].signature.parameters.values() if p.name not in ("ctx", "out")]
    required = sum(p.default is p.empty for p in parameters)
    count = draw.randint(max(1, required), max(1, len(parameters)))
    args = [draw.choice(VALUES) if i and draw.random() < 0.8 else an_array(draw) for i in range(count)]
    function = np
    for part in name.split("."):
        function = getattr(function, part)
    shown = f"np.{name}{[x.shape if hasattr(x, 'asnumpy') else x for x in args]}"[:300]
    if started is not None:
        started(shown)
    return shown, problem_of(function, *args)
