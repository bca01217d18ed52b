"""The names, docstrings and signatures of functions in `nd` and `sym`, as `help` and editors show them."""

import inspect
import textwrap
from functools import cached_property
from typing import Any

from ..ops.annotations import python_type
from ..ops.docstrings import CALL, help_doc
from ..ops.fields import MISSING

__all__ = ["presented", "signature"]

WIDTH = 100                 # the maximum length of a line


class Signature(inspect.Signature):
    """A signature that `help` shows as a person would write it: names and defaults, in lines of at most 100 characters.

    Types are in the `annotation` of each parameter, and `help` shows them together with the parameter's meaning.
    """

    @classmethod
    def of(cls, operator, array):
        """Return the Signature of an operator's function, whose parameters are created when they are first read."""
        self = cls.__new__(cls)
        self._operator, self._return_annotation = (operator, array), cls.empty
        return self

    @cached_property
    def _parameters(self):
        return signature(*self._operator).parameters

    def __str__(self):
        plain = inspect.Signature([p.replace(annotation=p.empty) for p in self.parameters.values()])
        return textwrap.fill(inspect.Signature.__str__(plain), WIDTH, subsequent_indent=" " * 8)

    def format(self, *, max_width=None, **options):
        """Return the text that `help` reads in Python 3.13 and later."""
        return str(self)


def signature(cls, array="NDArray"):
    """Return the Signature of an operator's function in `nd`, or with array="Symbol" in `sym`."""
    P = inspect.Parameter
    if cls.variadic:
        parameters = [P(cls.arguments[0], P.VAR_POSITIONAL)]
        kind = P.KEYWORD_ONLY
    else:
        parameters = [P(n, P.POSITIONAL_OR_KEYWORD, default=None if i else P.empty)
                      for i, n in enumerate(cls.arguments)]
        kind = P.POSITIONAL_OR_KEYWORD
        if any(p.default is None for p in parameters):      # after an optional input, no input may be required
            kind = P.KEYWORD_ONLY
    required = [f.default is MISSING for f in cls.fields.values()]
    if required != sorted(required, reverse=True):          # and likewise after an optional attribute
        kind = P.KEYWORD_ONLY
    parameters += [P(f.name, kind, default=P.empty if f.default is MISSING else f.default,
                     annotation=python_type(f.annotation))
                   for f in cls.fields.values() if not (cls.variadic and f.name == "num_args")]     # they are counted
    parameters += [P(name, P.KEYWORD_ONLY, default=None) for name, *_ in CALL[array]]
    return Signature(parameters)


def presented(function: Any, cls: Any, public_name: str | None, array: str) -> Any:
    """Return an operator's function in `nd` (array="NDArray") or `sym` ("Symbol"), with its name and docstring."""
    function.__name__ = function.__qualname__ = public_name or cls.name
    function.__doc__ = help_doc(cls, array)
    function.__signature__ = Signature.of(cls, array)
    function.__wrapped__ = cls.__dict__.get("family", cls)      # help() and editors find the class in one step
    function.op = cls
    function.__module__ = "minigluon.ndarray" if array == "NDArray" else "minigluon.symbol"
    return function
