"""The fused recurrent network."""

from . import apart, packed, rnn
