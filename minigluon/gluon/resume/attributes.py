"""An object's state in a checkpoint: copies of the attributes that its class lists.

    class Patience(EpochEnd):
        checkpointed = "best", "waited"

A metric need not list any: its attributes, including those of nested objects, are saved if they are plain values.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from ...base import FileFormatError, MXNetError
from ...metric import CompositeEvalMetric, EvalMetric
from ...serialization import lossless_json

__all__ = ["checkpointed_values", "restore"]


def checkpointed_values(thing: Any):
    """Return {name: value} of an object's state for a checkpoint. Raises MXNetError for an unsupported value."""
    if isinstance(thing, CompositeEvalMetric):
        return {"metrics": [checkpointed_values(metric) for metric in thing.metrics]}
    if isinstance(thing, EvalMetric):
        return {name: copy.deepcopy(value) for name, value in vars(thing).items() if _is_plain(value)}
    values = {name: copy.deepcopy(getattr(thing, name)) for name in getattr(thing, "checkpointed", ())}
    for name, value in values.items():
        try:
            lossless_json.dumps(value)
        except MXNetError as error:
            raise MXNetError(f"{type(thing).__name__}.{name} cannot be part of a checkpoint: {error}") from None
    return values


def restore(thing: Any, values: Any) -> None:
    """Restore an object's state from `checkpointed_values`. Raises FileFormatError if the state belongs to a different
    object.
    """
    if isinstance(thing, CompositeEvalMetric):
        for metric, of_it in zip(thing.metrics, values["metrics"], strict=True):
            restore(metric, of_it)
        return
    names = {name for name, value in vars(thing).items() if _is_plain(value)} if isinstance(thing, EvalMetric) else \
        set(getattr(thing, "checkpointed", ()))
    if names != values.keys():
        raise FileFormatError(f"it has {', '.join(sorted(values)) or 'nothing'} of a {type(thing).__name__}, and not "
                              f"{', '.join(sorted(names)) or 'nothing'}")
    for name, value in values.items():
        setattr(thing, name, copy.deepcopy(value))


def _is_plain(value):
    """Return whether a value consists of plain values such as sums and counts."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return value is None or isinstance(value, (bool, int, float, str, np.ndarray, np.generic))
