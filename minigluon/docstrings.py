"""What the classes of a family have in common stands in their base's docstring once, and is shown with each of them."""

import inspect
import re

__all__ = ["share_docstring"]

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
        own = inspect.cleandoc(cls.__doc__)
        end = _END.search(own)
        cut = end.start() if end else len(own)
        cls.__doc__ = "\n\n".join(part for part in (own[:cut].rstrip(), shared, own[cut:]) if part)
