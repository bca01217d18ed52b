"""The fused recurrent network."""

from . import rnn
