"""Steps for float16 and bfloat16 weights, which an optimizer takes on float32 copies."""

from __future__ import annotations

from typing import Any

from ..common.dtypes import is_narrow
from ..diagnostics import strictness
from .lists import require_one_weight

__all__ = ["MixedPrecision"]


class MixedPrecision:
    """Mixin for Optimizer that handles weights in mixed precision, for which `is_mixed` returns True."""

    def create_state_multi_precision(self, index: Any, weight: Any) -> Any:
        """Return the state, or (float32 weight, its state) in mixed precision."""
        if self.is_mixed(weight):
            weight32 = weight.astype("float32")
            return weight32, self.create_state(index, weight32)
        if is_narrow(weight.buffer.dtype):
            self._warn_float16(weight)
        return self.create_state(index, weight)

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Call `update`, on the float32 copy if there is one.

        state: the result of `create_state_multi_precision`, as updated by the steps so far.
        """
        if self.multi_precision:
            require_one_weight(self, index)
        if not self.is_mixed(weight):
            self.update(index, weight, grad, state)
            return
        weight32, inner = state
        self.update(index, weight32, grad.astype("float32"), inner)
        weight[:] = weight32

    def _warn_float16(self, weight: Any) -> None:
        strictness.warn(f"{weight.buffer.dtype} weights lose small steps; multi_precision=True makes them on float32 "
                        "copies")
