"""Images and boxes."""

from . import boxes, grid
