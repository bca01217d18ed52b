"""The formats of nodes, read from the table: conversion of a function with arguments to a name with texts, and back."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as onp

from ...base import OpAttributeError
from ...context import current_context
from .attribute_text import text_of, value_of
from .codecs import CODECS, Codec, Unfit
from .placeholder import Placeholder, placeholders_in
from .table import LINES

__all__ = ["FORMATS_OF", "NAMED", "NodeFormat"]

_WORDS = {"mode", "interpolation", "subscripts", "UPLO", "order", "dtype", "msg"}         # attributes that are words
_FLAGS = {"keepdims", "returned", "copy", "endpoint", "replace", "reverse", "weighted", "return_index",
          "return_inverse", "return_counts"}


def _number(value):
    if isinstance(value, (bool, onp.bool_)):
        return str(int(value))
    if not isinstance(value, (int, float, onp.number)):
        raise Unfit
    return text_of(value)


def _only(kind: Any, text: Callable[[Any], str] = str) -> Callable[[Any], str]:
    def write(value: Any) -> str:
        if not isinstance(value, kind):
            raise Unfit
        return text(value)
    return write


# kind: (conversion from value to text, conversion from text to value)
_KINDS: dict[str, tuple[Callable[[Any], str], Callable[[str], Any]]] = {
    "": (text_of, value_of), "number": (_number, value_of), "integer": (_only(int), value_of),
    "float": (lambda value: _number(float(value)), value_of), "pair": (_only(tuple), value_of),
    "percent": (lambda value: _number(value * 100), lambda text: value_of(text) / 100),
    "flag": (lambda value: str(int(bool(value))), lambda text: bool(value_of(text))),
    "low": (lambda x: "-inf" if x is None else _number(x), lambda text: None if text == "-inf" else value_of(text)),
    "high": (lambda x: "inf" if x is None else _number(x), lambda text: None if text == "inf" else value_of(text)),
}


@dataclass(frozen=True)
class Attribute:
    """One attribute of a format; see `table.py` for its parts. policy: '', '?', '~', '!', '#' or 'ctx'."""

    name: str
    parameter: str
    kind: str = ""
    policy: str = ""
    constant: str = ""


def _attribute(token: str) -> Attribute | Codec:
    if token[0] == "@":
        name, _, parameter = token[1:].partition("=")
        codec = CODECS[name]
        return Codec((parameter,), codec.attributes, codec.encode, codec.decode) if parameter else codec
    if token == "ctx" or token.endswith("#"):
        return Attribute(token.rstrip("#"), "", "", "ctx" if token == "ctx" else "#")
    name, is_constant, constant = token.partition("!")
    policy = name[-1] if name[-1] in "?~" else ""
    name, _, kind = name.rstrip("?~").partition(":")
    name, _, parameter = name.partition("=")
    return Attribute(name, "" if is_constant else parameter or name, kind, "!" if is_constant else policy, constant)


@dataclass(frozen=True)
class NodeFormat:
    """One line of the table. stem: the stem of the node's name. listed: whether the input is a list of any length."""

    name: str
    stem: str
    function: str
    inputs: tuple[str, ...]
    listed: bool
    attributes: tuple[Attribute | Codec, ...]

    def written(self, given: Mapping[str, Any], defaults: Mapping[str, Any], count: int) -> dict[str, str] | None:
        """Return the texts for the arguments of a call, or None if the call does not have this format.

        given: the arguments by name, with placeholders for inputs.
        defaults: the defaults of all parameters.
        count: the number of inputs.
        """
        if {name for name, value in given.items() if placeholders_in(value)} != set(self.inputs):
            return None
        if not all(_are_placeholders(given[name], self.listed) for name in self.inputs):
            return None
        values = {**defaults, **given}
        covered = {*self.inputs, "out", "kind", "ctx"}
        try:
            texts: dict[str, str] = {}
            for attribute in self.attributes:
                texts.update(_texts(attribute, given, values, count))
                covered.update(attribute.parameters if isinstance(attribute, Codec) else (attribute.parameter,))
        except Unfit:
            return None
        rest = {name for name, value in given.items() if name not in covered and value != defaults.get(name)}
        fixed = {a.name: a.constant for a in self.attributes if isinstance(a, Attribute) and a.policy == "!"}
        return None if any(name not in fixed or text_of(given[name]) != fixed[name] for name in rest) else texts

    def read(self, texts: Mapping[str, str], count: int) -> dict[str, Any] | None:
        """Return the arguments for the texts of a file, or None if they do not have this format.

        count: the number of inputs.

        Raises OpAttributeError for a text that is not a value of its attribute.
        """
        if count != len(self.inputs) and not self.listed:
            return None
        known = {name for a in self.attributes for name in (a.attributes if isinstance(a, Codec) else (a.name,))}
        if not known.issuperset(texts):
            return None
        places = tuple([Placeholder(i) for i in range(count)])
        given: dict[str, Any] = {self.inputs[0]: places} if self.listed else dict(zip(self.inputs, places, strict=True))
        try:
            for attribute in self.attributes:
                given.update(_values(attribute, texts, count))
        except Unfit:
            return None
        return {**given, **dict(zip(self.inputs, places, strict=True))} if not self.listed else given


