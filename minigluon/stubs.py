"""Editor stubs: `ndarray/__init__.pyi` and `symbol/__init__.pyi`, written from the table of operators.

    python -m minigluon.stubs

An editor reads them and never the loops that make the functions; a test says when they are out of date.
"""

import ast
import inspect
import textwrap
import types
import typing
from pathlib import Path

from . import ndarray, symbol
from .ops import REGISTRY
from .ops.binding import signature
from .ops.docstrings import public_doc
from .ops.fields import python_type

__all__ = ["PACKAGES", "kind_of", "stub"]

PACKAGES = {ndarray: "NDArray", symbol: "Symbol"}       # package -> what its functions take and return


def stub(package):
    """The text of the package's stub."""
    array = PACKAGES[package]
    lines = ['"""Written by minigluon.stubs. Do not edit."""\n', "from typing import Any, Literal\n",
             "from ..context import Context",
             _imports(package), ""]
    lines += [f"{name}: Any" for name in ("_internal", "contrib", "image", "linalg", "op", "sparse")
              if not inspect.ismodule(getattr(package, name))]
    lines.append("")
    for name, cls in sorted(REGISTRY.items()):
        if not name.startswith("_") and getattr(getattr(package, name), "op", None) is cls:     # not written by hand
            lines.append(_function(name, cls, array))
    return "\n".join(lines)


def _imports(package):
    """The package's imports of its own modules, in the form that re-exports what they bring."""
    lines = []
    for node in ast.parse(Path(package.__file__).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            names = ", ".join(a.name if a.name == "*" else f"{a.name} as {a.name}" for a in node.names)
            lines.append(f"from .{node.module or ''} import {names}")
    return "\n".join(lines)


def _function(name, cls, array):
    shown = signature(cls, array)
    parameters = []
    star = False
    for p in shown.parameters.values():
        if p.kind is inspect.Parameter.KEYWORD_ONLY and not star:
            star = True
            if not cls.variadic:
                parameters.append("*")
        if p.kind is inspect.Parameter.VAR_POSITIONAL:
            star = True
        parameters.append(_parameter(p, cls, array))
    return f'def {name}({", ".join(parameters)}) -> {_result(cls, array)}:\n{_docstring(cls, array)}\n'


def _docstring(cls, array):
    """The operator's docstring as it stands in a function: editors show it, and never see the function itself."""
    doc = inspect.cleandoc(public_doc(cls, array) or "").replace("\\", "\\\\").replace('"""', "'''")
    return textwrap.indent(f'"""{doc}\n"""' if "\n" in doc else f'"""{doc}"""', "    ")


def _parameter(p, cls, array):
    if p.kind is inspect.Parameter.VAR_POSITIONAL:
        return f"*{p.name}: {array}"
    default = "" if p.default is p.empty else f" = {p.default!r}"
    if p.name in cls.arguments or p.name in ("out", "name", "attr"):
        kind = {"out": f"{array} | list[{array}]", "name": "str", "attr": "dict[str, str]"}.get(p.name, array)
        return f"{p.name}: {kind}{' | None' if default else ''}{default}"
    return f"{p.name}: {kind_of(cls.fields[p.name].annotation)}{default}"


def kind_of(annotation):
    """The annotation of a field in Python's own types."""
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        return " | ".join("None" if a is type(None) else kind_of(a) for a in typing.get_args(annotation))
    if typing.get_origin(annotation) is typing.Literal:
        return f"Literal[{', '.join(map(repr, typing.get_args(annotation)))}]"
    return inspect.formatannotation(python_type(annotation)).replace("minigluon.context.", "")


def _result(cls, array):
    """One array where the operator always has one; otherwise that, or a list of several."""
    if array == "Symbol":
        return array
    names, count = inspect.getattr_static(cls, "output_names"), inspect.getattr_static(cls, "num_outputs")
    if names and not isinstance(names, property):
        count = len(names)
    return array if count == 1 else f"{array} | list[{array}]"


def write():
    """Write all stubs to their places."""
    for package in PACKAGES:
        Path(package.__file__).with_suffix(".pyi").write_text(stub(package), encoding="utf-8")


if __name__ == "__main__":
    write()
