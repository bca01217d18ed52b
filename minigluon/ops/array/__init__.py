"""Operators that create, join, cut, order and convert arrays. They move elements without computing with them."""

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