def _are_placeholders(value, listed):
    if listed:
        return isinstance(value, tuple) and all(isinstance(x, Placeholder) for x in value)
    return isinstance(value, Placeholder)


def _texts(attribute, given, values, count):
    """Return {attribute: text}."""
    if isinstance(attribute, Codec):
        arguments = [values[name] for name in attribute.parameters]
        return attribute.encode(*[None if placeholders_in(value) else value for value in arguments])
    if attribute.policy in ("!", "#", "ctx"):
        return {attribute.name: {"!": attribute.constant, "#": str(count)}.get(attribute.policy)
                or str(current_context())}
    value = values[attribute.parameter]
    if attribute.policy == "?" and attribute.parameter not in given or attribute.policy == "~" and value is None:
        return {}
    return {attribute.name: _KINDS[attribute.kind][0](value)}


def _values(attribute, texts, count):
    """Return {parameter: value}. Raises Unfit if a text belongs to another format."""
    if isinstance(attribute, Codec):
        return dict(zip(attribute.parameters, attribute.decode(*[texts.get(name) for name in attribute.attributes]),
                        strict=True))
    text = texts.get(attribute.name)
    if text is None or attribute.policy == "ctx":
        return {}
    if attribute.policy in ("!", "#"):
        if value_of(text) != (count if attribute.policy == "#" else value_of(attribute.constant)):
            raise Unfit
        return {}
    value = text if attribute.name in _WORDS else _KINDS[attribute.kind][1](text)
    is_wrong = attribute.kind in ("number", "integer", "float") and not isinstance(value, (int, float, type(None)))
    if is_wrong or placeholders_in(value) or attribute.name in _FLAGS and value not in (True, False) or \
            isinstance(value, str) and attribute.name not in _WORDS:
        expected = "True or False" if attribute.name in _FLAGS else "a number" if is_wrong else "a number or a tuple"
        raise OpAttributeError(f"attribute {attribute.name} is {text[:60]!r}, expected {expected}")
    return {attribute.parameter: None if value == "None" else bool(value) if attribute.name in _FLAGS else value}


def _parsed(line: str) -> NodeFormat:
    name, function, inputs, *attributes = line.split()
    name, _, stem = name.partition("/")
    names = () if inputs == "-" else tuple(inputs.lstrip("*").split(","))
    plain = functools.reduce(str.removeprefix, ("_npi_", "_npx_", "_np_", "_linalg_", "_"), name)
    attributes = tuple(map(_attribute, attributes))
    return NodeFormat(name, stem or plain.lower(), function, names, inputs[0] == "*", attributes)


def _grouped(node_formats: list[NodeFormat], key: str) -> dict[str, list[NodeFormat]]:
    groups: dict[str, list[NodeFormat]] = {}
    for node_format in node_formats:
        groups.setdefault(getattr(node_format, key), []).append(node_format)
    return groups


_FORMATS = [_parsed(line) for line in LINES]
FORMATS_OF = _grouped(_FORMATS, "function")
# Operators of `nd` that behave differently in files with NumPy's shapes: the result is () for a matrix, or parts have
# different lengths.
_OTHERS = ("Custom", "_linalg_det", "_linalg_slogdet", "_split_v2")
NAMED = {name: formats for name, formats in _grouped(_FORMATS, "name").items()
         if name.startswith("_np") or name in _OTHERS}
