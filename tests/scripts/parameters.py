"""Which parameters the docstrings of public names explain. `docstrings.py` prints it.

A parameter counts as said where the docstring has a sentence of its own for it (`name: sentence`, or `name, other:
sentence`), where a line of shapes begins with it (`data (N, C)`), or where the text before the examples has its name as
a word. `how_said` tells which of the three, since the last says least: a word such as `data` may stand there by chance.
Of operators the first two alone count, and of their attributes the first alone.
"""

import inspect
import re

from minigluon.frontend.signatures import signature
from minigluon.ops import Op
from minigluon.ops.docstrings import public_doc, tells_shapes

__all__ = ["how_said", "listed_unsaid", "parameters_of", "said_by", "unsaid", "untold_shapes"]

ARTICLES = {"a", "A", "I"}          # English words: as names they count in `backticks`
BEHIND = re.compile(r"^\s*(?:Raises |Source: |>>> )", re.MULTILINE)


def parameters_of(item):
    """The names of a PublicName's parameters, without self: `args` of *args is one, those that begin with _ not."""
    thing = item.object
    if is_operator(thing):
        names = {**signature(thing).parameters, **signature(thing, "Symbol").parameters}
        return [name for name in names if name != "num_args"]
    if inspect.isclass(thing) and not has_constructor(thing):
        return []
    try:
        found = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):             # a class that Python itself makes
        return []
    found = found[1:] if found and found[0].name in ("self", "cls") else found
    return [p.name for p in found if not p.name.startswith("_")]


def is_operator(thing):
    return inspect.isclass(thing) and issubclass(thing, Op) and thing is not Op


def has_constructor(cls):
    """Does a class of this package say what its objects are made of?"""
    return any(name in vars(base) for base in cls.__mro__ if base.__module__.startswith("minigluon")
               for name in ("__init__", "__new__"))


def how_said(name, doc):
    """'sentence', 'shapes', 'text', or '' where the docstring says nothing of the parameter."""
    text = inspect.cleandoc(doc or "")
    end = BEHIND.search(text)
    text = text[:end.start()] if end else text
    name = re.escape(name)
    others = rf"(?:\*{{0,2}}\w+, )*\*{{0,2}}{name}(?:, \*{{0,2}}\w+)*"
    if re.search(rf"(?:^|[.;?)] ){others}(?: \([^)]*\))?: ", text, re.MULTILINE):
        return "sentence"
    if re.search(rf"(?:^|\| |[,;] ){others}:? +(?:\(|like )", text, re.MULTILINE):
        return "shapes"
    word = rf"`{name}`" if name in ARTICLES else rf"\b{name}\b"
    return "text" if re.search(word, text) else ""


def best(name, docs):
    """How the docstring that says most says it."""
    found = {how_said(name, doc) for doc in docs}
    return next(kind for kind in ("sentence", "shapes", "text", "") if kind in found or not kind)


def said_by(item):
    """{parameter: how it is said}."""
    docs = [public_doc(item.object, "NDArray"), public_doc(item.object, "Symbol")] if is_operator(item.object) \
        else item.own_docs
    return {name: best(name, docs) for name in parameters_of(item)}


def unsaid(item):
    """The parameters of a PublicName that its docstring does not explain."""
    said = said_by(item)
    if not is_operator(item.object):
        return [name for name, how in said.items() if not how]
    return [name for name, how in said.items()
            if how not in (("sentence", "shapes") if name in item.object.arguments else ("sentence",))]


def untold_shapes(item):
    """Is it an operator whose docstring does not tell the shapes of its results?"""
    return is_operator(item.object) and not tells_shapes(item.object)


def listed_unsaid(names):
    """A line for each public name with parameters that its docstring does not explain, by module."""
    modules = {}
    for item in sorted(names, key=lambda item: (item.object.__module__, item.label)):
        missing = unsaid(item) + ["shapes of what comes out"] * untold_shapes(item)
        if missing:
            modules.setdefault(item.object.__module__.partition(".")[2] or "minigluon", []).append(
                f"{item.label}: {', '.join(missing)}\n")
    return "".join(f"# {module}\n{''.join(lines)}\n" for module, lines in modules.items())
