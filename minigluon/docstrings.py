"""What several classes have in common stands in one docstring, of their base or of an operator, and is shown with each.

`share_docstring` gives all that a base says, `share_sentences` only what is said of parameters that a class has, too.
"""

import inspect
import re

__all__ = ["share_docstring", "share_sentences"]

_SENTENCE = re.compile(r"^((?:\w+, )*\w+): .+(?:\n +\S.*)*", re.MULTILINE)

# What comes behind the parameters.
_END = re.compile(r"^(Raises |Source: |>>> )", re.MULTILINE)


def share_docstring(base, *classes):
    """Put what the docstring of `base` says behind its first paragraph behind the parameters in those of the classes.

    Its errors, source and example are its own.

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


def share_sentences(source, *classes, **names):
    """Put sentences `name: ...` of a docstring into those of classes that take such a parameter and say nothing of it.

    source: a class or function, such as a base whose parameters its classes pass on, or an operator of `nd`.
    names: other names that the parameters have in the classes, `channels="num_filter"`.

    >>> class Block:
    ...     '''A part of a net.
    ...
    ...     prefix: what its name begins with.
    ...     size: how large it is.
    ...     '''
    >>> class Box:
    ...     '''A box.
    ...
    ...     color: of its sides.
    ...     '''
    ...     def __init__(self, width, color, prefix=None): pass
    >>> share_sentences(Block, Box, width="size")
    >>> print(Box.__doc__)
    A box.
    <BLANKLINE>
    color: of its sides.
    width: how large it is.
    prefix: what its name begins with.
    """
    shared = _sentences(_cut(source)[0])
    for cls in classes if shared else ():
        head, tail = _cut(cls)
        said = _sentences(head)
        added = {}                              # sentence -> its parameters
        for name in inspect.signature(cls).parameters:
            if name not in said and names.get(name, name) in shared:
                added.setdefault(shared[names.get(name, name)], []).append(name)
        if added:
            gap = "\n" if said and head.endswith(list(said.values())[-1]) else "\n\n"
            lines = [f"{', '.join(group)}: {sentence}" for sentence, group in added.items()]
            cls.__doc__ = "\n\n".join(part for part in (head + gap + "\n".join(lines), tail) if part)


def _cut(thing):
    """A docstring in two: what it says of the thing and its parameters, and errors, source and examples."""
    doc = inspect.cleandoc(thing.__doc__ or "")
    end = _END.search(doc)
    return (doc, "") if end is None else (doc[:end.start()].rstrip(), doc[end.start():])


def _sentences(text):
    """parameter -> what is said of it."""
    return {name: match[0][len(match[1]) + 2:] for match in _SENTENCE.finditer(text) for name in match[1].split(", ")}
