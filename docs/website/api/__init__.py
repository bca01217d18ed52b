"""The reference: a page for each namespace and each family of operators, from signatures and docstrings.

    names.py        which public names there are, and on which page each is
    docstrings.py   the project's form of docstrings, in parts
    rest.py         those parts, and signatures, as reStructuredText
    pages.py        the pages
"""

from .pages import write_reference

__all__ = ["write_reference"]
