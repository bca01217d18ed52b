"""A Parameter's gradient."""

from __future__ import annotations

from .. import autograd
from .. import ndarray as nd
from ..base import MXNetError
from ..context import Context
from .parameter_devices import Array, Arrays

__all__ = ["ParameterGradient"]


class ParameterGradient:
    """Mixin for Parameter that manages its gradient."""

    @property
    def grad_req(self) -> str:
        """How backward stores the gradient: 'write', 'add' or 'null'."""
        return self._grad_req

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        if req not in ("write", "add", "null"):
            raise MXNetError(f"{self.described()}: grad_req is {req!r}, expected one of 'write', 'add', 'null'.")
        if not self._differentiable:
            req = "null"
        if req == self._grad_req:
            return
        self._grad_req = req
        if req == "null" and self._data is not None:
            self._grad = None
            self._replace({ctx: x.detach() for ctx, x in self._data.items()})
        elif self._data is not None:
            self._attach_grad(self._data)

    def _attach_grad(self, arrays: Arrays) -> None:
        if self._grad_req == "null":
            self._grad = None
            return
        self._grad = {ctx: nd.zeros(x.shape, ctx=ctx, dtype=x.dtype, stype=self.grad_stype)
                      for ctx, x in arrays.items()}
        autograd.mark_variables(list(arrays.values()), list(self._grad.values()), self._grad_req)
        self._count_replacement()

    def grad(self, ctx: Context | None = None) -> Array:
        """Return the gradient from the last backward pass on a device. Raises the same errors as `data`.

        ctx: as in `data`.
        """
        grads = self._require_grad(ctx)
        return self._to_own_class(self._on_current(grads) if ctx is None else grads[ctx])

    def _require_grad(self, ctx: Context | None = None) -> Arrays:
        data, grads = self._data, self._grad
        if data is not None and grads is None:
            raise MXNetError(f"{self.described()} has no gradient, because its grad_req is 'null'. "
                             "Set grad_req to 'write' or 'add'.")
        if data is None or grads is None or (ctx is not None and ctx not in grads):
            self._raise_unavailable(ctx, data)
        return grads

    def zero_grad(self) -> None:
        """Set the gradient to zero on all devices; needed between steps with grad_req='add'."""
        for grad in (self._grad or {}).values():
            grad[:] = 0
