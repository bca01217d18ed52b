"""The graph of a block, traced by running `hybrid_forward` with symbols instead of arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

from .. import symbol
from ..attribute import in_force
from ..base import ArgumentError, MXNetError
from ..common.nest import flatten, regroup
from ..diagnostics.source_lines import tracing
from ..ndarray import NDArray

__all__ = ["Trace", "faced_like", "flatten_symbols", "subgraphs_counted_anew", "trace", "trace_function"]


class Trace(NamedTuple):
    """The graph of a block's computation.

    inputs: the variable's name for each leaf of the arguments, in order, or None if the leaf is not an array.
    outputs: one symbol with all outputs. in_structure, out_structure: the nesting of arguments and outputs (see
    `structure`).
    """

    inputs: list[str | None]
    outputs: Any
    in_structure: Any
    out_structure: Any


def trace(block: Any, args: Any) -> Trace:
    """Trace a HybridBlock for arguments such as `args`: variables replace arrays, other arguments are unchanged."""
    return trace_function(block._trace, args, f"{type(block).__name__} {block.name!r}: hybrid_forward returned")


def trace_function(function: Callable[[Any], Any], args: Any, what: str) -> Trace:
    """Trace `function(args)`. what: the beginning of the message about results that are not symbols."""
    leaves, structure = flatten(args)
    names = input_names(leaves)
    variables = [leaf if name is None else symbol.var(name) for name, leaf in zip(names, leaves, strict=True)]
    variables = [x._faced(v) if getattr(x, "_faced", None) else v for x, v in zip(leaves, variables, strict=True)]
    with subgraphs_counted_anew(), tracing():
        outputs = function(regroup(variables, structure))
    outputs, out_structure = flatten_symbols(outputs, what)
    return Trace(names, symbol.Group(outputs), structure, out_structure)


def faced_like(args: Any, variables: dict[str, Any]) -> dict[str, Any]:
    """Return the variables as symbols of `mx.np` if the arguments are such symbols, otherwise unchanged."""
    faced = next((a._faced for a in flatten(args)[0] if isinstance(a, symbol.Symbol)), None)
    return variables if faced is None else {key: faced(variable) for key, variable in variables.items()}


@contextmanager
def subgraphs_counted_anew() -> Generator[None]:
    """Number subgraphs from 0 inside the `with` block, so that a network has the same names in each trace."""
    before: Counter[str] = in_force.subgraphs
    in_force.subgraphs = Counter()
    try:
        yield
    finally:
        in_force.subgraphs = before


def input_names(leaves: list[Any]) -> list[str | None]:
    """Return 'data' for a single array, 'data0', 'data1', ... for several; None for a leaf that is not an array."""
    given = [isinstance(leaf, (NDArray, symbol.Symbol)) for leaf in leaves]
    if not any(given):
        raise MXNetError(f"a block cannot be traced without an array among its arguments, found {leaves}")
    numbers = iter(range(len(leaves)))
    return [None if not is_array else "data" if sum(given) == 1 else f"data{next(numbers)}" for is_array in given]


def flatten_symbols(value: Any, what: str) -> tuple[list[Any], Any]:
    """Return (individual outputs, structure) for nested lists of symbols; a symbol with several outputs is a list.

    what: the beginning of the message about anything else, as in "SymbolBlock: outputs holds".
    """
    return flatten(_opened(value, what))


def _opened(item: Any, what: str) -> Any:
    if isinstance(item, (list, tuple)):
        return [_opened(inner, what) for inner in cast("list[Any]", item)]
    if not isinstance(item, symbol.Symbol):
        found = "None" if item is None else f"{type(item).__name__} {item!r}"
        raise ArgumentError(f"{what} {found}, expected a Symbol or nested lists of Symbols")
    return list(item) if len(item) > 1 else item
