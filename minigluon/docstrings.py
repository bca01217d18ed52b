"""What the classes of a family have in common stands in their base's docstring once, and is shown with each of them."""

import inspect
import re

__all__ = ["share_docstring"]

# What comes behind the parameters.
_END = re.compile(r"^(Raises |Source: |>>> )", re.MULTILINE)


def share_docstring(base, *classes):
    """Put all but the first paragraph of the docstring of `base` behind the parameters in those of the classes.

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
    shared = inspect.cleandoc(base.__doc__ or "").partition("\n\n")[2]
    for cls in classes if shared else ():       # python -OO drops docstrings
        own = inspect.cleandoc(cls.__doc__)
        end = _END.search(own)
        cut = end.start() if end else len(own)
        cls.__doc__ = "\n\n".join(part for part in (own[:cut].rstrip(), shared, own[cut:]) if part)
