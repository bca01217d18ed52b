"""The fused recurrent network."""

from . import rnn, rnn_packed, rnn_separate_weights
