"""The learner's file, extracted from the engine using the syntax tree.

No engine code is duplicated: `stub(step)` takes the source of the step's parts, leaves their holes empty, and adds the
imports that the parts need. `solution(step)` is the same file with the engine's code in the holes.
"""

from __future__ import annotations

import ast
import builtins
import importlib.util
import symtable
import textwrap
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import c_file
from .step import Row
from .text import _, wrapped

if TYPE_CHECKING:
    from .step import Step

__all__ = ["cut_statements", "solution", "stub"]

WIDTH = 116


def stub(step: Step, total: Any) -> str:
    """Return the text of the file with empty holes."""
    if step.c_file is not None:
        return c_file.stub(step, _header(step, total))
    return _Writer(step, solved=False).text(_comment(_header(step, total), ""))


def solution(step: Step) -> str:
    """Return the text of the file with the engine's code."""
    return c_file.solution(step) if step.c_file is not None else _Writer(step, solved=True).text("")


def cut_statements(step: Step) -> dict[Any, Any]:
    """Return {name of a part: [source of the statements omitted from its holes]}."""
    if step.c_file is not None:
        return c_file.cut_lines(step)
    statements = {}
    for part in step.holes:
        source = _source(part.module)
        if isinstance(part, Row):
            statements[part.name] = [ast.unparse(_derivative(source, part.row).body)]
        else:
            node, _owner = source.find(part.name)
            statements[part.name] = [ast.unparse(s) for hole in part.holes for s in _statements(source, node, hole)]
    return statements


def _header(step, total):
    if step.c_file is not None:
        text = _("Step {number} of {total}: {title}. The page explains the idea; `minigluon learn check` compiles and "
                 "tests this file.")
        return text.format(number=step.number, total=total, title=_(step.title))
    modules = dict.fromkeys(_file_of(part.module) for part in step.parts)
    text = _("Step {number} of {total}: {title}. The page explains the idea; `minigluon learn check` tests this file. "
             "It is cut from {files}.")
    return text.format(number=step.number, total=total, title=_(step.title), files=", ".join(modules))


def _file_of(module):
    """Return the file of a module in the repository: minigluon/tape/__init__.py, if minigluon.tape is a folder."""
    path, name = Path(importlib.util.find_spec(module).origin), module.replace(".", "/")
    return f"{name}/{path.name}" if path.stem == "__init__" else f"{name}.py"


def _comment(text, indent):
    return "\n".join(wrapped(text, WIDTH, indent + "# ")) + "\n"


@dataclass
class _Source:
    """A module of the engine: its text, its syntax tree, and the origin of each of its names."""

    module: str
    lines: list
    tree: ast.Module
    imports: dict = field(default_factory=dict)     # name -> the statement that imports it, as an absolute import

    def find(self, name):
        """Return (the node of 'function' or 'Class.method', the node of the class or None)."""
        owner, scope = None, self.tree.body
        *outer, last = name.split(".")
        for class_name in outer:
            owner = _named(scope, class_name, self.module)
            scope = owner.body
        return _named(scope, last, self.module), owner

    def cut(self, first, last):
        """Return the text of lines, counted from 1."""
        return "".join(self.lines[first - 1:last])


def _named(scope, name, module):
    for node in scope:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
            return node
    raise LookupError(f"{module} has no {name}")


@cache
def _source(module):
    path = Path(importlib.util.find_spec(module).origin)
    text = path.read_text(encoding="utf-8")
    source = _Source(module, text.splitlines(keepends=True), ast.parse(text))
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in source.tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                source.imports[bound] = (None, f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else ""))
        elif isinstance(node, ast.ImportFrom):
            origin = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            for alias in node.names:
                source.imports[alias.asname or alias.name] = (
                    origin, alias.name + (f" as {alias.asname}" if alias.asname else ""))
    return source


class _Writer:
    """The writer of the file: imports, then classes and functions in the order of the step's parts."""

    def __init__(self, step, solved):
        self.step, self.solved = step, solved

    def text(self, header):
        body = self._body(self.solved)
        return header + self._imports() + "\n\n" + body

    def _body(self, solved):
        pieces, open_class = [], None
        for part in self.step.parts:
            source = _source(part.module)
            if isinstance(part, Row):
                pieces.append("\n\n" + _row(source, part, solved))
                open_class = None
                continue
            node, owner = source.find(part.name)
            text = _function(source, node, part, solved)
            if owner is None:
                pieces.append("\n\n" + text)
            elif owner is open_class:
                pieces.append("\n" + text)
            else:
                pieces.append("\n\n" + _class_header(source, owner) + text)
            open_class = owner
        return "".join(pieces).lstrip("\n")

    def _imports(self):
        """Return the imports of the names that the parts use, each from its module in the engine."""
        whole = self._body(solved=True)
        own = {node.name for node in ast.parse(whole).body}
        froms, plain = {}, set()
        for module, text in self._texts():
            source = _source(module)
            for name in sorted(_free_names(text) - own):
                origin, statement = source.imports.get(name, (module, name))
                if origin is None:
                    plain.add(statement)
                else:
                    froms.setdefault(origin, set()).add(statement)
        future = froms.pop("__future__", set()) or {
            "annotations" for part in self.step.parts if "annotations" in _source(part.module).imports}
        groups = [["from __future__ import annotations"] if future else [], sorted(plain - {"import numpy as np"}),
                  sorted(plain & {"import numpy as np"}), []]
        for origin in sorted(froms):
            local = origin.partition(".")[0] == "minigluon"
            groups[3 if local else 1].append(_import_line(origin, sorted(froms[origin])))
        return "\n\n".join("\n".join(group) for group in groups if group) + "\n"

    def _texts(self):
        """Yield (module, text of the solved part with its class)."""
        for part in self.step.parts:
            source = _source(part.module)
            if isinstance(part, Row):
                yield part.module, _row(source, part, True)
                continue
            node, owner = source.find(part.name)
            text = _function(source, node, part, True)
            yield part.module, text if owner is None else _class_header(source, owner) + text


