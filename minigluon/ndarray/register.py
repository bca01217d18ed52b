"""Makes the functions of `nd` from the table of operators. `nd.X.op` is the operator's class."""

from ..base import MXNetError
from ..ops.binding import bind, require_inputs, signature
from .ndarray import NDArray, create, invoke

__all__ = ["make_function"]

_BIND_CACHE = 4096


def make_function(cls, public_name=None):
    """The function `nd.<name>`: arrays first, then attributes; `out=` writes into an existing array."""
    plain = len(cls.arguments) if not cls.variadic else -1
    default = cls() if not any(_required(f) for f in cls.fields.values()) else None
    memo = {}       # the attributes as they were passed -> operator

    def function(*args, out=None, **kwargs):
        # Arrays by position, attributes by name: the common call takes the operator from the memo.
        if len(args) == plain:
            if not kwargs and default is not None and NDArray is args[0].__class__:
                return invoke(default, args, out)
            try:
                op = memo.get(tuple(kwargs.items()))
            except TypeError:               # a list or another unhashable attribute
                op = None
            if op is not None and all(a.__class__ is NDArray for a in args):
                return invoke(op, args, out)
        return _call(cls, memo, args, kwargs, out)

    function.__name__ = function.__qualname__ = public_name or cls.name
    function.__doc__ = cls.__doc__
    function.__signature__ = signature(cls)
    function.__wrapped__ = cls              # help() and editors reach the class in one hop
    function.op = cls
    function.__module__ = "minigluon.ndarray"
    return function


def _call(cls, memo, args, kwargs, out):
    named = tuple(kwargs.items())
    op, inputs = bind(cls, args, dict(kwargs), lambda a: isinstance(a, NDArray))
    if not inputs and not cls.arguments:
        return _create(op, kwargs, out)
    require_inputs(op, inputs)
    if len(inputs) == len(args) == len(cls.arguments) and not cls.variadic:
        try:
            if len(memo) > _BIND_CACHE:
                memo.clear()
            memo[named] = op
        except TypeError:
            pass
    return invoke(op, inputs, out)


def _create(op, kwargs, out):
    """An operator without inputs makes its array on `ctx=`, or like `out=` where nothing else is said."""
    from ..context import parse
    if out is None:
        return create(op, parse(getattr(op, "ctx", None) or kwargs.get("ctx")))
    unsaid = {name: value for name, value in (("shape", out.shape), ("dtype", out.dtype))
              if name in op.fields and getattr(op, name) is None}
    result = create(type(op)(**{**op.attributes, **unsaid}) if unsaid else op, out.context)
    if result.shape != out.shape:
        raise MXNetError(f"{op.name}: out has shape {out.shape}, but the result has shape {result.shape}")
    out[:] = result
    return out


def _required(field):
    from ..ops.fields import MISSING
    return field.default is MISSING
