"""`minigluon check`, which finds the MXNet names in a program that are missing, different or slow in minigluon.

The program is parsed but not run. Names bound by `import mxnet as mx`, `from mxnet import nd` and assignments such as
`nn = mx.gluon.nn` are followed, and each dotted name is looked up in this package. `F` in
`hybrid_forward(self, F, ...)` stands for `nd`. Methods of objects, `x.some_method()`, cannot be resolved without
running the program and are not checked.
"""

from __future__ import annotations

import ast
import importlib
import pathlib
import platform
from dataclasses import dataclass
from typing import Any

from ...base import ArgumentError, MXNetError
from ...providers import ask
from .check_rules import DIFFERENT, DOWNLOADS, PRETRAINED, REFUSED_STORES, REFUSED_VALUES, SLOW

__all__ = ["Finding", "check", "check_text"]


@dataclass(frozen=True, order=True)
class Finding:
    """A name on one line; `kind` is "missing", "different" or "slow"."""

    file: str
    line: int
    kind: str
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.kind}: {self.name}: {self.text}"


def check(path: str) -> list[Any]:
    """Returns the findings for a file, or for all `*.py` files below a folder, in order.

    Raises ArgumentError if there is no such file or if it does not contain valid Python.
    """
    path = pathlib.Path(path)
    if not path.exists():
        raise ArgumentError(f"there is no file or folder {str(path)!r}")
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return [finding for file in files for finding in check_text(file.read_bytes(), str(file))]


def check_text(text: str, file: str = "<text>") -> list[Any]:
    """Returns the findings for a program's text, or for its bytes in the encoding that they declare."""
    try:
        tree = ast.parse(text, file)
    except (SyntaxError, ValueError) as error:          # ValueError: the text contains a null byte
        raise ArgumentError(f"{file} is not valid for Python {platform.python_version()}: {error}") from None
    reader = _Reader(file)
    reader.visit(tree)
    return sorted(set(reader.findings))


class _Reader(ast.NodeVisitor):
    """The AST visitor for a program. `names` maps the names that the program uses for MXNet objects to dotted names."""

    def __init__(self, file):
        self.file, self.findings, self.names = file, [], {}

    # -- bindings of names

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name.partition(".")[0] == "mxnet":
                self._look_up(alias.name, node)
                self.names[alias.asname or "mxnet"] = alias.name if alias.asname else "mxnet"

    def visit_ImportFrom(self, node):
        if node.level or (node.module or "").partition(".")[0] != "mxnet":
            return
        for alias in node.names:
            if alias.name == "*":
                if self._look_up(node.module, node):
                    self._bind_all(node.module)
            else:
                self._look_up(f"{node.module}.{alias.name}", node)
                self.names[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def _bind_all(self, module):
        namespace = _find(module)
        for name in getattr(namespace, "__all__", [name for name in dir(namespace) if not name.startswith("_")]):
            self.names.setdefault(name, f"{module}.{name}")

    def visit_Assign(self, node):
        self.visit(node.value)
        dotted = self._dotted(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                if dotted is None:
                    self.names.pop(target.id, None)     # from here on, the name means something else
                else:
                    self.names[target.id] = dotted
            else:
                self.visit(target)

    def visit_FunctionDef(self, node):
        outside = dict(self.names)
        arguments = [argument.arg for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]]
        for decorator in node.decorator_list:
            self.visit(decorator)
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.visit(default)
        for name in arguments:
            self.names.pop(name, None)
        if "mx" in arguments:               # a function with the module as an argument
            self.names["mx"] = "mxnet"
        if node.name == "hybrid_forward" and len(arguments) > 1:
            self.names[arguments[1]] = "mxnet.nd"
        for statement in node.body:
            self.visit(statement)
        self.names = outside

    visit_AsyncFunctionDef = visit_FunctionDef

    # -- uses of names

    def visit_Attribute(self, node):
        dotted = self._dotted(node)
        if dotted is None:
            self.visit(node.value)
        elif isinstance(node.ctx, ast.Load):
            self._look_up(dotted, node)

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load) and node.id in self.names:
            self._remark(self.names[node.id], node)

    def visit_Call(self, node):
        self.generic_visit(node)
        for keyword in node.keywords:
            value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
            if isinstance(value, str) and (keyword.arg, value) in REFUSED_VALUES:
                self._add(node, "missing", f"{keyword.arg}={value!r}", REFUSED_VALUES[keyword.arg, value])
            if keyword.arg == "pretrained" and not (isinstance(keyword.value, ast.Constant) and not value):
                self._add(node, "different", "pretrained", PRETRAINED)
        if self._is_about_stores(node):
            for argument in [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg != "kvstore")]:
                value = argument.value if isinstance(argument, ast.Constant) else None
                if isinstance(value, str) and value in REFUSED_STORES:
                    self._add(node, "missing", repr(value), REFUSED_STORES[value])

    def _is_about_stores(self, node):
        """Return whether a call creates a kvstore or a program option such as --kv-store."""
        dotted = self._dotted(node.func) or ""
        options = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        return (dotted.startswith(("mxnet.kv.", "mxnet.kvstore.")) or dotted.endswith("gluon.Trainer")
                or any("kv" in text and text.startswith("-") for text in options))

    def _dotted(self, node):
        """Returns 'mxnet.nd.zeros' for the expression `mx.nd.zeros`, None for names outside MXNet."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, ast.Attribute) and (of := self._dotted(node.value)) is not None:
            return f"{of}.{node.attr}"
        return None

    def _look_up(self, dotted, node):
        try:
            _find(dotted)
        except (MXNetError, AttributeError, ImportError) as error:
            first = str(error).partition("\n")[0]
            self._add(node, "missing", dotted, first)
            return False
        self._remark(dotted, node)
        return True

    def _remark(self, dotted, node):
        for kind, table in (("different", DIFFERENT), ("different", DOWNLOADS), ("slow", SLOW)):
            for name in _names_of(dotted):
                if name in table:
                    self._add(node, kind, dotted, table[name])

    def _add(self, node, kind, name, text):
        self.findings.append(Finding(self.file, node.lineno, kind, name, text))


def _find(dotted):
    """Returns the object with this name. If an object has no `__dict__`, its attributes are not looked up."""
    target, parts = ask("mx"), dotted.split(".")[1:]
    for place, part in enumerate(parts):
        try:
            target = getattr(target, part)
        except AttributeError:
            name = ".".join(parts[:place + 1])
            try:
                target = importlib.import_module(f"minigluon.{name}")
            except ModuleNotFoundError:
                raise AttributeError(f"mxnet.{name} is not implemented") from None
        if not isinstance(target, type) and not hasattr(target, "__dict__"):
            return target
    return target


_SHORT = {"mxnet.ndarray": "mxnet.nd", "mxnet.symbol": "mxnet.sym", "mxnet.module": "mxnet.mod",
          "mxnet.kvstore": "mxnet.kv", "mxnet.initializer": "mxnet.init", "mxnet.optimizer": "mxnet.opt"}


def _names_of(dotted):
    """Returns the spellings of a name in the tables: `nd.Custom` for `mxnet.ndarray.Custom` and `mxnet.sym.Custom`."""
    for long, short in _SHORT.items():
        if dotted.startswith(long + "."):
            dotted = short + dotted[len(long):]
    name = dotted.removeprefix("mxnet.")
    return {name, name.replace("sym.", "nd.", 1) if name.startswith("sym.") else name}
