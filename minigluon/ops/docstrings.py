"""The complete docstring of an operator: its own text, its family's sentences, and text common to all operators.

Each sentence is written once, in a class. `public_doc` returns the text that the site and the stubs show, and
`help_doc` returns the text of `help(nd.relu)`, in which each parameter has its type and its default. Five rules prevent
repetition.

- An operator's docstring says what it computes, its shapes, then `name: sentence` or `name, other: sentence` for
  attributes, and for inputs that shapes do not explain (continued on lines that are indented further), then
  `Raises ...`, `Source: ...`, and examples last.
- A sentence about an attribute that several operators share is in the docstring of their base class. `public_doc` adds
  it to each operator that has such an attribute or input but does not describe it.
- Shapes that are the same for an entire family are also in its base class, for operators that give no shapes.
- Parameters that mean the same everywhere are listed below: `out` and `name` in `CALL`, `keepdims` and cuDNN's
  parameters in `COMMON`.
- A table row has no room for an example. It gives numbers, `"[-1, 0, 2] -> [0., 0., 2.]"`, formatted as NumPy prints
  them, and its family calls `example` to write the lines.
"""

import inspect
import re
import textwrap
import types
import typing
from functools import cache

from .fields import MISSING, Device, DType, Floats, Graph, Index, Shape

__all__ = ["CALL", "example", "help_doc", "public_doc", "tells_shapes"]

# Attributes with the same meaning in every operator.
COMMON = {
    "keepdims": "keepdims: True leaves the reduced axes in the result, with length 1.",
    "cudnn_off": "cudnn_off: changes nothing; in MXNet True leaves cuDNN out.",
    "cudnn_tune": "cudnn_tune: changes nothing; in MXNet how a kernel is chosen.",
    "workspace": "workspace: changes nothing; in MXNet the memory that a kernel may take, in MB.",
}

# The additional parameters of each function in `nd` and `sym`: (name, type and default, sentence).
CALL = {
    "NDArray": [("out", " (NDArray, default None)",
                 "an array that the result is written into. Without it a new array is made."),
                ("name", " (str, default None)", "changes nothing; in a graph it is the name of the node.")],
    "Symbol": [("name", " (str, default None)",
                "the name of the node. Without it the operator's name and a number make one."),
               ("attr", " (dict of str, default None)",
                "attributes of your own for the node, such as {'lr_mult': '0.1'}.")],
}

# Readable names of the attribute types.
_KINDS = {Shape: "int or tuple of ints", Floats: "float or tuple of floats", Index: "tuple of ints and Nones",
          DType: "str or dtype", Device: "Context or str", Graph: "graph"}

WIDTH = 112                     # the width of a line in `help`, which indents it by 4

_SENTENCE = re.compile(r"^((?:\w+, )*\w+): .+(?:\n +\S.*)*", re.MULTILINE)
_SHAPES = re.compile(r"^(?:.*\| )?(?:out(?: +like| +\(|:)|outputs:|two arrays)", re.MULTILINE)
_END = re.compile(r"^(?:Raises |Source: |>>> )", re.MULTILINE)      # the parts that come after the sentences


def public_doc(cls, array=None):
    """Return the docstring of an operator's class, completed with shapes, attributes and inputs from its base classes.

    array: "NDArray" or "Symbol" adds the additional parameters of the function in `nd` or `sym`.
    """
    return _joined(_parts(cls), _CALL_LINES[array][False] if array else "")


def help_doc(cls, array):
    """Return the docstring of the function in `nd` or `sym`: the same text with the parameters' types and defaults."""
    return _joined(_typed_parts(cls), _CALL_LINES[array][True])


def tells_shapes(cls):
    """Return whether the docstring of an operator's class gives the shapes of the outputs."""
    return bool(_SHAPES.search(public_doc(cls) or ""))


def _joined(parts, call):
    """Join the parts of a docstring, with `call` after the sentences."""
    if parts is None:
        return None
    head, sentences, tail = parts
    return "\n\n".join(filter(None, [head, f"{sentences}\n{call}".strip(), tail]))


