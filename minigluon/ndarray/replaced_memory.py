"""Arrays whose memory may be replaced, such as parameters, which one thread loads while others make predictions."""

from __future__ import annotations

import weakref
from typing import Any

from ..backend import backend_for
from .ndarray import NDArray, method


@method
def _prepare_to_replace(self: NDArray) -> None:
    """Start keeping track of views, for `replace_memory`.

    >>> nd.zeros(2)._prepare_to_replace()
    """
    if self._sharers is None:
        self._sharers = weakref.WeakValueDictionary()


@method
def _replace_memory(self: NDArray, buffer: Any):
    """Switch to other memory with the same shape and dtype. Call `prepare_to_replace` before creating the first view.

    Operators in other threads read either the old elements or the new elements. Views are also switched.

    >>> x = nd.zeros(2)
    >>> x._prepare_to_replace()
    >>> part = x[1:]
    >>> x._replace_memory(nd.array([3, 4]).buffer)
    >>> print(part.asnumpy())
    [4.]
    """
    old, self.buffer = self.buffer, buffer
    for reference in self._sharers.valuerefs():
        x = reference()
        if x is not None and x is not self:
            backend, part = backend_for(self.device), x.buffer
            x.buffer = buffer if part is old else backend.view(buffer, backend.offset(part, old), part.shape,
                                                               part.dtype)
    self._count_write()


@method
def _fixed(self: NDArray, buffer: Any):
    """Return the array on its earlier memory, with its position on the tape, which does not change.

    >>> x = nd.array([1])
    >>> print(x._fixed(x.buffer).asnumpy())
    [1.]
    """
    fixed = NDArray(buffer, self.device)
    fixed._base = self._root()
    fixed.entry, fixed.output_index = self.entry, self.output_index
    return fixed
