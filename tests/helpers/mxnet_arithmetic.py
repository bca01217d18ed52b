"""Symbol files in which Python's arithmetic between symbols is MXNet's: elemwise_add, where ours broadcasts."""

import json

from minigluon.symbol.json_file import EQUAL_SHAPES, _layout

__all__ = ["with_mxnets_arithmetic"]

_OPERATORS = {f"broadcast_{name}": f"elemwise_{name}" for name in ("add", "sub", "mul", "div")}
_OPERATORS |= {f"broadcast_{name}": f"_{name}" for name in (
    "mod", "power", "equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal", "maximum", "minimum",
    "hypot")}


def with_mxnets_arithmetic(text):
    """The text of a symbol file of ours, as MXNet writes the same program's."""
    graph = json.loads(text)
    _replace(graph)
    return _layout(graph)


def _replace(graph):
    for node in graph["nodes"]:
        attrs = node.get("attrs", {})
        if EQUAL_SHAPES.items() <= attrs.items():
            node["op"] = _OPERATORS[node["op"]]
            for key in EQUAL_SHAPES:
                del attrs[key]
            if not attrs:
                del node["attrs"]
        for inner in node.get("subgraphs", ()):
            _replace(inner)
