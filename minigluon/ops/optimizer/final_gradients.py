"""The operator of a plan that passes on gradients as soon as they are final, for example to a store that sends them."""

import threading

import numpy as np

from ..registry import register
from .multi_tensor import InPlaceMultiUpdate

__all__ = ["receiver"]


class Receiver(threading.local):
    """The function that this thread's kernels call. receive: None, or a function of the copies of final gradients."""

    receive = None


receiver = Receiver()


@register("*data")
class _final_gradients(InPlaceMultiUpdate):
    """Copies gradients, and tells the `receiver` that they are final. The result is an empty array.

    data: (weight, grad, copy) for each weight. The weight is not read.

    num_weights: the number of weights.
    """

    num_weights: int
    group = ("weight", "grad", "copy")
    read_only = ("weight", "grad")
    takes_rates = False

    def infer_dtype(self, *dtypes):
        for i in range(1, len(dtypes), 3):
            self.require_dtype(f"data{i + 1}", dtypes[i + 1], dtypes[i])
        return list(dtypes), [dtypes[0]]

    def forward(self, *data):
        return (np.empty(0, data[0].dtype), *data[1::3])
