"""Operators that create, join, cut, order and convert arrays: they move elements without computing with them."""

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
