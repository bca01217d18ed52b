"""Shared docstrings and signatures for `help`.

Text shared by several classes is written only once, in the docstring of their base class or of an operator.

`share_docstring` copies the whole docstring of a base; `share_sentences` copies only the sentences about parameters
that a class or function also has. `unquote_annotations` makes signatures show types as they are written.
"""

import __future__

import inspect
import re
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

__all__ = ["share_docstring", "share_sentences", "unquote_annotations"]

_SENTENCE = re.compile(r"^((?:\w+, )*\w+): .+(?:\n +\S.*)*", re.MULTILINE)

# The parts of a docstring that follow the parameters.
_END = re.compile(r"^(?:Raises |Source: |>>> )", re.MULTILINE)


def share_docstring(base: type[Any], *classes: type[Any]) -> None:
    """Add the docstring of `base`, without its first paragraph, after the parameters in the docstrings of the classes.

    Its errors, source and example are not copied.

    >>> class Base:
    ...     '''Base.
    ...
    ...     size: how large it is.
    ...     '''
    >>> class Box(Base):
    ...     '''A box.
    ...
    ...     >>> Box(3)
    ...     '''
    >>> share_docstring(Base, Box)
    >>> Box.__doc__
    'A box.\\n\\nsize: how large it is.\\n\\n>>> Box(3)'
    """
    shared = _END.split(inspect.cleandoc(base.__doc__ or ""))[0].partition("\n\n")[2].rstrip()
    for cls in classes if shared else ():       # python -OO drops docstrings
        head, tail = _cut(cls)
        cls.__doc__ = "\n\n".join(part for part in (head, shared, tail) if part)


def share_sentences(source: Any, *takers: Any, **names: str) -> None:
    """Copy sentences `name: ...` from a docstring to classes and functions that have this parameter but do not describe
    it. For a class's `**kwargs`, which are passed to its base, list the base's parameters.

    source: a class or function, such as a base to which its classes pass parameters on, or an `nd` operator.
    names: other names for the parameters in the receiving classes, `channels="num_filter"`.

    >>> class Block:
    ...     '''A part of a net.
    ...
    ...     prefix: what its name begins with.
    ...     size: how large it is.
    ...     '''
    ...     def __init__(self, size, prefix=None): pass
    >>> class Box(Block):
    ...     '''A box.
    ...
    ...     color: of its sides.
    ...     '''
    ...     def __init__(self, width, color, **kwargs): super().__init__(size=width, **kwargs)
    >>> share_sentences(Block, Box, width="size")
    >>> print(Box.__doc__)
    A box.
    <BLANKLINE>
    color: of its sides.
    width: how large it is.
    kwargs: prefix, as in `Block`.
    """
    shared = _sentences(_cut(source)[0])
    for taker in takers if shared else ():
        head, tail = _cut(taker)
        sentences = _sentences(head)
        added = {}                              # sentence -> its parameters
        for name, parameter in inspect.signature(taker).parameters.items():
            sentence = shared.get(names.get(name, name))
            if sentence is None and parameter.kind is parameter.VAR_KEYWORD:
                sentence = _passed_on(source, shared, taker, names)
            if sentence and name not in sentences:
                added.setdefault(sentence, []).append(name)
        if added:
            gap = "\n" if sentences and head.endswith(list(sentences.values())[-1]) else "\n\n"
            lines = [f"{', '.join(group)}: {sentence}" for sentence, group in added.items()]
            taker.__doc__ = "\n\n".join(part for part in (head + gap + "\n".join(lines), tail) if part)


def _passed_on(source, shared, taker, names):
    """Return 'a, b, as in `Base`.' for the **kwargs that a class passes on to its base; '' for any other base."""
    if not (inspect.isclass(source) and inspect.isclass(taker) and issubclass(taker, source)):
        return ""
    own_names = {*inspect.signature(taker).parameters, *names.values()}
    passed = [name for name, p in inspect.signature(source).parameters.items()
              if name in shared and name not in own_names and p.kind is not p.VAR_KEYWORD]
    return f"{', '.join(passed)}, as in `{source.__name__}`." if passed else ""


def _cut(thing):
    """Split a docstring in two: the description and parameters, and the errors, source and examples."""
    doc = inspect.cleandoc(thing.__doc__ or "")
    end = _END.search(doc)
    return (doc, "") if end is None else (doc[:end.start()].rstrip(), doc[end.start():])


def _sentences(text):
    """Return {parameter: its sentence}."""
    return {name: match[0][len(match[1]) + 2:] for match in _SENTENCE.finditer(text) for name in match[1].split(", ")}


class _Annotation(str):
    """An annotation's text, whose repr is shown in signatures."""

    __slots__ = ()
    __repr__ = str.__str__


_annotation = cache(_Annotation)        # hundreds of functions have the same annotations


def unquote_annotations(module: ModuleType) -> None:
    """Make the signatures of all functions and methods in a module show `int` instead of `'int'`.

    With `from __future__ import annotations`, annotations are strings, which `help` shows in quotes before Python 3.14.
    """
    if vars(module).get("annotations") is not __future__.annotations:
        return
    own = [thing for thing in vars(module).values() if getattr(thing, "__module__", None) == module.__name__]
    for thing in own:
        for member in vars(thing).values() if isinstance(thing, type) else [thing]:
            function = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
            if type(function) is FunctionType and (types := function.__annotations__):
                for name, text in types.items():
                    if type(text) is str:
                        types[name] = _annotation(text)
