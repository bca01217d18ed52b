"""A recurrent network's sizes, operands and launches, shared by the forward pass and the gradient in `rnn.py`.

Everything is enqueued step by step, so a plan replays it as a graph. float16 is computed in float32, as in the
reference: operands are first copied to float32 memory, and results are copied back.
"""


import numpy as np

from minigluon.backend import Spec
from minigluon.ops.rnn.layout import GATES, directions_of, firsts, parameter_shapes, reserve_shapes

from ...launch import THREADS, Launch, Out, Scratch, SourceFile, Work, blocks, size, types
from ..gemm import Matrix, product

__all__ = ["DRAWS", "Net", "numbers", "transposed"]

SOURCE = SourceFile("rnn/rnn.cu")
COPY_SOURCE = SourceFile("rnn/rnn_copy.cu")
MODES = {"rnn_relu": 0, "rnn_tanh": 1, "lstm": 2, "gru": 3}
DRAWS, PARTS = 0, 1         # scratch buffers of every Work: for random numbers, and for split products


class Net:
    """The accumulated launches of an RNN, and the positions of its arrays.

    operands: {name: In, Out or Scratch}; all have `dtype`, the dtype of the arithmetic. parameters, reserve: {name:
    first element}. shapes: {name: shape} of the arrays in both.
    """

    def __init__(self, op, data, lengths, device):
        self.op, self.device = op, device
        self.dtype = np.promote_types(data.dtype, np.float32)
        self.steps, self.batch, self.inputs = data.shape
        self.units, self.out = op.state_size, op.projection_size or op.state_size
        self.gates, self.width = GATES[op.mode] * op.state_size, op.sides * (op.projection_size or op.state_size)
        parameters, reserve = parameter_shapes(op, self.inputs), reserve_shapes(op, self.steps, self.batch)
        self.shapes = {**parameters, **reserve}
        self.parameters, self.reserve = firsts(parameters), firsts(reserve)
        self.names = directions_of(op)
        self.lengths = None if lengths is None else lengths.dtype
        self.operands = {}
        self.launches, self.scratch, self.most_parts = [], [Spec((16,), np.dtype("int64")), None], 1

    @property
    def rows(self):
        return self.steps * self.batch

    def work(self):
        self.scratch[PARTS] = Spec((self.most_parts,), self.dtype)
        return Work(*self.launches, scratch=self.scratch)

    # -- memory -----------------------------------------------------------------------------------------------------

    def between(self, count):
        """Returns a scratch buffer with this number of elements."""
        self.scratch.append(Spec((max(count, 1),), self.dtype))
        return Scratch(len(self.scratch) - 1)

    def take(self, name, place, spec):
        """Registers an input under a name."""
        self.operands[name] = place
        if spec.dtype != self.dtype and name != "sequence_length":
            self.operands[name] = self.between(size(spec))
            self.copy(self.operands[name], place, size(spec), dtypes=(self.dtype, spec.dtype))

    def results(self, outputs):
        """Returns (operands in which outputs with these Specs are computed, a function that adds the final copies)."""
        places = [Out(k) if spec.dtype == self.dtype else self.between(size(spec)) for k, spec in enumerate(outputs)]

        def finish():
            for number, (place, spec) in enumerate(zip(places, outputs, strict=True)):
                if spec.dtype != self.dtype:
                    self.copy(Out(number), place, size(spec), dtypes=(spec.dtype, self.dtype))
        return places, finish

    # -- launches ---------------------------------------------------------------------------------------------------

    def launch(self, function, count, arguments):
        """Adds a kernel of rnn/rnn.cu for a number of elements."""
        if not count:
            return
        op = self.op
        clip = 0 if op.lstm_state_clip_min is None else 2 if op.lstm_state_clip_nan else 1
        defines = {**types(self.dtype, TI=self.lengths or np.dtype("int32")), "MODE": MODES[op.mode], "CLIP": clip,
                   "PROJECTED": int(op.projection_size is not None)}
        self.launches.append(Launch(SOURCE, function, defines, blocks(count), THREADS, arguments))

    @property
    def ends(self):
        """Returns the argument for the sequence lengths."""
        return np.uint64(0) if self.lengths is None else self.operands["sequence_length"]

    @property
    def limits(self):
        """Returns the arguments for the bounds to which cells are clipped."""
        op = self.op
        return [0.0, 0.0] if op.lstm_state_clip_min is None else [float(op.lstm_state_clip_min),
                                                                  float(op.lstm_state_clip_max)]

    def multiply(self, rows, columns, depth, a, b, out, **more):
        """Adds the launches of a product. a, b, out: (operand, first element, strides to the next row and column)."""
        a, b, out = [Matrix(m[0], m[2], m[3], offset=m[1]) for m in (a, b, out)]
        work = product(self.dtype, rows, columns, depth, a, b, out, self.device, scratch=PARTS, **more)
        self.launches += work.launches
        for spec in work.scratch:
            self.most_parts = max(self.most_parts, size(spec))

    def weight(self, name):
        """Returns a weight as a factor for `multiply`, (rows, columns)."""
        return self.operands["parameters"], self.parameters[name], self.shapes[name][1], 1

    def copy(self, out, data, count, out_at=0, data_at=0, dtypes=None):
        """Adds out = data. dtypes: those of out and data, in that order."""
        to, source = dtypes or (self.dtype, self.dtype)
        if count:
            self.launches.append(Launch(COPY_SOURCE, "rnn_copy", types(to, TI=source), blocks(count), THREADS,
                                        [out, data, count, out_at, data_at]))

    def fill(self, out, count, value, first=0):
        self.launch("rnn_fill", count, [out, count, first, float(value)])

    def scale(self, out, data, data_at, factors, factors_at=0):
        """Adds out = data · factors, (steps, batch, width)."""
        count = self.rows * self.width
        self.launch("rnn_scale", count, [out, data, factors, count, data_at, factors_at])


def transposed(matrix):
    """Returns a factor of `multiply` with its rows and columns exchanged."""
    operand, first, row, column = matrix
    return operand, first, column, row


def numbers(*values):
    """Returns a struct of long longs as a kernel's argument."""
    return np.array(values, np.int64)
