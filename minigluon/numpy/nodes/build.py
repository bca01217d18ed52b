"""Conversion of a function call to the operator of a node, with MXNet's name and attributes, and back.

A function that MXNet does not have, or a call that MXNet cannot make, is `_minigluon_np_<function>` in a file, with the
arguments as attributes: `<input 0>` stands for the first input.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base import OpAttributeError
from ..composite import NumpyFunction, count_outputs, is_there, signature_of
from ..table import FUNCTIONS
from .attribute_text import text_of, value_of
from .node_formats import FORMATS_OF, NAMED
from .placeholder import placeholders_in

__all__ = ["node_for", "operator_of"]

_OWN = "_minigluon_np_"


def node_for(function: str, given: Mapping[str, Any], count: int) -> tuple[NumpyFunction, dict[str, str], str]:
    """Return (operator, attributes as texts, stem of the node's name).

    function: the function's name in the table.
    given: the arguments by name, with placeholders for inputs.
    count: the number of inputs.
    """
    defaults = {p.name: p.default for p in signature_of(function).parameters.values() if p.default is not p.empty}
    for node_format in FORMATS_OF.get(function, ()):
        texts = node_format.written(given, defaults, count)
        if texts is not None:
            return _operator(node_format.name, function, given), texts, node_format.stem
    texts = {name: text_of(value) for name, value in given.items()}
    return _operator(_OWN + function, function, given), texts, function.rpartition(".")[2].strip("_")


def operator_of(name: str, texts: Mapping[str, str], count: int) -> NumpyFunction | None:
    """Return the operator for a node in a file, or None if it is not a function of `mx.np`.

    name: the operator's name in the file.
    texts: the node's attributes.
    count: the number of inputs.

    Raises OpAttributeError for attributes that the operator does not have.
    """
    if name.startswith(_OWN):
        function = name[len(_OWN):]
        return _own(function, texts, count) if is_there(function) else None
    node_formats = NAMED.get(name)
    if node_formats is None:
        return None
    for node_format in node_formats:
        given = node_format.read(texts, count)
        if given is not None:
            return _operator(name, node_format.function, given)
    if not name.startswith("_np"):
        return None
    shown = ", ".join(f"{key}={text[:40]!r}" for key, text in texts.items()) or "no attributes"
    raise OpAttributeError(f"{name} does not have {count} inputs with {shown}")


def _own(function, texts, count):
    """Return the operator for a node that MXNet does not have. Raises OpAttributeError."""
    parameters = signature_of(function).parameters
    given = {key: value_of(text) for key, text in texts.items()}
    unknown = [key for key in given if key not in parameters]
    missing = [p.name for p in parameters.values()
               if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD and p.name not in given]
    if unknown or missing or _places(given.values()) != list(range(count)):
        raise OpAttributeError(f"np.{function}{signature_of(function)} does not have {count} inputs with "
                               f"{', '.join(texts) or 'no attributes'}")
    return _operator(_OWN + function, function, {name: given[name] for name in parameters if name in given})


def _places(values):
    """Return the indices of all inputs among some arguments."""
    found: list[int] = []
    for value in values:
        if isinstance(value, tuple):
            found += _places(value)
        elif placeholders_in(value):
            found.append(value.index)
    return sorted(found)


def _operator(name, function, given):
    random = function in FUNCTIONS and FUNCTIONS[function].random
    return NumpyFunction(name=name, function=function, given=tuple(given.items()),
                         num_outputs=count_outputs(function, given), random=random)
