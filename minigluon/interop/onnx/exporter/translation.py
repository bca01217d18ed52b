"""Translation of a graph node by node; all nodes without a translation are reported together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....base import MXNetError
from .table import LISTED, NEWEST, TRANSLATIONS
from .values import UntranslatableError

if TYPE_CHECKING:
    from .values import Builder

__all__ = ["TranslationError", "data_inputs", "require_all", "translate"]

MAX_NAMED = 30
LABELLED = {"SoftmaxOutput", "LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput", "SVMOutput"}


class TranslationError(MXNetError):
    """Raised for graph nodes that cannot be written to an ONNX file."""


def translate(g: Builder, nodes: Any, heads: Any, values: Any, shapes: Any, dtypes: Any) -> list[Any]:
    """Returns the Values of the heads. Nodes without a translation are recorded in g.problems, and the translation
    continues with the other nodes.

    values: {(node, output): Value} for the variables; the Values of the operators are added. shapes, dtypes: those
    inferred for all (node, output).
    """
    for node in nodes:
        if node.op is not None:
            inputs = [values[pair] for pair in node.inputs]
            specs = [(shapes[node, i], dtypes[node, i]) for i in range(node.op.num_outputs)]
            outputs = _outputs(g, node, inputs, specs)
            for index, (output, (shape, dtype)) in enumerate(zip(outputs, specs, strict=False)):
                if output.shape is None or output.array is None:
                    output.shape = shape
                if dtype is not None and output.dtype != dtype:
                    output = g.cast(output, dtype)
                    output.shape = shape
                _name(output, node, index)
                values[node, index] = output
    return [values[pair] for pair in heads]


def _outputs(g, node, inputs, specs):
    """Returns the translation's results as a list, or placeholder Values if it refuses."""
    name = node.op.name
    translation = TRANSLATIONS.get(name)
    outer, g.prefix, g.specs = g.prefix, node.name, specs
    try:
        if translation is None:
            raise UntranslatableError(LISTED.get(name, "it is not an operator of minigluon"))
        if g.opset < translation.since:
            raise UntranslatableError(f"it needs opset {translation.since} or newer, and this is {g.opset}")
        results = translation.function(g, node.op, *inputs)
        return list(results) if isinstance(results, (list, tuple)) else [results]
    except UntranslatableError as problem:
        g.problems.append((node, str(problem)))
        return [g.unknown(shape, dtype) for shape, dtype in specs]
    finally:
        g.prefix = outer


def _name(value, node, index):
    """Names the output as MXNet does: after its node, with an index if there are several."""
    if value.array is None and not value.name:
        several = node.num_visible_outputs > 1 or index >= node.num_visible_outputs
        value.name = f"{node.name}{index}" if several else node.name


def require_all(problems: Any, opset: int) -> None:
    """Raises TranslationError, which names all nodes without a translation."""
    if not problems:
        return
    lines = [f"{node.op.name} {node.name!r}: {reason}" for node, reason in problems[:MAX_NAMED]]
    if len(problems) > MAX_NAMED:
        lines.append(f"and {len(problems) - MAX_NAMED} more")
    count = "1 node has" if len(problems) == 1 else f"{len(problems)} nodes have"
    newer = "" if opset == NEWEST else f" of opset {opset}"
    raise TranslationError(f"export_model: {count} no form in an ONNX file{newer}:\n  " + "\n  ".join(lines))



def data_inputs(nodes: Any, params: Any) -> tuple[list[Any], list[Any]]:
    """Returns (input variables for inference, variables that are only labels), in the order of the graph."""
    labels, read = set(), set()
    for node in nodes:
        if node.op is not None:
            for argument, (parent, _) in zip(node.op.argument_names(len(node.inputs)), node.inputs, strict=True):
                is_label = argument == "label" and node.op.name in LABELLED
                (labels if is_label else read).add(parent)
    free = [node for node in nodes if node.op is None and node.name not in params]
    return ([node for node in free if node in read or node not in labels],
            [node for node in free if node in labels - read])
