"""The fused recurrent network."""

from . import packed, rnn
