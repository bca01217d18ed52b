"""The error for an operator whose inputs are not those that its attributes require."""

from collections.abc import Sequence
from typing import Any

from ..base import MXNetError

__all__ = ["other_count"]


def other_count(op: Any, wanted: int | None, count: int, absent: Sequence[int]) -> MXNetError:
    """Return the error for `count` inputs instead of `wanted`, of which those at the positions `absent` are missing."""
    if op.variadic and not count:
        return MXNetError(f"{op.name} takes one array or more, found none")
    if op.variadic and not absent:
        return MXNetError(f"{op.name} takes {wanted} inputs, as its attributes say, found {count}")
    names = op.argument_names(count)
    missing = [name for i, name in enumerate(names) if i >= count or i in absent]
    problem = f"{', '.join(missing)} missing" if missing else f"{count} were given"
    return MXNetError(f"{op!r} takes {len(names)} inputs ({', '.join(names)}): {problem}.")
