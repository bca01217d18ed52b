"""`minigluon ops`: show the help of an operator, or list all operators."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...base import MXNetError, nearest
from ...frontend.methods import METHODS
from ...ops import REGISTRY
from ...ops.docstrings import help_doc, public_doc

__all__ = ["add_parser", "described", "listed"]

# Parts of `nd` and `sym`, and the prefixes of their operators in the table.
PARTS = {"contrib": "_contrib_", "image": "_image_", "linalg": "_linalg_"}


def add_parser(commands: Any) -> None:
    """Add the command."""
    ops = commands.add_parser(
        "ops", help="show what an operator computes, its parameters and shapes",
        description="Show the help of an operator: its names, signature, what it computes, its parameters and an "
                    "example. Without a name, list all operators, grouped by the file that defines them.",
        epilog="examples: minigluon ops Convolution, minigluon ops contrib.box_nms")
    ops.add_argument("name", nargs="?", metavar="NAME", help="the name, as in nd.NAME or sym.NAME, or a part of it")
    ops.set_defaults(run=_run)


def _run(args):
    print(described(args.name) if args.name else listed(_public()))


def described(name: str) -> Any:
    """Return an operator's help, or a list of operators whose names contain `name`. Raises MXNetError if there are
    none.
    """
    public = _public()
    bare_name = re.sub(r"^(?:mx\.)?(?:nd|sym|F)\.", "", name)
    if bare_name in public:
        return _help(bare_name, public)
    similar = {key: cls for key, cls in public.items() if bare_name.lower() in key.lower()}
    if not similar:
        raise MXNetError(f"there is no operator {name}." + nearest(bare_name, public))
    return listed(similar)


def listed(names: Sequence[str]) -> Any:
    """Return a heading for each file and, below it, a line for each operator: its name and what it computes."""
    files, lines = {}, []
    for name, cls in names.items():
        files.setdefault(_place(cls)[0], {}).setdefault(cls, name)
    for file, operators in sorted(files.items()):
        lines += ["", file]
        for cls, name in operators.items():
            lines.append(f"  {name:30} {(public_doc(cls) or '').strip().splitlines()[0]}".rstrip())
    return "\n".join(lines[1:])


def _help(name, public):
    """Return the names, source location, signature and docstring of an operator."""
    from ... import ndarray as nd
    cls, function = public[name], nd
    for part in name.split("."):
        function = getattr(function, part)
    others = [other for other, its_class in public.items() if its_class is cls and other != name]
    methods = [f"NDArray.{short}" for short in METHODS if short in (name, *others)]
    also = f"Also {', '.join([*others, *methods])}.\n" if others or methods else ""
    file, line = _place(cls)
    return (f"nd.{name} and sym.{name}, defined in {file}, line {line}.\n{also}\n"
            f"{name}{inspect.signature(function)}\n\n{help_doc(cls, 'NDArray') or ''}")


def _public():
    """Return {name in `nd` and `sym`: operator class}, with names such as 'relu' and 'contrib.box_nms'."""
    names = {name: cls for name, cls in REGISTRY.items() if not name.startswith("_")}
    for part, prefix in PARTS.items():
        names |= {f"{part}.{key.removeprefix(prefix)}": cls for key, cls in REGISTRY.items() if key.startswith(prefix)}
    return names


def _place(cls):
    """Return (file below the package's folder, line) of the class, or of its family if it is a row of a table."""
    cls = cls.__dict__.get("family", cls)
    package = Path(sys.modules["minigluon"].__file__).parent.parent
    return Path(inspect.getfile(cls)).relative_to(package).as_posix(), inspect.getsourcelines(cls)[1]
