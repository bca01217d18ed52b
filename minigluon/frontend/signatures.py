"""The signatures of the functions of `nd` and `sym`, as `help` and editors show them."""

import inspect
import textwrap

from ..ops.annotations import python_type
from ..ops.docstrings import CALL
from ..ops.fields import MISSING

__all__ = ["signature"]

WIDTH = 100                 # the length of a line


class Signature(inspect.Signature):
    """A signature that `help` shows as a person would write it: names and defaults, in lines of 100 characters.

    Types are in the `annotation` of its parameters, and `help` shows them with the meaning of each parameter.
    """

    __slots__ = ()

    def __str__(self):
        plain = inspect.Signature([p.replace(annotation=p.empty) for p in self.parameters.values()])
        return textwrap.fill(inspect.Signature.__str__(plain), WIDTH, subsequent_indent=" " * 8)

    def format(self, *, max_width=None, **options):
        """Return the text that `help` reads since Python 3.13."""
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
