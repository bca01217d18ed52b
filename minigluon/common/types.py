"""Parameter types for annotations."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..context import Context

__all__ = ["Contexts", "DType", "Number", "Shape"]

Contexts = Context | Sequence[Context]                  # a device, or several devices
DType = str | type[Any] | np.dtype[Any]                 # "float32", np.float32, np.dtype("float32")
Number = float | np.number[Any]                         # Python and NumPy numbers
Shape = int | Sequence[int]                             # (2, 3), [2, 3]; 2 stands for (2,)
