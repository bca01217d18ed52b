"""Hints for debug mode about the indices and labels among an operator's inputs. Nothing else reads them."""

from collections.abc import Mapping
from typing import Any

from .shapes import FullShape

__all__ = ["DebugHints"]


class DebugHints:
    """Two methods of `Op` for debug mode."""

    def index_ranges(self, *shapes: FullShape) -> Mapping[str, tuple[float, ...]]:
        """Returns {input: (lowest, highest, other allowed values)} for the indices or labels that an input holds.

        An operator that refuses other values itself gives none here. Only debug mode reads the values.

        shapes: the shapes of the inputs.

        >>> nd.Embedding.op(input_dim=10, output_dim=4).index_ranges((5,), (10, 4))
        {'data': (0, 9)}
        """
        return {}

    def fillings(self, *inputs: Any) -> Mapping[str, Any]:
        """Returns {input: a boolean array, True for padding} for inputs in `index_ranges`, for debug mode.

        Only for padding that the operator itself ignores, whatever its value.

        >>> nd.CTCLoss.op(use_label_lengths=True).fillings(np.ones((4, 1, 3)), np.array([[1, 9]]), np.array([1]))
        {'label': array([[False,  True]])}
        """
        return {}
