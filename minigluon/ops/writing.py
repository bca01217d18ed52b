"""What the writers of several families share. A writer fills memory that a plan has laid out; see `Op.writer_for`.

Where one NumPy function does the work, it gets that memory as its `out`. What takes several is computed in blocks, so
that the values in between are small, stay in the processor's cache, and are done with before their block of the
result is written: the result may take the memory of an input.
"""

import numpy as np

from .op import Op

__all__ = ["BLOCK", "Elementwise", "View", "block_writer", "flat", "positional", "ufunc_for", "ufunc_writer"]

BLOCK = 2 ** 13         # elements


class Elementwise(Op):
    """Base of operators whose out[i] depends on the inputs' [i] alone."""

    elementwise = True

    def writer_for(self, inputs, outputs, **how):
        if any(spec.shape != outputs[0].shape for spec in inputs):
            return None
        return block_writer(self.forward_for(*[spec.dtype for spec in inputs]))


class View(Op):
    """Base of operators that give the elements of their first input in the same order, in memory of their own."""

    is_view = True

    @property
    def in_place(self):
        return self.list_arguments()[:1]

    def writer_for(self, inputs, outputs, **how):
        shape = outputs[0].shape

        def write(ins, outs):
            np.copyto(outs[0], ins[0].reshape(shape))
        return write


def block_writer(forward):
    """A writer for arrays of one shape from a function that makes new ones: it is called for one block at a time."""
    def write(ins, outs):
        out = outs[0]
        if out.size <= BLOCK:
            out[...] = forward(*ins)
            return
        out, ins = flat(out), [flat(x) for x in ins]
        for start in range(0, out.size, BLOCK):
            block = slice(start, start + BLOCK)
            out[block] = forward(*[x[block] for x in ins])
    return write


def flat(array):
    """The elements as a vector, a view: memory of a plan is in one piece."""
    return array.reshape(array.size)


def ufunc_for(compute, dtype):
    """The NumPy function that `compute` is for arrays of this type, or None.

    Where it is that for some types only, or up to a conversion of the result, it carries the function and the kinds
    of types (those of `numpy.dtype.kind`) as `compute.ufunc`.
    """
    ufunc, kinds = (compute, "fiu") if isinstance(compute, np.ufunc) else getattr(compute, "ufunc", (None, ""))
    return ufunc if dtype.kind in kinds else None


def ufunc_writer(ufunc):
    """A writer that hands the output to a function of one or two arrays."""
    ufunc = positional(ufunc)
    if ufunc.nin == 1:
        def write(ins, outs):
            ufunc(ins[0], outs[0])
    else:
        def write(ins, outs):
            ufunc(ins[0], ins[1], outs[0])
    return write


def positional(ufunc):
    """A NumPy function that takes its output by position, which saves 60 ns."""
    if ufunc not in (np.maximum, np.minimum):
        return ufunc

    def named(x, y, out):
        return ufunc(x, y, out=out)         # these two warn of a third argument without a name
    named.nin = 2
    return named
