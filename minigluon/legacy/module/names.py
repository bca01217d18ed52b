"""Checks that a module's names match the graph, and that its data's names match both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...base import ArgumentError, CheckError, listed, nearest
from ...diagnostics import strictness
from ...io import DataDesc

if TYPE_CHECKING:
    from ...symbol import Symbol

__all__ = ["check_names", "described"]

PARAMETERS = ("_weight", "_bias", "_gamma", "_beta")


def check_names(symbol: Symbol, names: Sequence[str], kind: str, strict: bool) -> None:
    """Raise ArgumentError or issue a warning unless these are arguments of the symbol. kind: 'data', 'label', ..."""
    arguments = symbol.list_arguments()
    for name in names:
        if name not in arguments:
            inputs = [a for a in arguments if not a.endswith(PARAMETERS)]
            message = (f"Module(..., {kind}_names={list(names)}): the symbol has no argument {name!r}. Those that do "
                       f"not look like parameters are {listed(inputs)}.{nearest(name, arguments)}")
            if strict:
                raise ArgumentError(message)
            strictness.warn(message)


def described(symbol: Symbol, data_names: Sequence[str], label_names: Sequence[str], data_shapes: Sequence[DataDesc],
              label_shapes: Sequence[Any] | None) -> tuple[list[Any], Sequence[Any] | None]:
    """Return ([DataDesc] of the data, [DataDesc] of the labels or None), from DataDescs or pairs (name, shape).

    Raises ArgumentError if the labels have other names, because an argument of the symbol would then never get its
    label.
    """
    data_shapes = _descs("data", data_shapes)
    _check_provided("data", data_names, data_shapes, strict=True)
    if not data_shapes:
        raise CheckError("bind: data_shapes is empty, but the first axis of the data gives the number of samples. Name "
                         "an input of the graph in data_names, or bind the graph itself by symbol.simple_bind.")
    label_shapes = label_shapes and _descs("label", label_shapes)
    arguments, given = symbol.list_arguments(), [desc.name for desc in label_shapes or []]
    lost = [name for name in label_names if name in arguments and name not in given]
    _check_provided("label", label_names, label_shapes or [], strict=bool(lost) and not set(given) <= set(arguments))
    return data_shapes, label_shapes or None


def _descs(kind, shapes):
    """Return [DataDesc] for DataDescs or pairs. Raise ArgumentError for anything else."""
    try:
        return [x if isinstance(x, DataDesc) else DataDesc(*x) for x in shapes]
    except TypeError:
        raise ArgumentError(f"bind: {kind}_shapes is {shapes!r}; expected a list of DataDescs, such as an iterator's "
                            f"provide_{kind}, or of pairs such as ('{kind}', (32, 10))") from None


def _check_provided(kind, names, shapes, strict):
    actual = [desc.name for desc in shapes]
    if sorted(actual) != sorted(names):
        message = (f"{kind}_shapes gives {listed(map(repr, actual))}, but the module was made with {kind}_names="
                   f"{list(names)}")
        if strict:
            raise ArgumentError(message)
        strictness.warn(message)
