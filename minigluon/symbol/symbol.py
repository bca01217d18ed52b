"""Symbol: a computation that is described instead of executed. A handle to outputs of a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from .. import name
from ..attribute import in_force
from ..base import ArgumentError, MXNetError, integer_types
from ..common.dtypes import as_dtype, code_of
from ..common.shape_semantics import is_np_shape, read
from ..diagnostics.source_lines import current_line
from ..frontend.operators import Operators, as_number
from ..ops import REGISTRY, Op
from ..providers import ask
from .array_only import ArrayOnlyAttributes, other_operand
from .attributes import Attributes
from .composition import Composable
from .graph import Node, Pair, require_variables
from .inference import Inference
from .outputs import Outputs
from .own_attributes import hide, require_hidden
from .runnable import Runnable
from .saving import Saving
from .text import attribute_text, hint_of, initial

__all__ = ["Group", "Symbol", "Variable", "compose", "var"]


class Symbol(Outputs, Inference, Attributes, Composable, Saving, Runnable, ArrayOnlyAttributes, Operators):
    """One or more outputs of a graph that describes a computation. It has the arithmetic and methods of NDArray.

    `sym.var` creates an input, and the functions in `sym` create nodes.

    >>> y = 2 * sym.var("x") + 1
    >>> isinstance(y, sym.Symbol), y.list_inputs()
    (True, ['x'])
    >>> print(y.eval(x=nd.array([3]))[0].asnumpy())
    [7.]
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_json, (self.tojson(remove_amp_cast=False),)

    def _apply(self, row: Any, other: Any, out: Any = None) -> Any:
        """Return self ∘ other for `Operators`. out: not supported in a graph."""
        if isinstance(other, Symbol):
            return compose(row.symbol, [self, other])
        number = as_number(other)
        return other_operand(row.name, other) if number is None else _with_number(row.with_number(number), self, number)

    def _apply_left(self, row: Any, other: Any) -> Any:
        number = as_number(other)
        if number is None:
            return other_operand(row.name, other)
        return _with_number(row.with_number_left(number), self, number)

    def _product(self, other: Any) -> Symbol:
        """Multiply matrices. Shapes are unknown here, so use F.dot for a vector."""
        return compose(REGISTRY["_linalg_gemm2"](), [self, other])

    def _applied(self, op: Op, attrs: dict[str, str]) -> Symbol:
        """Return an operator applied to this symbol. attrs: its attributes as strings."""
        return compose(op, [self], attrs=attrs)

    def __abs__(self) -> Symbol:
        return compose(REGISTRY["abs"](), [self])

    def __neg__(self) -> Symbol:
        return _with_number(REGISTRY["_mul_scalar"](scalar=-1.0), self, -1.0)


MAX_OUTPUTS = 2 ** 16       # the limit for one node, because a symbol lists all outputs


def _from_json(text: str) -> Any:
    return ask("sym.json_load").load_own(text)


def compose(op: Op, inputs: Sequence[Symbol | None], name_: str | None = None, attrs: Mapping[str, str] | None = None,
            own: Mapping[str, Any] | None = None, hint: str | None = None,
            keywords: Mapping[str, Any] | None = None) -> Symbol:
    """Return the symbol of a new node that applies `op`. Omitted inputs become variables such as '<name>_weight'.

    attrs: the operator's attributes as strings. own: the program's own attributes from `attr=`. keywords: the program's
    attributes passed as keywords. hint: the stem of an unnamed node's name.
    """
    if op.variadic or len(inputs) > len(op.list_arguments()):
        op.require_count(len(inputs))
    if op.num_outputs > MAX_OUTPUTS:
        raise MXNetError(f"{op.name} would have {op.num_outputs} outputs, expected at most {MAX_OUTPUTS}")
    node_name = name.current().get(name_, hint or hint_of(op))
    own = {**(keywords or {}), **in_force.attrs, **(own or {})}
    if own:
        own = hide(own)
        require_hidden(op, node_name, own)
    attrs = {**own, **(attrs or {})}
    pairs: list[Pair] = []
    for position, argument in enumerate(op.argument_names(len(inputs))):
        operand = inputs[position] if position < len(inputs) else None
        if operand is None:
            variable = Node(None, f"{node_name}_{argument}", (), dict(attrs))
            operand = Symbol([(variable, 0)])
        if len(operand) != 1:
            raise MXNetError(f"{op.name} {node_name!r}: input {argument} has {len(operand)} outputs, expected one. "
                             "Choose one with symbol[i].")
        for key, text in initial(op, argument).items():
            if operand.heads[0][0].op is None:
                operand.heads[0][0].attrs.setdefault(key, text)
        pairs += operand.heads
    node = Node(op, node_name, pairs, attrs, place=current_line())
    require_variables(node)
    kind = next((x.__class__ for x in inputs if x is not None), Symbol)
    return kind([(node, i) for i in range(node.num_visible_outputs)])


