"""Which kernel does the work of an operator: a function for each, in the same street and file as its class.

    @kernel_for("elemwise_add")
    def add(op, inputs, outputs):
        return Call(Phase("add", outputs[0].dtype, parts(size(outputs[0])), size=size(outputs[0])))

The function gets the operator and the Specs of its arrays, and returns a Call, or a text that says why it declines.
One that takes `train` or `rng` gets those, too.
"""

from ..convolution_fused import OPERATORS
from . import array, fused, linalg, math, nn, optimizer, random, rnn, vision
from .registry import find, prepared_operators

__all__ = ["OWN_OPERATORS", "find", "prepared_operators"]

OWN_OPERATORS = tuple([operator.name for operator in OPERATORS])        # that are in no table of the base
