"""Matching parameters by name when files are loaded, and errors for names that do not match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import ndarray as nd
from ..base import MXNetError, nearest

__all__ = ["load_arrays", "match"]


def load_arrays(filename: str) -> dict[str, Any]:
    """Return a .params file's arrays by name. Raises MXNetError if they have no names."""
    arrays = nd.load(filename)
    if not arrays:
        return {}           # an empty file does not reveal whether names are missing
    if not isinstance(arrays, dict):
        raise MXNetError(f"file {filename!r} holds {len(arrays)} arrays without names, so they cannot be matched with "
                         "parameters. Read it with nd.load.")
    return arrays


def match(params: Mapping[str, Any], arrays: Mapping[str, Any], source: str, allow_missing: bool,
          ignore_extra: bool) -> list[tuple[Any, Any]]:
    """Return [(parameter, array)] by name. Raises MXNetError, which lists the unmatched names and similar names."""
    missing = [name for name in params if name not in arrays]
    extra = [name for name in arrays if name not in params]
    problems = []
    if missing and not allow_missing:
        problems.append(_listing(f"{source} lacks parameters of this block", missing, arrays)
                        + "\n  Pass allow_missing=True to leave them unchanged.")
    if extra and not ignore_extra:
        problems.append(_listing(f"{source} has arrays that are not parameters of this block", extra, params)
                        + "\n  Pass ignore_extra=True to skip them.")
    pairs = [(params[name], arrays[name]) for name in params if name in arrays]
    others = [f"{param.described()} has shape {param.shape}, the file {array.shape}" for param, array in pairs
              if not param._takes_shape(array.shape)]
    if others:
        problems.append(f"{source} has shapes that differ from parameters of this block:\n  "
                        + "\n  ".join(_first(others)) + "\n  Create the block with the sizes of the saved one.")
    if problems:
        raise MXNetError("\n".join(problems))
    return pairs


def _listing(headline, names, candidates):
    return "\n  ".join([headline + ":", *_first([f"{name!r}.{nearest(name, candidates, 1)}" for name in names])])


def _first(lines, limit=10):
    """Return the first lines and the number of remaining lines."""
    return lines[:limit] + ([f"and {len(lines) - limit} more"] if len(lines) > limit else [])
