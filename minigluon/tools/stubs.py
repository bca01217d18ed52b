"""Editor stubs, generated from the table of operators and the annotations of the classes NDArray and Symbol.

    python -m minigluon.tools.stubs

`ndarray/__init__.pyi` and `symbol/__init__.pyi` contain the functions, `ndarray/ndarray.pyi` and `symbol/symbol.pyi`
the classes with all methods. Editors and type checkers read these instead of the loops that create functions and
methods; a test fails if they are out of date.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import sys
import textwrap
import types
import typing
from pathlib import Path
from typing import Any

from .. import ndarray, symbol
from ..frontend import operators
from ..frontend.arithmetic_table import ARITHMETIC
from ..frontend.methods import METHODS
from ..frontend.signatures import signature
from ..ops import REGISTRY
from ..ops.annotations import Device, DType, Floats, Index, Shape, python_type
from ..ops.docstrings import public_doc

__all__ = ["FILES", "PACKAGES", "class_stub", "kind_of", "stub"]

PACKAGES = {ndarray: "NDArray", symbol: "Symbol"}       # package -> the type that its functions take and return
_MODULES = {ndarray: ndarray.ndarray, symbol: sys.modules["minigluon.symbol.symbol"]}

# The types that programs pass for attributes of operators, which accept more than their canonical form.
_KINDS = {Shape: "Shape", Floats: "Number | Sequence[float]", Index: "Sequence[int | None]", DType: "DType",
          Device: "str | Context", float: "Number"}

# For operators that usually have one output: the attribute and value that give them several.
_SEVERAL_WITH = {"output_mean_var": True, "state_outputs": True, "get_prob": True, "ret_typ": "both"}

# Methods other than METHODS that `add_methods` and `add_indexing` add to the classes.
_MORE_METHODS = {"__array__", "__getitem__", "__iter__", "__setitem__", "all", "any", "astype", "reshape",
                 "slice_assign", "slice_assign_scalar", "split_v2"}

# For the modules of the classes: imports, base classes, and attributes that __init__ sets.
_OF_MODULE = {
    "NDArray": (("from ..base import MXNetError", "from ..frontend.binding import Arithmetic"), "",
                ("buffer: Any", "device: Context")),
    "Symbol": (("from .array_only import ArrayOnlyAttributes", "from .attributes import Attributes",
                "from .composition import Composable", "from .graph import Node, Pair",
                "from .inference import Inference", "from .outputs import Outputs", "from .runnable import Runnable",
                "from .saving import Saving"),
               "(Outputs, Inference, Attributes, Composable, Saving, Runnable, ArrayOnlyAttributes)",
               ("heads: list[Pair]",)),
}


def stub(package: Any) -> str:
    """Return the text of the package's stub."""
    array = PACKAGES[package]
    lines = ['"""Written by minigluon.tools.stubs. Do not edit."""\n', "from collections.abc import Sequence",
             "from typing import Any, Literal, overload\n",
             "from ..context import Context", "from ..common.types import DType, Number, Shape", _imports(package), "",
             "_internal: Any", "op: Any", ""]
    if array == "Symbol":
        lines += ["sparse: Any", ""]
    lines += ["Custom = custom_function", ""]
    for name in ARITHMETIC:
        function = getattr(package, name)
        if function.__module__ == package.__name__:         # generated from the table; `nd.power` is handwritten
            left, right = inspect.signature(function).parameters
            lines.append(f"def {name}({left}: {array} | Number, {right}: {array} | Number) -> {array}: ...")
    if array == "Symbol":
        lines.append("pow = power")
    lines.append("")
    for name, cls in sorted(REGISTRY.items()):
        if not name.startswith("_") and getattr(getattr(package, name), "op", None) is cls:     # not handwritten
            lines.append(_function(name, cls, array))
    lines += [_namespace(name, getattr(package, name), array) for name in ("contrib", "image", "linalg")]
    return "\n".join(lines)


def _imports(package):
    """Return the package's imports from its own modules, in the form that re-exports the names."""
    lines = []
    body = ast.parse(Path(package.__file__).read_text(encoding="utf-8")).body
    for node in [inner for outer in body for inner in (outer.body if isinstance(outer, ast.If) else [outer])]:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            names = ", ".join(a.name if a.name == "*" else f"{a.name} as {a.asname or a.name}" for a in node.names)
            lines.append(f"from .{node.module or ''} import {names}")
    return "\n".join(lines)


