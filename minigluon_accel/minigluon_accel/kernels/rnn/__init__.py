"""The fused recurrent network."""

from . import rnn, rnn_apart, rnn_packed
