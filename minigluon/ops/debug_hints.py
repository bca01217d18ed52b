"""What an operator tells debug mode about the indices and labels among its inputs. Nothing else reads it."""

from collections.abc import Mapping
from typing import Any

from .shapes import FullShape

__all__ = ["DebugHints"]


class DebugHints:
    """Two methods of `Op`."""

    def index_ranges(self, *shapes: FullShape) -> Mapping[str, tuple[float, ...]]:
        """{input: (least, most, and others that are meant, too)} of the indices or labels that an input holds.

        An operator that refuses others itself has none here. Debug mode looks at the values; nothing else does.

        shapes: of the inputs.

        >>> nd.Embedding.op(input_dim=10, output_dim=4).index_ranges((5,), (10, 4))
        {'data': (0, 9)}
        """
        return {}

    def fillings(self, *inputs: Any) -> Mapping[str, Any]:
        """{input: an array of bool, True where an element is filling} of the inputs in `index_ranges`, for debug mode.

        Only for filling that the operator itself leaves out, whatever it is.

        >>> nd.CTCLoss.op(use_label_lengths=True).fillings(np.ones((4, 1, 3)), np.array([[1, 9]]), np.array([1]))
        {'label': array([[False,  True]])}
        """
        return {}