def _namespace(name, functions, array):
    """Return a namespace such as `contrib`, which an editor sees as a class with static methods."""
    lines = [f"class {name}:"]
    for key in dir(functions):
        cls = REGISTRY.get(f"_{name}_{key}")
        if cls and getattr(getattr(functions, key), "op", None) is cls:
            text = _function(key, cls, array)
            lines.append(textwrap.indent(re.sub(r"(?m)^(@overload\n)?def ", r"@staticmethod\n\g<0>", text), "    "))
        else:
            lines.append(f"    {key}: Any\n")
    return "\n".join(lines)


def _function(name, cls, array, first=None):
    """Return an operator's function, or two overloads if an attribute decides between one and several outputs."""
    result, flag = _result(cls, array)
    if flag is None:
        return f"def {name}({_parameters(cls, array, first)}) -> {result}:\n{_docstring(cls, array)}\n"
    several, single = _parameters(cls, array, first, flag, True), _parameters(cls, array, first, flag, False)
    return (f"@overload\ndef {name}({several}) -> list[{array}]:\n{_docstring(cls, array)}\n"
            f"@overload\ndef {name}({single}) -> {array}: ...\n")


def _parameters(cls, array, first=None, flag=None, several=False):
    """Return the parameters. first: the first name, which `self` replaces. flag, several: see `_SEVERAL_WITH`."""
    listed, star = [], False
    for position, p in enumerate(signature(cls, array).parameters.values()):
        if p.kind is inspect.Parameter.VAR_POSITIONAL:
            star = True
        elif not star and (p.kind is inspect.Parameter.KEYWORD_ONLY or several and p.name == flag):
            star = True
            listed.append("*")
        if position == 0 and first and not cls.variadic:
            listed.append(first)
        elif p.name == flag:
            listed.append(_flag(p, cls, several))
        else:
            listed.append(_parameter(p, cls, array))
    return ", ".join(listed)


def _flag(p, cls, several):
    """Return the deciding parameter, with the values that produce several outputs or with the other values."""
    value = _SEVERAL_WITH[p.name]
    if several:
        return f"{p.name}: Literal[{value!r}]"
    others = [False] if value is True else [v for v in typing.get_args(cls.fields[p.name].annotation) if v != value]
    return f"{p.name}: Literal[{', '.join(map(repr, others))}] = {p.default!r}"


def _docstring(cls, array):
    """Return the operator's docstring for a function, because editors show it but never see the function itself."""
    return _quoted(inspect.cleandoc(public_doc(cls, array) or ""))


def _quoted(doc):
    doc = doc.replace("\\", "\\\\").replace('"""', "'''")
    return textwrap.indent(f'"""{doc}\n"""' if "\n" in doc else f'"""{doc}"""', "    ")


def _parameter(p, cls, array):
    if p.kind is inspect.Parameter.VAR_POSITIONAL:
        return f"*{p.name}: {array}"
    default = "" if p.default is p.empty else f" = {p.default!r}"
    if p.name in cls.arguments or p.name in ("out", "name", "attr"):
        kind = {"out": f"{array} | list[{array}]", "name": "str", "attr": "dict[str, str]"}.get(p.name, array)
        return f"{p.name}: {kind}{' | None' if default else ''}{default}"
    return f"{p.name}: {kind_of(cls.fields[p.name].annotation)}{default}"


def kind_of(annotation: Any) -> str:
    """Return the annotation of a field in Python's own types."""
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        return " | ".join("None" if a is type(None) else kind_of(a) for a in typing.get_args(annotation))
    if typing.get_origin(annotation) is typing.Literal:
        return f"Literal[{', '.join(map(repr, typing.get_args(annotation)))}]"
    return _KINDS.get(annotation) or inspect.formatannotation(python_type(annotation)).replace("minigluon.context.", "")


def _result(cls, array):
    """Return (type of the result, the attribute that decides between one output and several outputs, or None)."""
    if array == "Symbol":
        return array, None
    flag = next((name for name in _SEVERAL_WITH if name in cls.fields), None)
    names, count = inspect.getattr_static(cls, "output_names"), inspect.getattr_static(cls, "num_outputs")
    if names and not isinstance(names, (property, functools.cached_property)):
        count = len(names)
    if flag is not None:
        return None, flag
    if "num_outputs" in cls.fields or isinstance(count, int) and count > 1:
        return f"list[{array}]", None       # `split` into one part returns that part, but programs do not request it
    # The number of outputs of `multi_sgd_update` depends on its attributes; programs pass arrays to write to.
    return (array if count == 1 else "Any"), None


