"""NumPy's backend: the reference, and how operators write into memory that a plan has laid out for them."""

from . import array, linalg, math, nn, optimizer, rnn
from .reference import ReferenceBackend, ReferenceKernel, refusal
from .table import Writer, forward_for, kernel_for, prepared_operators, writer_for

__all__ = ["ReferenceBackend", "ReferenceKernel", "Writer", "forward_for", "kernel_for",
           "prepared_operators", "refusal", "writer_for"]
