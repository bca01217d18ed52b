"""The passes of this backend, in the order in which they run: see `minigluon.hybrid.PASSES` for those around them."""

from .blocked_layout import blocked_layout
from .fuse_attention import fuse_attention
from .fuse_elementwise import fuse_elementwise
from .fuse_neighbours import fuse_neighbours
from .prepack_convolution import prepack_convolution
from .prepack_matrix import prepack_matrix
from .prepack_rnn import prepack_rnn
from .recompute_normalized import recompute_normalized
from .split_rnn_parameters import split_rnn_parameters
from .tile_batch import tile_batch

__all__ = ["BEFORE_FUSION", "BEFORE_GRADIENTS", "fuse_attention", "fuse_elementwise"]

BEFORE_GRADIENTS = [
    fuse_attention,             # products, masks and softmax of attention become one operator
]

BEFORE_FUSION = [
    recompute_normalized,       # in training: large normalized values that a clip reads are not kept
    fuse_neighbours,            # a convolution or a normalization takes in the relu or the pooling beside it
    prepack_convolution,        # in plans that only infer, from here on: filters in the kernel's own order
    blocked_layout,             # images in blocks of channels between such convolutions
    prepack_matrix,             # weights of fully connected layers in the kernel's own order
    tile_batch,                 # a thread takes its share of the batch through several layers
    prepack_rnn,                # parameters of recurrent layers in the kernel's own order
    split_rnn_parameters,       # in training: recurrent layers read their parameters where they are
    fuse_elementwise,           # chains of elementwise operators, of several shapes too
]
