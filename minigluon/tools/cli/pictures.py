"""Small pictures of images for a terminal, made of block characters, without colors."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

__all__ = ["side_by_side"]

BLOCKS, ASCII = " ▀▄█", " '.#"        # neither half is dark, only the upper one, only the lower one, both
DARK = 0.4
GAP = 3


def side_by_side(images: Any, captions: list[list[str]], width: int = 80) -> list[str]:
    """Return lines with as many of the images next to each other as fit, each under the lines of its caption.

    images: (N, C, H, W), 0 ... 1. captions: for each image, the same number of lines. width: of the terminal.
    """
    dark = _framed(np.asarray(images).mean(axis=1) > DARK)
    column = max(dark.shape[2], *(len(line) for caption in captions for line in caption))
    count = max(1, (width + GAP) // (column + GAP))
    columns = [[*caption, *_rows(image)] for caption, image in zip(captions[:count], dark, strict=False)]
    return [(" " * GAP).join(line.ljust(column) for line in lines).rstrip() for lines in zip(*columns, strict=True)]


def _framed(dark):
    """Return the images without the margin that all of them have."""
    rows, columns = (np.flatnonzero(dark.any(axis=axes)) for axes in ((0, 2), (0, 1)))
    if not len(rows):
        return dark
    return dark[:, rows[0]:rows[-1] + 1, columns[0]:columns[-1] + 1]


def _rows(dark):
    """Return the lines of text of one image: each shows two rows of pixels."""
    if len(dark) % 2:
        dark = np.concatenate([dark, np.zeros_like(dark[:1])])
    shades = dark[::2] + 2 * dark[1::2].astype(int)
    characters = _characters()
    return ["".join(characters[shade] for shade in row) for row in shades]


def _characters():
    """Return the characters that the output's encoding has."""
    try:
        BLOCKS.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return ASCII
    return BLOCKS
