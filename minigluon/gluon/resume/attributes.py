"""What a checkpoint keeps of an object: copies of the attributes that its class names.

    class Patience(EpochEnd):
        checkpointed = "best", "waited"

A metric need not name any: its attributes, and those of objects in them, are kept where they are plain values.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from ...base import FileFormatError, MXNetError
from ...metric import CompositeEvalMetric, EvalMetric
from ...serialization import plain

__all__ = ["restore", "taken"]


def taken(thing: Any):
    """{name: value} of what a checkpoint keeps of an object. Raises MXNetError for a value that it cannot keep."""
    if isinstance(thing, CompositeEvalMetric):
        return {"metrics": [taken(metric) for metric in thing.metrics]}
    if isinstance(thing, EvalMetric):
        return {name: copy.deepcopy(value) for name, value in vars(thing).items() if _is_plain(value)}
    values = {name: copy.deepcopy(getattr(thing, name)) for name in getattr(thing, "checkpointed", ())}
    for name, value in values.items():
        try:
            plain.dumps(value)
        except MXNetError as error:
            raise MXNetError(f"{type(thing).__name__}.{name} cannot be part of a checkpoint: {error}") from None
    return values


def restore(thing: Any, values: Any) -> None:
    """Give an object what `taken` gave of it. Raises FileFormatError where these are another one's."""
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
    """Sums and counts, and what they are made of."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return value is None or isinstance(value, (bool, int, float, str, np.ndarray, np.generic))