def class_stub(package: Any) -> str:
    """Return the stub of the module with the package's class, including all methods of the class."""
    array, module = PACKAGES[package], _MODULES[package]
    cls = getattr(module, array)
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == array)
    parts = [_member(node) for node in body if isinstance(node, (ast.FunctionDef, ast.Assign, ast.AnnAssign))
             and getattr(node, "name", None) != "__getattr__"]            # it only raises an error for missing names
    names = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    compared = [name for name, value in vars(operators.Operators).items() if inspect.isfunction(value)]
    others = [name for name in vars(cls) if name in METHODS or name in _MORE_METHODS]
    lines = ['"""Written by minigluon.tools.stubs. Do not edit."""\n', "import os",
             "from collections.abc import Callable, Iterable, Iterator, Sequence",
             "from typing import Any, Literal, NoReturn, TypeVar, overload\n", "import numpy as np\n",
             "from ..context import Context",
             "from ..ops.op import Op", "from ..common.types import DType, Number, Shape", *_OF_MODULE[array][0], "",
             f"class {array}{_OF_MODULE[array][1]}:", *[f"    {line}" for line in _OF_MODULE[array][2]],
             *[textwrap.indent(text, "    ") for text in [*parts, *_attached(module)] if text],
             *[_operator(name, array) for name in compared if name.startswith("__") and name not in names],
             "    def __hash__(self) -> int: ..."]
    for name in sorted(name for name in set(others) - names if f"def {name}(" not in "\n".join(lines)):
        function = getattr(cls, name)
        text = _function(name, function.op, array, "self") if hasattr(function, "op") else _method(name, function)
        lines.append(textwrap.indent(text, "    "))
    variables = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Assign)
                 and ast.unparse(node.value).startswith("TypeVar(")]
    members = variables + [_member(node) for node in tree.body if isinstance(node, ast.FunctionDef)
                           or isinstance(node, ast.Assign) and isinstance(node.value, ast.Name)]
    return "\n".join([*lines, "", *members]) + "\n"


def _attached(module):
    """Return the methods that other files add to the class with the decorator `method`, with their docstrings.

    Editors look for docstrings in the class's file and would not find these docstrings.
    """
    stubs = []
    for path in sorted(Path(module.__file__).parent.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and "method" in map(ast.unparse, node.decorator_list):
                doc = ast.get_docstring(node)
                node.args.args[0] = ast.arg("self")
                text = _member(node)
                stubs.append(text if doc is None else f"{text.removesuffix(' ...')}\n{_quoted(doc)}")
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):     # an alias
                target = node.targets[0]
                if ast.unparse(target.value) in PACKAGES.values() and isinstance(node.value, ast.Name):
                    stubs.append(f"{target.attr} = {node.value.id}")
    return stubs


def _operator(name, array):
    """Return the stub of one of Python's operators."""
    if name in ("__eq__", "__ne__"):
        return f"    def {name}(self, other: Any) -> {array}: ...  # type: ignore[override]    # of objects, a bool"
    return f"    def {name}(self, other: {array} | Number) -> {array}: ..."


def _member(node):
    """Return a function or constant as a stub, without its body. Editors find the docstring in the source."""
    if isinstance(node, ast.FunctionDef):
        parts = node.args
        for arg in filter(None, [*parts.posonlyargs, *parts.args, parts.vararg, *parts.kwonlyargs, parts.kwarg]):
            if arg.annotation is None and arg.arg != "self":        # functions of the engine itself
                arg.annotation = ast.Name("Any")
        node.decorator_list = [d for d in node.decorator_list if ast.unparse(d) in ("property", "overload")]
        node.returns = node.returns or (ast.Constant(None) if node.name == "__init__" else ast.Name("Any"))
        node.body = [ast.Expr(ast.Constant(...))]
        return ast.unparse(node).replace(":\n    ...", ": ...")
    if isinstance(node, ast.AnnAssign):
        return f"{ast.unparse(node.target)}: {ast.unparse(node.annotation)}"
    name, value = node.targets[0].id, node.value
    return f"{name} = {value.id}" if isinstance(value, ast.Name) else f"{name}: Any"


def _method(name, function):
    """Return a function that is a method of the class under another name."""
    node = ast.parse(inspect.getsource(inspect.unwrap(function))).body[0]
    node.name, node.decorator_list, node.args.args[0] = name, [], ast.arg("self")
    return _member(node)


# The text of each package's stubs, by file.
FILES = {Path(package.__file__).with_suffix(".pyi"): functools.partial(stub, package) for package in PACKAGES}
FILES |= {Path(_MODULES[package].__file__).with_suffix(".pyi"): functools.partial(class_stub, package)
          for package in PACKAGES}


def write() -> None:
    """Write all stubs to their files."""
    for path, text in FILES.items():
        path.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    write()