@cache
def _parts(cls):
    """Return (computation and shapes, sentences, errors, source and examples). None with `python -OO`."""
    if cls.__doc__ is None:
        return None
    own = inspect.cleandoc(cls.__doc__)
    end = _END.search(own)
    head, tail = (own, "") if end is None else (own[:end.start()].rstrip(), own[end.start():])
    names, begin = set(), len(head)
    for match in reversed(list(_SENTENCE.finditer(head))):
        names.update(match[1].split(", "))
        begin = match.start() if not head[match.end():begin].strip() else begin
    head, sentences = head[:begin].rstrip(), head[begin:]
    if not _SHAPES.search(head):
        shapes = next((s for s in map(_shapes, cls.__mro__[1:]) if s.startswith((*cls.arguments, "out"))), "")
        first, _, others = head.partition("\n\n")
        head = "\n\n".join(filter(None, [first, shapes, others]))
    inherited = {}
    for parent in (*map(_sentences, cls.__mro__[1:]), COMMON):
        inherited = parent | inherited
    added = dict.fromkeys(inherited[n] for n in (*cls.arguments, *cls.fields) if n in inherited.keys() - names)
    return head, "\n".join(filter(None, [sentences, *added])), tail


@cache
def _sentences(base):
    """Return {attribute: sentence} for one class of a family."""
    return {name: match[0] for match in _SENTENCE.finditer(_main_text(base)) for name in match[1].split(", ")}


@cache
def _shapes(base):
    """Return the paragraph about shapes in the docstring of one class of a family, or ''."""
    return next((part for part in _main_text(base).split("\n\n") if _SHAPES.search(part)), "")


def _main_text(base):
    """Return the part of a base class's docstring that precedes errors, source and examples."""
    doc = base.__dict__.get("__doc__")
    return _END.split(inspect.cleandoc(doc))[0] if doc and base.__module__ != "builtins" else ""


@cache
def _typed_parts(cls):
    """Return the same parts, with the attributes' types and defaults added to their sentences."""
    parts = _parts(cls)
    return parts and (parts[0], _SENTENCE.sub(lambda match: _typed(cls.fields, match), parts[1]), parts[2])


def _typed(fields, match):
    """Return 'k, axis: sentence' as 'k (int, default 1), axis (int, default -1): sentence'."""
    names = match[1].split(", ")
    abouts = [_about(fields[name]) if name in fields else "" for name in names]
    if len(set(abouts)) == 1:
        names, abouts = [", ".join(names)], abouts[:1]
    text = ", ".join(f"{name} ({about})" if about else name for name, about in zip(names, abouts, strict=True))
    return _wrapped(text + match[0][len(match[1]):])


def _about(field):
    """Return a string such as 'int, default 1'."""
    kind = _kind(field.annotation, field.default)
    return kind if field.default is MISSING else f"{kind}, default {field.default!r}"


def _kind(annotation, default):
    """Return the types of an attribute as text: 'int or tuple of ints'. A default of None is not mentioned."""
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        kinds = [_kind(a, default) for a in typing.get_args(annotation) if a is not type(None)]
        return " or ".join(kinds if default is None else [*kinds, "None"])
    if typing.get_origin(annotation) is typing.Literal:
        *others, last = map(repr, typing.get_args(annotation))
        return f"{', '.join(others)} or {last}" if others else last
    return _KINDS.get(annotation) or annotation.__name__


def _wrapped(line):
    """Return a sentence wrapped to lines of WIDTH; lines after the first are indented."""
    if "\n" not in line and len(line) <= WIDTH:
        return line
    return textwrap.fill(" ".join(line.split()), WIDTH, subsequent_indent="    ")


def example(call, numbers):
    """Return the end of a table row's docstring: a call and the `numbers` that it returns, rounded to four digits."""
    rounded = ".round(2)" if re.search(r"\.\d", numbers) else ""
    return f"\n\n>>> {call}.asnumpy(){rounded}\narray({numbers}, dtype=float32)"


_CALL_LINES = {array: ["\n".join(f"{name}{about if typed else ''}: {meaning}" for name, about, meaning in lines)
                       for typed in (False, True)] for array, lines in CALL.items()}
