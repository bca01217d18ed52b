"""The table of operators that have kernels."""

from minigluon.backend.table import KernelTable
from minigluon.ops import REGISTRY

__all__ = ["find", "kernel_for", "names_of", "prepared_operators"]

_kernels = KernelTable()
# A function with a parameter `device` also receives the device. It returns a Work, a string (the reason for declining),
# or a function that takes a list of buffers and allocates its results.
kernel_for = _kernels.kernel_for        # keyed by operator names, not aliases


def names_of(base):
    """Returns the names of the operators whose classes derive from `base`."""
    return sorted({cls.name for cls in REGISTRY.values() if issubclass(cls, base)})


def prepared_operators():
    """Returns {name: function} for all operators that have kernels."""
    return _kernels.functions()


def find(op, inputs, outputs, train, rng, device):
    """Returns the Work for an operator on buffers of these Specs, or a string that says why there is none."""
    return _kernels.find(op, inputs, outputs, train=train, rng=rng, device=device)
