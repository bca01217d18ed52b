"""Descriptions of store calls, which processes compare before they exchange values."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

__all__ = ["Call", "difference", "processes"]

MAX_LISTED = 3      # the maximum number of keys that a message lists per call


class Call:
    """Description of a store call: its action, and the key, dtype and shape of each array, in order.

    text: a line for the call and a line for each array. digest: 16 bytes, equal for equal texts.
    """

    def __init__(self, action: Any, arrays: Sequence[Any] = ()):
        """Describe a call. action: for example 'push'. arrays: (key, name of the dtype, shape) for each array."""
        self.text: str = "\n".join([action, *(f"key {key!r} {dtype} {shape}" for key, dtype, shape in arrays)])
        self.digest: bytes = hashlib.blake2b(self.text.encode(), digest_size=16).digest()

    def __str__(self) -> str:
        return _shortened(self.text)


def difference(texts: Any, numbers: Any) -> str:
    """Return a description of how the calls of processes differ.

    texts: the text of each process's Call. numbers: the number of calls that each process has begun. Example: "process
    0: push of key 'a' float32 (2,); processes 1 and 2: push of key 'b' float32 (2,)".
    """
    if len(set(texts)) == 1:
        counts = _of_each(f"{number} calls" for number in numbers)
        return f"they have begun different numbers of calls ({counts}), so one has failed, at {_shortened(texts[0])}"
    calls = [text.split("\n") for text in texts]
    count = max(map(len, calls)) - 1
    if count < 2 or len({call[0] for call in calls}) > 1:
        return _of_each(map(_shortened, texts))
    place = next(i for i in range(1, count + 1) if len({tuple(call[i:i + 1]) for call in calls}) > 1)
    keys = _of_each(call[place] if place < len(call) else "no further key" for call in calls)
    return f"{calls[0][0]}, key number {place} of {count}: {keys}"


def processes(ranks: Any) -> str:
    """Return a text such as 'process 1' or 'processes 0, 2 and 3'."""
    *first, last = map(str, sorted(ranks))
    return f"processes {', '.join(first)} and {last}" if first else f"process {last}"


def _of_each(contents):
    """Return a text such as 'process 0: this; processes 1 and 2: that'."""
    ranks = {}
    for rank, content in enumerate(contents):
        ranks.setdefault(content, []).append(rank)
    return "; ".join(f"{processes(those)}: {content}" for content, those in ranks.items())


def _shortened(text):
    action, *items = text.split("\n")
    more = f" and {len(items) - MAX_LISTED} more" if len(items) > MAX_LISTED else ""
    return f"{action} of {', '.join(items[:MAX_LISTED])}{more}" if items else action
