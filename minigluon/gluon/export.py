"""`HybridBlock.export`: writes a graph and its parameters to two files, for SymbolBlock.imports here and in MXNet."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from .. import ndarray as nd
from .. import symbol
from ..base import ArgumentError, MXNetError, integer_types
from ..serialization.atomic_write import together
from .parameter_snapshots import parameter_snapshot

if TYPE_CHECKING:
    from ..symbol import Symbol

__all__ = ["export"]


def export(block: Any, graph: Any, path: str, epoch: int, remove_amp_cast: Any) -> None:
    """Write '<path>-symbol.json' and '<path>-<epoch>.params' such that no reader sees files from different versions."""
    if not isinstance(epoch, integer_types) or epoch < 0:
        raise ArgumentError(f"export: epoch must be a number, 0 or greater, found {epoch!r}")
    with parameter_snapshot():
        arrays = parameters_of(block, graph)
    with together():
        nd.save(f"{path}-{epoch:04d}.params", arrays)
        graph.outputs.save(f"{path}-symbol.json", remove_amp_cast)


def parameters_of(block: Any, graph: Any) -> dict[Any, Any]:
    """Return {'arg:name' or 'aux:name': array} for the graph's variables except its inputs, in the graph's order."""
    params = block.collect_params()
    auxiliary = set(graph.outputs.list_auxiliary_states())
    arrays = {}
    for name in graph.outputs.list_inputs():
        if name in params:
            arrays[f"{'aux' if name in auxiliary else 'arg'}:{name}"] = params[name]._reduce()
        elif name not in graph.inputs:
            raise MXNetError(f"export: {type(block).__name__} {block.name!r} has a variable {name!r} in its graph that "
                             "is neither an input nor a parameter. Create it with self.params.get.")
    return arrays


def example_arguments(block: Any) -> tuple[Symbol, ...]:
    """Return symbols for the required arguments of `hybrid_forward`, for a block that has no trace yet."""
    parameters = list(inspect.signature(block.hybrid_forward).parameters.values())[1:]
    names = [p.name for p in parameters if p.default is p.empty and p.name not in block._reg_params
             and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if not names:
        raise MXNetError(f"export: {type(block).__name__} {block.name!r} takes any number of arguments. Call "
                         "hybridize() and run it once, so that their number is known.")
    return tuple(symbol.var(name) for name in names)