def _import_line(origin, names):
    line = f"from {origin} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return line
    inside = textwrap.wrap(", ".join(names) + ",", WIDTH, initial_indent="    ", subsequent_indent="    ")
    return "\n".join([f"from {origin} import (", *inside, ")"])


def _class_header(source, owner):
    """Return `class Name(Base):` and its docstring, without decorators: the engine's class is already registered."""
    first, docstring = owner.body[0], ast.get_docstring(owner)
    last = first.end_lineno if docstring is not None else first.lineno - 1
    if docstring is None:
        last = min(n.lineno for n in (first, *getattr(first, "decorator_list", []))) - 1
    return source.cut(owner.lineno, last).rstrip() + "\n\n"


def _function(source, node, part, solved):
    start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    if solved or not part.holes:
        return source.cut(start, node.end_lineno)
    text, line = [], start
    for hole in part.holes:
        statements = _statements(source, node, hole)
        first = statements[0].lineno
        indent = " " * statements[0].col_offset
        text.append(source.cut(line, first - 1))
        text.append(_comment(_("YOUR PART: {task}").format(task=_(hole.task)), indent))
        text.append(f'{indent}raise NotImplementedError("{part.name}")\n')
        line = statements[-1].end_lineno + 1
    text.append(source.cut(line, node.end_lineno))
    return "".join(text)


def _statements(source, node, hole):
    """Return the statements of a hole, which are adjacent in one block."""
    if hole.first is None:
        return node.body[1:] if ast.get_docstring(node) is not None else node.body
    matches = [(block, i) for block in _blocks(node) for i, s in enumerate(block)
               if source.lines[s.lineno - 1][s.col_offset:].startswith(hole.first)]
    if len(matches) != 1:
        raise LookupError(f"{source.module}: {len(matches)} statements of {node.name} begin with {hole.first!r}")
    block, begin = matches[0]
    if hole.last is None:
        return block[begin:begin + 1]
    for end in range(begin, len(block)):
        if source.lines[block[end].lineno - 1][block[end].col_offset:].startswith(hole.last):
            return block[begin:end + 1]
    raise LookupError(f"{source.module}: no statement after {hole.first!r} begins with {hole.last!r}")


def _blocks(node):
    """Yield all lists of statements in a function."""
    for inner in ast.walk(node):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(inner, name, None)
            if isinstance(block, list) and block:
                yield block


def _derivative(source, row):
    """Return the lambda in `unary("tanh", compute, lambda F, g, x, y: ...)`."""
    for node in source.tree.body:
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and call.args and getattr(call.args[0], "value", None) == row:
            return next(arg for arg in call.args[2:] if isinstance(arg, ast.Lambda))
    raise LookupError(f"{source.module} has no row {row!r}")


def _row(source, part, solved):
    derivative = _derivative(source, part.row)
    parameters = ", ".join(a.arg for a in derivative.args.args)
    body = f"    return {ast.unparse(derivative.body)}\n" if solved else (
        _comment(_("YOUR PART: {task}").format(task=_(part.task)), "    ")
        + f'    raise NotImplementedError("{part.name}")\n')
    return f"def {part.name}({parameters}):\n{body}"


def _free_names(text):
    """Return the names that a piece of source code takes from its surroundings."""
    names, tables = set(), [symtable.symtable(text, "step", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        names |= {s.get_name() for s in table.get_symbols() if s.is_referenced() and (
            s.is_global() or (table.get_type() == "module" and not s.is_assigned()))}
    for node in ast.walk(ast.parse(text)):          # annotations are not evaluated, so symtable does not list them
        for name in ("annotation", "returns"):
            if getattr(node, name, None) is not None:
                names |= {n.id for n in ast.walk(getattr(node, name)) if isinstance(n, ast.Name)}
    return {name for name in names if not hasattr(builtins, name)}
