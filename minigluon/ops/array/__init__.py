"""Operators that create, join, split, sort and convert arrays. They move elements without computing with them."""

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
