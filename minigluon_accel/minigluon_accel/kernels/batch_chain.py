"""A sequence of kernels that runs on one share of the batch at a time: csrc/batch_chain_bytes.c."""

import math

from ..engine import Call, Phase
from . import registry
from .registry import kernel_for

__all__ = ["assign_chain_offsets"]

MOST_OPERANDS = 64          # the maximum number of operands of a kernel, as in batch_chain_bytes.c
ALIGNED = 64                # bytes


@kernel_for("_batch_chain")
def batch_chain(op, inputs, outputs):
    chain_specs = [_share(op, spec) if k in op.batched else spec for k, spec in enumerate(inputs)]
    results, phases, places = [], [], []
    for line, operands in op.program:
        specs = [chain_specs[k] if k >= 0 else results[-1 - k] for k in operands]
        (shape,) = line.infer_shape(*[spec.shape for spec in specs])[1]
        results.append(specs[0]._replace(shape=shape))
        call = registry.find(line, specs, results[-1:], False, None)
        if isinstance(call, str) or call.scratch or len(operands) >= MOST_OPERANDS:
            return call if isinstance(call, str) else f"{line.name} in a chain"
        phases.append((call.phases, operands))
    offsets, room = assign_chain_offsets([_bytes(spec) for spec in results], [operands for _, operands in op.program])

    def place(k):
        """Returns the array of an operand in the form that csrc/batch_chain_bytes.c expects; k < 0: a result."""
        if k >= 0:
            return k, _bytes(chain_specs[k]) if k in op.batched else 0
        return (len(inputs), _bytes(results[-1])) if -1 - k == len(results) - 1 else (-1, offsets[-1 - k])
    for number, (_, operands) in enumerate(phases):
        places.append([place(k) for k in (*operands, -1 - number)])
    listed = [(phase, its) for (some, _), its in zip(phases, places, strict=True) for phase in some]
    shares = inputs[op.batched[0]].shape[0] // op.share
    return Call(Phase.chain([phase for phase, _ in listed], [its for _, its in listed], shares, max(room, 1)))


def _share(op, spec):
    """Returns an operand's array for one share."""
    return spec._replace(shape=(op.share, *spec.shape[1:]))


def _bytes(spec):
    return math.prod(spec.shape) * spec.dtype.itemsize


def assign_chain_offsets(sizes, operands):
    """Returns (offset of each result, bytes in total), such that results that are live at the same time do not overlap.

    sizes: bytes of the results of a program's lines, in order. operands: the operands of each line; -1 - k is the
    result of line k.

    >>> lay_out([100, 100, 100], [(0,), (-1,), (-2,)])
    ([0, 128, 0], 256)
    """
    last = {-1 - k: line for line, its in enumerate(operands) for k in its if k < 0}
    offsets, end = [], 0
    for number, size in enumerate(sizes):
        spans = sorted((offsets[k], offsets[k] + sizes[k]) for k in range(number) if last.get(k, k) >= number)
        at = 0
        for begin, stop in spans:
            if at + size <= begin:
                break
            at = max(at, -(-stop // ALIGNED) * ALIGNED)
        offsets.append(at)
        end = max(end, at + -(-size // ALIGNED) * ALIGNED)
    return offsets, end
