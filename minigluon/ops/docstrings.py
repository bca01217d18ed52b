"""The docstring that `help(nd.relu)`, the stubs and the site show: an operator's own, and its family's sentences.

Three rules keep the text in one place.

- An operator's docstring says what it computes, its shapes, then `name: sentence` or `name, other: sentence` for
  attributes that are not said yet (going on in lines that are indented further), then `Raises ...`, `Source: ...`, and
  examples last.
- A sentence about an attribute that several operators have stands in the docstring of their base. `public_doc` adds it
  to those of them that have such an attribute, or input, and say nothing of their own.
- A row of a table has no room for an example. It gives numbers, `"[-1, 0, 2] -> [0., 0., 2.]"`, and its family writes
  the lines with `example`. The numbers are as NumPy prints them.
"""

import inspect
import re
from functools import cache

__all__ = ["example", "public_doc"]

_SENTENCE = re.compile(r"^((?:\w+, )*\w+): .+(?:\n +\S.*)*", re.MULTILINE)
_END = re.compile(r"^(?:Raises |Source: |>>> )", re.MULTILINE)      # what comes after the sentences


@cache
def public_doc(cls):
    """The docstring of an operator class, with the sentences of its bases about its attributes and inputs."""
    own = cls.__doc__
    inherited = {}
    for base in cls.__mro__[1:]:
        for name, sentence in _sentences(base).items():
            if name in cls.fields or name in cls.arguments:
                inherited.setdefault(name, sentence)
    if not inherited:                   # most operators; cleaning takes time at import
        return own
    own = inspect.cleandoc(own or "")
    end = _END.search(own)
    head, tail = (own, "") if end is None else (own[:end.start()].rstrip(), own[end.start():])
    said = _found(head)
    added = dict.fromkeys(inherited[n] for n in (*cls.arguments, *cls.fields) if n in inherited.keys() - said)
    if not added:
        return own
    gap = "\n" if said and head.endswith(list(said.values())[-1]) else "\n\n"
    return "\n\n".join([head + gap + "\n".join(added), tail]).rstrip()


@cache
def _sentences(base):
    """attribute -> its sentence, of one class of a family."""
    written = base.__dict__.get("__doc__")
    return _found(inspect.cleandoc(written)) if written and base.__module__ != "builtins" else {}


def _found(doc):
    return {name: match[0] for match in _SENTENCE.finditer(doc) for name in match[1].split(", ")}


def example(call, numbers):
    """The end of a row's docstring: a call and the `numbers` that it gives, rounded where they have fractions."""
    rounded = ".round(2)" if re.search(r"\.\d", numbers) else ""
    return f"\n\n>>> {call}.asnumpy(){rounded}\narray({numbers}, dtype=float32)"
