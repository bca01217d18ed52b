"""What loading parameters from files has in common: pairing names, and saying which do not pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import ndarray as nd
from ..base import MXNetError, nearest

__all__ = ["load_arrays", "match"]


def load_arrays(filename: str) -> dict[str, Any]:
    """The arrays of a .params file by name. Raises MXNetError when the file holds them without names."""
    arrays = nd.load(filename)
    if not arrays:
        return {}           # a file of nothing does not say whether names are missing
    if not isinstance(arrays, dict):
        raise MXNetError(f"file {filename!r} holds {len(arrays)} arrays without names, so they cannot be matched with "
                         "parameters. Read it with nd.load.")
    return arrays


def match(params: Mapping[str, Any], arrays: Mapping[str, Any], source: str, allow_missing: bool,
          ignore_extra: bool) -> list[tuple[Any, Any]]:
    """[(parameter, array)] by name. Raises MXNetError that lists all that pair with nothing, and the nearest names."""
    missing = [name for name in params if name not in arrays]
    extra = [name for name in arrays if name not in params]
    problems = []
    if missing and not allow_missing:
        problems.append(_listing(f"{source} lacks parameters of this block", missing, arrays)
                        + "\n  Pass allow_missing=True to leave them as they are.")
    if extra and not ignore_extra:
        problems.append(_listing(f"{source} has arrays that are no parameters of this block", extra, params)
                        + "\n  Pass ignore_extra=True to skip them.")
    if problems:
        raise MXNetError("\n".join(problems))
    return [(params[name], arrays[name]) for name in params if name in arrays]


def _listing(headline, names, candidates, limit=10):
    lines = [f"  {name!r}.{nearest(name, candidates, 1)}" for name in names[:limit]]
    if len(names) > limit:
        lines.append(f"  and {len(names) - limit} more")
    return "\n".join([headline + ":", *lines])
