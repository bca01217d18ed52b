"""Makes the functions of `sym` from the table of operators. `sym.X.op` is the operator's class."""

from ..ops.binding import bind, signature
from .symbol import Symbol, compose
from .text import written

__all__ = ["make_function"]


def make_function(cls, public_name=None):
    """The function `sym.<name>`: symbols first, then attributes; `name=` names the node."""
    hint = (public_name or cls.name).lower()

    def function(*args, name=None, attr=None, **kwargs):
        given = {}
        op, inputs = bind(cls, args, kwargs, lambda a: isinstance(a, Symbol), given)
        return compose(op, inputs, name, written(op, given), attr, hint)

    function.__name__ = function.__qualname__ = public_name or cls.name
    function.__doc__ = cls.__doc__
    function.__signature__ = signature(cls)
    function.__wrapped__ = cls.__dict__.get("family", cls)
    function.op = cls
    function.__module__ = "minigluon.symbol"
    return function
