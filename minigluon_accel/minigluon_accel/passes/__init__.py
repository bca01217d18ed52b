"""The passes of this backend, in execution order; `minigluon.hybrid.PASSES` lists the passes before and after them."""

from .absorb_padding import absorb_padding
from .blocked_layout import blocked_layout
from .fuse_attention import fuse_attention
from .fuse_elementwise import fuse_elementwise
from .fuse_neighbours import fuse_neighbours
from .prepack_convolution import prepack_convolution
from .prepack_matrix import prepack_matrix
from .prepack_quantized import prepack_quantized
from .prepack_rnn import prepack_rnn
from .recompute_normalized import recompute_normalized
from .split_rnn_parameters import split_rnn_parameters
from .tile_batch import tile_batch

__all__ = ["BEFORE_FUSION", "BEFORE_GRADIENTS", "fuse_attention", "fuse_elementwise"]

BEFORE_GRADIENTS = [
    fuse_attention,             # the products, mask and softmax of attention become one operator
]

BEFORE_FUSION = [
    recompute_normalized,       # in training: large normalized values that a clip reads are not saved
    absorb_padding,             # only in inference plans: a convolution adds the zeros around its image itself
    fuse_neighbours,            # a convolution or a normalization absorbs the relu or pooling next to it
    prepack_convolution,        # from here on, only in inference plans: filters in the kernel's own order
    blocked_layout,             # between packed convolutions, images are stored in blocks of channels
    prepack_matrix,             # weights of fully connected layers in the kernel's own order
    prepack_quantized,          # layers on integers: packed weights, and the operators after them in registers
    tile_batch,                 # each thread takes its share of the batch through several layers
    prepack_rnn,                # parameters of recurrent layers in the kernel's own order
    split_rnn_parameters,       # in training: recurrent layers read their parameters in place
    fuse_elementwise,           # chains of elementwise operators, including chains with several shapes
]
