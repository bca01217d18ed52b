"""The pass that infers the shapes of arrays that a graph creates."""

from ..ops.array.sources import Source
from ..symbol.open_shapes import resolve_source_shapes
from .conditions import only_with

__all__ = ["resolve_sources"]


@only_with(Source)
def resolve_sources(draft):
    """Give operators such as `zeros`, whose shape may be unspecified, the shape that their users need."""
    shapes = {name: spec.shape for name, spec in draft.input_specs.items()}
    return draft._replace(graph=resolve_source_shapes(draft.graph, shapes))
