"""The error for an operator that gets other inputs than its attributes ask for."""

from collections.abc import Sequence
from typing import Any

from ..base import MXNetError

__all__ = ["other_count"]


def other_count(op: Any, wanted: int | None, count: int, absent: Sequence[int]) -> MXNetError:
    """In words: `wanted` inputs are asked for, `count` are there, and nothing at the positions `absent`."""
    if op.variadic and not count:
        return MXNetError(f"{op.name} takes one array or more, found none")
    if op.variadic and not absent:
        return MXNetError(f"{op.name} takes {wanted} inputs, as its attributes say, found {count}")
    names = op.argument_names(count)
    missing = [name for i, name in enumerate(names) if i >= count or i in absent]
    problem = f"{', '.join(missing)} missing" if missing else f"{count} were given"
    return MXNetError(f"{op!r} takes {len(names)} inputs ({', '.join(names)}): {problem}.")
