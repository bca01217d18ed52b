"""Labels from an image list, which replace the labels in the records."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import FileFormatError
from ...diagnostics.strictness import refuse
from ...io.files import filled_lines

__all__ = ["fitted", "labels_in"]


def labels_in(paths: Any, width: int) -> dict[int, np.ndarray[Any, Any]]:
    """Return {record id: labels} from lists of images, with lines 'id TAB label ... TAB file'.

    The file may be omitted, spaces may replace tabs, and additional labels are ignored.

    paths: the lists, separated by ';'.
    width: values per label, or -1 for any number of them.

    Raises FileFormatError with the line's number.
    """
    labels = {}
    for file, number, line in filled_lines(paths, "a list of images, as written by minigluon im2rec --list"):
        try:
            key, first, *others = line.split("\t") if width < 0 and "\t" in line else line.split()
            labels[int(float(key))] = np.float32(list(_numbers([first, *others], width)))
        except (ValueError, OverflowError):
            raise FileFormatError(f"{file}: line {number} is {line.strip()[:80]!r}, expected an integer, labels and "
                                  "a file, separated by tabs") from None
    return labels


def _numbers(fields, width):
    """Yield up to `width` leading numbers; for -1, all fields before the last, which is the file."""
    for field in fields[:width]:
        try:
            yield float(field)
        except ValueError:
            return


def fitted(labels: np.ndarray[Any, Any], width: int, who: str, source: str) -> np.ndarray[Any, Any]:
    """Return `width` labels from a list entry. An entry with fewer labels is refused; MXNet appends zeros."""
    if labels.size < width:
        refuse(FileFormatError(f"{who}: {source} has {labels.size} labels in the list of images, expected "
                               f"label_width={width}"))
        labels = np.concatenate([labels, np.zeros(width - labels.size, np.float32)])
    return labels
