"""The shapes and element types of all values in a graph."""

from ..backend import Spec
from ..base import MXNetError
from ..dispatch import check_output
from ..ops.graph.interpreted_op import InterpretedOp
from ..ops.shapes import is_known
from ..symbol.graph import Node, error_location
from ..symbol.infer import infer_dtypes, infer_shapes

__all__ = ["has_control_flow", "infer", "infer_specs", "is_static"]


def infer(draft):
    """Infer all Specs, and find the nodes of the plan's inputs. There is no plan if a shape depends on values."""
    graph, input_specs = draft.graph, draft.input_specs
    by_name = {node.name: node for node in graph.nodes() if node.op is None}
    inputs = [by_name.get(name) or Node(None, name) for name in draft.variables]
    specs = infer_specs(graph, input_specs)
    draft = draft._replace(specs=specs, inputs=inputs, results=len(graph))
    if not is_static(specs):
        return draft.without_plan()
    return draft.after("infer", graph, [f"{len(specs)} shapes and dtypes from {len(input_specs)} known ones"])


def infer_specs(graph, input_specs, before=None):
    """Return {(node, output): Spec} for all nodes, including hidden outputs, from {variable name: Spec}.

    Shapes are completed in both directions until nothing changes (`symbol/infer.py`). Raises ShapeError, DTypeError,
    and an MXNetError that names the node if a Spec cannot be inferred. A shape that depends on values contains None.
    before: the Specs of the graph that this one extends; Specs of shared nodes are reused.
    """
    specs, nodes = {}, []
    for node in graph.nodes():
        if before is not None and (node, 0) in before:
            specs.update((pair, before[pair]) for pair in _outputs(node))
        else:
            nodes.append(node)
    shapes = infer_shapes(nodes, {name: spec.shape for name, spec in input_specs.items()},
                          [(pair, spec.shape) for pair, spec in specs.items()])
    dtypes = infer_dtypes(nodes, {name: spec.dtype for name, spec in input_specs.items()},
                          [(pair, spec.dtype) for pair, spec in specs.items()])
    alike = {}          # (operator, shape, dtype) -> Spec: identical nodes share one and are checked once
    for node in nodes:
        for pair in _outputs(node):
            key = node.op, shapes[pair], dtypes[pair]
            if key in alike:
                specs[pair] = alike[key]
                continue
            if dtypes[pair] is None or (shapes[pair] is None and not _is_dynamic(node, shapes)):
                what, kind = "dtype" if dtypes[pair] is None else "shape", node.op.name if node.op else "variable"
                raise MXNetError(f"the {what} of {kind} {node.name!r} does not follow from the inputs "
                                 f"{', '.join(f'{name} {s.shape}' for name, s in input_specs.items()) or '(none)'}")
            specs[pair] = alike[key] = Spec(shapes[pair], dtypes[pair])
            if node.op is not None and is_known(shapes[pair]):
                with error_location(node):
                    check_output(node.op, specs[pair])
    return specs


def _outputs(node):
    return [(node, index) for index in range(1 if node.op is None else node.op.num_outputs)]


def is_static(specs):
    """Return whether all shapes consist of known numbers, so that memory can be planned before anything runs."""
    return all(spec.shape is not None and None not in spec.shape for spec in specs.values())


def has_control_flow(graph):
    """Return whether the graph contains other graphs, or operators that a program has written in Python."""
    return any(isinstance(node.op, InterpretedOp) for node in graph.nodes())


def _is_dynamic(node, shapes):
    return node.op is None or node.op.dynamic or any(p[0].op and shapes[p] is None for p in node.inputs)
