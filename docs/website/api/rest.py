"""Signatures and docstrings as reStructuredText."""

import inspect
import re
import types
import typing
from itertools import groupby

from minigluon.tools.stubs import kind_of

from .docstrings import parse

__all__ = ["escape", "indented", "prose", "signature_text", "text_of"]

CODE = re.compile(r"``?([^`\n]+)``?")


def escape(text):
    """Return text without any markup."""
    return re.sub(r"([\\*_`|<>\[\]])", r"\\\1", text)


def prose(text, links):
    """Return a sentence in which text in backticks is code, and a link if it names an entry."""
    pieces = CODE.split(text)
    return "".join(_code(piece, links) if i % 2 else escape(piece) for i, piece in enumerate(pieces)).strip()


def _code(text, links):
    target = links.get(text.removesuffix("()"))
    # an escaped space, which is not shown, separates a literal from adjacent text
    return f"\\ :py:obj:`{text} <{target}>`\\ " if target else f"\\ ``{text}``\\ "


def indented(text, by=3):
    """Return the text with its non-empty lines indented."""
    return re.sub(r"^(?=.)", " " * by, text, flags=re.MULTILINE)


def signature_of(thing):
    """Return the signature of a function or class, or None if it does not have one."""
    try:
        return inspect.signature(thing)
    except (TypeError, ValueError):
        return None


def signature_text(thing, drop_first=False):
    """Return a signature as text: '(data, weight, *, num_hidden: int, no_bias: bool = False)'."""
    found = signature_of(thing)
    if found is None:
        return "(...)"
    parameters = list(found.parameters.values())[1 if drop_first else 0:]
    shown = [p.replace(annotation=p.empty, default=p.default if p.default is p.empty else _Shown(p.default))
             for p in parameters]
    return str(inspect.Signature(shown))


class _Shown:
    """A default value as readers see it: a function is shown by its name, and memory addresses are omitted."""

    def __init__(self, value):
        self.text = repr(value)
        if isinstance(value, (type, types.FunctionType)):
            self.text = value.__name__
        elif " at 0x" in self.text:
            self.text = "..."

    def __repr__(self):
        return self.text


def text_of(doc, thing, links):
    """Return a docstring as reStructuredText. thing: what it describes, for types and defaults."""
    found = signature_of(thing)
    parameters = dict(found.parameters) if found else {}
    lines = []
    for part in in_signature_order(parse(doc, parameters), list(parameters)):
        if part.kind == "parameter":
            names = ", ".join(f"``{name}``" for name in part.name.split(", "))
            about = " or ".join(dict.fromkeys(filter(None, (_about(parameters.get(name))
                                                            for name in part.name.split(", ")))))
            lines += ["", f"{names} : {about}" if about else names, indented(prose(part.text, links))]
            continue
        lines.append("")
        if part.kind == "shapes":
            lines += [".. code-block:: none", "   :class: shapes", "", *map(indented, part.lines)]
        elif part.kind == "example":
            lines += [".. code-block:: pycon", "", *map(indented, part.lines)]
        elif part.kind == "code":
            lines += [".. code-block:: python", "", *map(indented, part.lines)]
        elif part.kind == "source":
            lines += ["Source: " + prose(part.text, links)]
        else:
            lines += [prose(part.text, links)]
    return "\n".join(lines)


def in_signature_order(parts, names):
    """Return the Parts with consecutive parameters in the order of the signature; unknown names come last."""
    def position(part):
        first = part.name.split(", ")[0]
        return names.index(first) if first in names else len(names)

    ordered = []
    for is_parameter, group in groupby(parts, key=lambda part: part.kind == "parameter"):
        run = list(group)
        ordered += sorted(run, key=position) if is_parameter else run
    return ordered


def _about(parameter):
    """Return the type and default of a parameter: 'int, default 1'."""
    if parameter is None:
        return ""
    said = []
    if parameter.annotation is not parameter.empty and parameter.annotation not in (typing.Any, "Any", "object"):
        said.append(escape(_kind(parameter.annotation)))
    if parameter.default is not parameter.empty:
        said.append(f"default ``{_Shown(parameter.default)!r}``")
    return ", ".join(said)


def _kind(annotation):
    return annotation if isinstance(annotation, str) else kind_of(annotation)
