"""The fused recurrent network."""

from . import grad, rnn
