"""Making, joining, cutting, ordering and converting arrays: what moves elements and computes with none of them."""

from . import (
    axes,
    contrib,
    convert,
    extending,
    indexing,
    joining,
    ordering,
    positions,
    sequence,
    shape,
    slicing,
    sources,
    storage,
)
