"""The reference: a page for each namespace and each family of operators, from signatures and docstrings.

    names.py        the public names, and the page of each
    docstrings.py   a parser for the project's docstring format
    rest.py         its parts, and signatures, as reStructuredText
    pages.py        the pages
"""

from .pages import write_reference

__all__ = ["write_reference"]