_STORAGE_TYPES = {"default": "0", "row_sparse": "1", "csr": "2"}


def Variable(name: str, attr: Any = None, shape: Any = None, lr_mult: float | None = None, wd_mult: float | None = None,
             dtype: Any = None, init: Any = None, stype: str | None = None, **kwargs: Any) -> Symbol:
    """Return a named input of a graph; `sym.var` for short.

    name: the name under which arrays are passed.
    attr: a dict of attributes, as strings.
    shape: a tuple; 0, -1 and None stand for unknown dimensions (under `mx.np_shape` 0 does not).
    lr_mult, wd_mult: the factors of the learning rate and the weight decay for this variable.
    dtype: the element type; None infers it.
    init: an initializer or its description.
    stype: the storage type of the array that an executor creates for it (see `nd.sparse`).
    kwargs: additional attributes, of the form `__key__`.

    >>> x = sym.Variable("x", shape=(2, 3))
    >>> sym.sum(x, axis=1).infer_shape()[1]
    [(2,)]
    """
    if not isinstance(cast(object, name), str):
        raise MXNetError(f"a variable's name must be a string, found {type(name).__name__} {name!r}")
    attrs: dict[str, str] = {**in_force.attrs, **(attr or {})}
    if attrs:
        attrs = hide(attrs)
    if shape is not None:
        lengths: Any = shape
        if not isinstance(shape, (tuple, list)) or not all(d is None or isinstance(d, integer_types) for d in lengths):
            raise MXNetError(f"variable {name!r}: shape is {lengths!r}, expected a tuple of integers")
        unknown = -1 if is_np_shape() else 0
        attrs["__shape__"] = str(tuple(unknown if d is None else int(d) for d in lengths))
        shape = read(lengths)
    if dtype is not None:
        dtype = as_dtype(dtype)
        attrs["__dtype__"] = str(code_of(dtype))
    for key, value in (("__lr_mult__", lr_mult), ("__wd_mult__", wd_mult)):
        if value is not None:
            attrs[key] = str(value)
    if init is not None:
        attrs["__init__"] = init if isinstance(init, str) else init.dumps()
    if stype is not None:
        if stype not in _STORAGE_TYPES:
            raise ArgumentError(f"variable {name!r}: stype is {stype!r}, expected one of 'default', 'row_sparse', "
                                "'csr'")
        attrs["__storage_type__"] = _STORAGE_TYPES[stype]
    for key, value in kwargs.items():
        if not (key.startswith("__") and key.endswith("__")):
            raise MXNetError(f"variable {name!r}: unknown keyword {key!r}; attributes are written __{key}__")
        attrs[key] = str(value)
    return Symbol([(Node(None, name, (), attrs, shape, dtype), 0)])


var = Variable


def Group(symbols: Sequence[Symbol]) -> Symbol:
    """Return one symbol with the outputs of several symbols.

    symbols: a list of symbols.

    >>> sym.Group([sym.var("a"), sym.var("b")]).list_outputs()
    ['a', 'b']
    """
    if not isinstance(symbols, (list, tuple)) or not symbols or not all(
            isinstance(s, Symbol) for s in cast(Any, symbols)):
        raise MXNetError(f"Group takes a list of symbols, found {symbols!r}")
    return Symbol([pair for s in symbols for pair in s.heads])


def _with_number(op: Op, operand: Symbol, number: Any) -> Symbol:
    text = attribute_text(int(cast(Any, number)) if isinstance(number, (bool, np.bool_)) else number)
    return compose(op, [operand], attrs={"scalar": text})
