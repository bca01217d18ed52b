"""A recurrent network whose steps are written out, for tests of explain."""

from minigluon import gluon
from minigluon.gluon import nn, rnn

__all__ = ["Unrolled"]


class Unrolled(gluon.HybridBlock):
    """An LSTM over some steps, and the loss of a layer on them."""

    def __init__(self, steps, **kwargs):
        super().__init__(**kwargs)
        self.steps = steps
        with self.name_scope():
            self.cell, self.out = rnn.LSTMCell(4), nn.Dense(3, flatten=False)
            self.loss = gluon.loss.L2Loss()

    def hybrid_forward(self, F, x, y):
        hidden, _ = self.cell.unroll(self.steps, x, layout="NTC", merge_outputs=True)
        return self.loss(self.out(hidden), y)
