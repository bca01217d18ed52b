"""MXNet's notation for the nesting of arguments and results, which `structure` writes in another form.

A format is 0 for an array, -1 for None, the number of outputs for a symbol with several outputs, and a list for a list
or tuple. The files that `export` writes do not contain it, so a library writes the block's `_in_format` and
`_out_format` next to them and sets them in the imported SymbolBlock, which then takes and returns the same structures
as the block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base import ArgumentError
from ...gluon.model_file import format_of
from ...ndarray import NDArray
from ...symbol import Symbol

if TYPE_CHECKING:
    from ...gluon import HybridBlock, SymbolBlock

__all__ = ["flatten_with_format", "in_format", "in_format_to_set", "out_format", "out_format_to_set"]


def flatten_with_format(args: Any, inout_str: Any):
    """Returns (flat list, format) for nested lists of arrays, symbols and None. inout_str: used in error messages.

    Raises ArgumentError for anything else.
    """
    if args is None:
        return [None], -1
    if isinstance(args, NDArray):
        return [args], 0
    if isinstance(args, Symbol):
        return [args], len(args) if len(args) > 1 else 0
    if not isinstance(args, (list, tuple)):
        raise ArgumentError(f"the {inout_str} of a HybridBlock must be NDArrays, Symbols, None or nested lists of "
                            f"them, found {args!r} of type {type(args).__name__}")
    pairs = [flatten_with_format(item, inout_str) for item in args]
    return [leaf for leaves, _ in pairs for leaf in leaves], [inner for _, inner in pairs]


def _structure_of(value):
    if isinstance(value, (list, tuple)):
        return tuple(_structure_of(inner) for inner in value)
    if not isinstance(value, int):
        raise ArgumentError(f"a format is 0 for an array, -1 for None, a number of outputs or a list of formats, found "
                            f"{value!r}")
    return (None,) * value if value > 1 else None


def _newest_trace(block):
    graphs = list(block.block_graphs.values())
    return graphs[-1].trace if graphs else None


@property
def in_format(block: HybridBlock):
    """The nesting of the arguments in the newest graph; None for a block that has not run hybridized."""
    trace = _newest_trace(block)
    return None if trace is None else format_of(trace.in_structure)


@property
def out_format(block: HybridBlock):
    """The nesting of the results in the newest graph; None for a block that has not run hybridized."""
    trace = _newest_trace(block)
    return None if trace is None else format_of(trace.out_structure)


@property
def in_format_to_set(block: SymbolBlock):
    """The nesting of the arguments. Raises ArgumentError if set to a format for a different number of inputs."""
    return format_of(block.trace.in_structure)


@in_format_to_set.setter
def in_format_to_set(block: SymbolBlock, value):
    block.nest(_structure_of(value), block.trace.out_structure)


@property
def out_format_to_set(block: SymbolBlock):
    """The nesting of the results. Raises ArgumentError if set to a format for a different number of outputs."""
    return format_of(block.trace.out_structure)


@out_format_to_set.setter
def out_format_to_set(block: SymbolBlock, value):
    block.nest(block.trace.in_structure, _structure_of(value))
