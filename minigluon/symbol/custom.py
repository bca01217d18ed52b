"""`sym.Custom`: a node for an operator that a program defines in Python (`mx.operator`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..base import ArgumentError, listed
from ..ops.graph.custom import Custom
from .own_attributes import take_own
from .symbol import Symbol, compose

if TYPE_CHECKING:
    from ..ops.op import Op

__all__ = ["compose_custom", "custom_function"]


def custom_function(*args: Any, op_type: str | None = None, name: str | None = None, attr: Any = None,
                    **kwargs: Any) -> Symbol:
    """Returns a node for the operator registered as op_type with `mx.operator.register`.

    args: the inputs, which may also be passed by name; omitted inputs become variables.
    op_type: the name under which the operator is registered.
    name: the name of the node.
    attr: a dict of attributes, as strings.
    kwargs: inputs by name; other values are passed to the CustomOpProp as strings.

    >>> @mx.operator.register("docs_twice")
    ... class TwiceProp(mx.operator.CustomOpProp):
    ...     def create_operator(self, ctx, shapes, dtypes):
    ...         return Twice()
    >>> class Twice(mx.operator.CustomOp):
    ...     def forward(self, is_train, req, in_data, out_data, aux):
    ...         self.assign(out_data[0], req[0], 2 * in_data[0])
    >>> print(sym.Custom(sym.var("x"), op_type="docs_twice").eval(x=nd.array([3]))[0].asnumpy())
    [6.]
    """
    own = take_own(kwargs)
    symbols = {key: value for key, value in kwargs.items() if isinstance(value, Symbol)}
    options = {key: value for key, value in kwargs.items() if key not in symbols}
    return compose_custom(Custom(op_type=op_type, **options), args, symbols, name, attr, own)


def compose_custom(op: Op, args: Sequence[Symbol], symbols: dict[Any, Any], name: str, attr: dict[str, str] | None,
                   own: dict[str, str], hint: str = "custom") -> Any:
    """Returns a node for a Custom operator, given its first inputs, `args`, and inputs by name, `symbols`.

    hint: the stem of a generated name. own: the program's attributes. Raises ArgumentError.
    """
    op_type, names = op.op_type, op.list_arguments()
    if len(args) > len(names):
        raise ArgumentError(f"Custom: {op_type!r} takes {len(names)} inputs ({listed(names)}), found {len(args)}")
    inputs = [*args, *[symbols.pop(argument, None) for argument in names[len(args):]]]
    if symbols:
        raise ArgumentError(f"Custom: {op_type!r} has no input {next(iter(symbols))!r}; it has {listed(names)}")
    for argument, x in zip(names, inputs, strict=True):
        if x is not None and not isinstance(x, Symbol):
            raise ArgumentError(f"Custom: {argument} of {op_type!r} must be a Symbol, found {type(x).__name__}")
    texts = {key: str(value) for key, value in op.attributes.items()}
    return compose(op, inputs, name, texts, attr, hint, own)
