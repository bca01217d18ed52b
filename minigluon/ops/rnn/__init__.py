"""The fused recurrent network."""

from . import cells, kernels, layout, rnn
