"""Operators on images in blocks of channels, for inference plans (see `passes/blocked_layout.py`).

    (batch, channels, height, width)  ->  (batch, blocks, height, width, BLOCK), where the last block is padded

Each operator defines its computation in NumPy; the kernels are in `kernels/nn/convolution_blocks.py`.
"""

import numpy as np

from minigluon.backend.numpy import forward_for
from minigluon.ops.op import Op

from .fused_convolution import CompositeOp, PackedConv

__all__ = ["BLOCK", "OPERATORS", "BatchChain", "BlockedConv", "FromBlocks", "PoolBlocks", "ToBlocks", "blocked_shape",
           "from_blocks", "to_blocks"]

BLOCK = 16          # the number of channels in a block; the same constant is in csrc/nn/convolution_blocks.h


def blocked_shape(shape):
    """Returns the shape of an image in blocks. shape: (batch, channels, height, width)."""
    batch, channels, height, width = shape
    return batch, -(-channels // BLOCK), height, width, BLOCK


def to_blocks(x):
    """Returns (batch, channels, height, width) in blocks; the last block is padded with zeros.

    >>> to_blocks(np.ones((2, 20, 3, 3))).shape
    (2, 2, 3, 3, 16)
    """
    batch, channels, height, width = x.shape
    filled = np.pad(x, [(0, 0), (0, -channels % BLOCK), (0, 0), (0, 0)])
    return np.ascontiguousarray(filled.reshape(batch, -1, BLOCK, height, width).transpose(0, 1, 3, 4, 2))


def from_blocks(x, channels):
    """Returns the first `channels` channels of an image in blocks, as (batch, channels, height, width).

    >>> from_blocks(to_blocks(np.ones((2, 20, 3, 3))), 20).shape
    (2, 20, 3, 3)
    """
    batch, blocks, height, width, _ = x.shape
    return np.ascontiguousarray(x.transpose(0, 1, 4, 2, 3).reshape(batch, blocks * BLOCK, height, width)[:, :channels])


class PassOnlyOp(Op):
    """An operator on one array that only passes create."""

    arguments = ("data",)
    gradient = None

    @classmethod
    def complete(cls, attributes):
        return attributes


class ToBlocks(PassOnlyOp):
    """(batch, channels, height, width) -> the same in blocks."""

    name = "_to_blocks"

    def infer_shape(self, shape):
        return [shape], [blocked_shape(shape)]

    def forward(self, data):
        return to_blocks(data)


class FromBlocks(PassOnlyOp):
    """The inverse of `ToBlocks`. channels: the number of channels."""

    name = "_from_blocks"
    fields = {"channels": None}

    def infer_shape(self, shape):
        return [shape], [(shape[0], self.channels, *shape[2:4])]

    def forward(self, data):
        return from_blocks(data, self.channels)


class PoolBlocks(PassOnlyOp):
    """A pooling of whole images in blocks -> (batch, channels, 1, 1). pooling: the base package's operator."""

    name = "_pool_blocks"
    fields = {"pooling": None, "channels": None}

    def infer_shape(self, shape):
        return [shape], [(shape[0], self.channels, 1, 1)]

    def forward(self, data):
        return forward_for(self.pooling, data.dtype)(from_blocks(data, self.channels))


class BlockedConv(PackedConv):
    """A `PackedConv` whose result is in blocks. blocked: indices of the inputs that are also in blocks.

    channels: the numbers of channels of these inputs, in the same order.
    """

    name = "_blocked_conv"
    fields = {"program": None, "way": None, "length": None, "blocked": (), "channels": ()}

    def _plain(self, shapes):
        """Returns the shapes that the inputs have in the program."""
        channels = dict(zip(self.blocked, self.channels, strict=True))
        return [(s[0], channels[k], *s[2:4]) if k in channels else s for k, s in enumerate(shapes)]

    def infer_shape(self, *shapes):
        return list(shapes), [blocked_shape(super()._through(self._plain(shapes), "infer_shape")[0])]

    def forward(self, *inputs):
        channels = dict(zip(self.blocked, self.channels, strict=True))
        return to_blocks(super().forward(*[from_blocks(x, channels[k]) if k in channels else x
                                           for k, x in enumerate(inputs)]))


class BatchChain(CompositeOp):
    """A program of this module's operators, or of `PackedDense`, that runs on one share of the batch after another.

    `passes/tile_batch.py` creates these programs.

    batched: indices of the inputs that have a batch axis; the others are parameters. share: the number of items that go
    through the program at a time, a divisor of the batch size.
    """

    name = "_batch_chain"
    fields = {"program": None, "batched": (), "share": 1}
    num_outputs = 1

    def results(self, inputs):
        """Returns a tuple of shapes per line, for the whole batch."""
        results = []
        for op, operands in self.program:
            results.append((op.forward(*[inputs[k] if k >= 0 else results[-1 - k][0] for k in operands]),))
        return results

    def forward(self, *inputs):
        return self.results(inputs)[-1][0]


OPERATORS = (BatchChain, BlockedConv, FromBlocks, PoolBlocks, ToBlocks)
