"""Formulas for lengths, such as '(N + 1) // 2', expressed as operators on the shapes of the file's inputs."""

from __future__ import annotations

import ast
from typing import Any

__all__ = ["translate_formula"]

_OPERATORS = {ast.Add: "Add", ast.Sub: "Sub", ast.Mult: "Mul", ast.FloorDiv: "Div", ast.Mod: "Mod"}


def translate_formula(g: Any, text: str) -> Any:
    """Returns the formula as a Value with one int64 element. g: the builder of the entire graph."""
    return _translate(g, ast.parse(text, mode="eval").body)


def _translate(g, part):
    if isinstance(part, ast.Constant):
        return g.ints(part.value)
    if isinstance(part, ast.UnaryOp):       # -1
        return g.ints(-ast.literal_eval(part.operand))
    text = ast.unparse(part)
    if text in g.lengths:
        return g.lengths[text]
    if isinstance(part, ast.Name):
        source, axis = g.inputs[part.id]
        value = g.call("Gather", g.call("Shape", source), g.ints(axis), axis=0, shape=(1,))
    else:
        assert isinstance(part, ast.BinOp)
        value = g.call(_OPERATORS[type(part.op)], _translate(g, part.left), _translate(g, part.right), shape=(1,))
    g.lengths[text] = value
    return value
