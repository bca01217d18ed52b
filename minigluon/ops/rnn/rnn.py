"""A stack of recurrent layers as one operator over an entire sequence, in one or both directions."""

from typing import Literal

import numpy as np

from ...base import MXNetError, OpAttributeError
from ..op import Op
from ..registry import register
from ..shapes import Spec
from . import kernels as rnn_kernels
from .layout import GATES, input_size_of, parameter_size, reserve_size

__all__ = ["RNN"]


class _Recurrent(Op):
    """The attributes of `RNN`, shared with its gradient.

    state_size: the length H of a state.
    num_layers: the number of stacked layers L.
    bidirectional: if True, run each layer from both ends and join the two results.
    mode: the type of cell.
    p: the probability of dropping elements of a layer's output in training, except for the last layer.
    state_outputs: if True, also return the final states.
    projection_size: the length R to which the state of an lstm is projected; None for no projection.
    lstm_state_clip_min: the lower bound of an lstm's cells, given together with the upper bound; None for no bounds.
    lstm_state_clip_max: the upper bound of an lstm's cells.
    lstm_state_clip_nan: if True, replace NaN with the lower bound.
    use_sequence_length: if True, sequence_length gives the number of steps in each item.
    """

    state_size: int
    num_layers: int
    bidirectional: bool = False
    mode: Literal["rnn_relu", "rnn_tanh", "lstm", "gru"]
    p: float = 0.0
    state_outputs: bool = False
    projection_size: int | None = None
    lstm_state_clip_min: float | None = None
    lstm_state_clip_max: float | None = None
    lstm_state_clip_nan: bool = False
    use_sequence_length: bool = False

    @classmethod
    def complete(cls, attributes):
        values = super().complete(attributes)
        for name in ("state_size", "num_layers", "projection_size"):
            if values[name] is not None and values[name] < 1:
                raise OpAttributeError(f"{cls.name}: attribute {name} is {values[name]}, expected 1 or more.")
        if not 0 <= values["p"] <= 1:
            raise OpAttributeError(f"{cls.name}: attribute p is {values['p']}, expected a probability, 0 to 1.")
        if values["projection_size"] is not None and values["mode"] != "lstm":
            raise OpAttributeError(f"{cls.name}: projection_size is only for mode='lstm', found mode="
                                   f"{values['mode']!r}.")
        if (values["lstm_state_clip_min"] is None) != (values["lstm_state_clip_max"] is None):
            raise OpAttributeError(f"{cls.name}: lstm_state_clip_min and lstm_state_clip_max go together, found "
                                   f"{values['lstm_state_clip_min']} and {values['lstm_state_clip_max']}.")
        return values

    @property
    def state_names(self):
        """Returns the names of the inputs that are states."""
        return ("state", "state_cell") if self.mode == "lstm" else ("state",)

    @property
    def sides(self):
        """1, or 2 if bidirectional."""
        return 2 if self.bidirectional else 1

    def input_names(self):
        """Returns the names of the inputs of `RNN`."""
        return ("data", "parameters", *self.state_names, *["sequence_length"][:self.use_sequence_length])

    def state_shapes(self, batch):
        """Returns (layers · directions, N, R), and for lstm also (layers · directions, N, H)."""
        lead = (self.num_layers * self.sides, batch)
        sizes = (self.projection_size or self.state_size, self.state_size)
        return [(*lead, size) for _, size in zip(self.state_names, sizes, strict=False)]


@register("data", "parameters", "state", "state_cell", "sequence_length")
class RNN(_Recurrent):
    """A stack of recurrent layers over a sequence.

    With a = W x + b + R h' + d for each gate, h' and c' the previous state and cell, and σ the sigmoid:
    rnn_relu h = max(a, 0) | rnn_tanh h = tanh(a) | lstm c = σ(a_f) c' + σ(a_i) tanh(a_g), h = σ(a_o) tanh(c)
    gru      h = (1 - z) n + z h', z = σ(a_z), n = tanh(W_n x + b_n + r (R_n h' + d_n)), r = σ(a_r)

    data (T, N, inputs) | parameters (size,), packed as in `rnn.layout.parameter_shapes`
    state (L D, N, R) | state_cell (L D, N, H), only for lstm | sequence_length (N,), with use_sequence_length
    out (T, N, D R) | with state_outputs also the final states, shaped like the initial ones
    hidden: reserve, a vector of values for the gradient, laid out as in `rnn.layout.reserve_shapes`

    D = 2 if bidirectional else 1, R = projection_size or H. With use_sequence_length, data after an item's end is
    ignored, its outputs there are 0, and its final state is the state at its end, where the direction 'r' begins.
    float16 is computed in float32.

    Raises OpAttributeError for sizes below 1, p outside [0, 1], and lstm attributes in another mode.
    Source: Hochreiter and Schmidhuber 1997 (lstm), Cho et al. arXiv:1406.1078 (gru).

    All weights are 1 and all biases 0, so each step adds its data to the state.

    >>> data, parameters, state = nd.array([1, 2, 3]).reshape((3, 1, 1)), nd.array([1, 1, 0, 0]), nd.zeros((1, 1, 1))
    >>> print(nd.RNN(data, parameters, state, mode="rnn_relu", state_size=1, num_layers=1).asnumpy().ravel())
    [1. 3. 6.]
    """

    keeps = ("inputs", "outputs")

    @property
    def output_names(self):
        states = ("state_output", "statecell_output")[:len(self.state_names)]
        return ("output", *states) if self.state_outputs else ("output",)

    @property
    def takes_train(self):
        return self.p > 0

    random = takes_train

    @property
    def num_outputs(self):
        return len(self.output_names) + 1

    def list_arguments(self):
        return self.input_names()

    def infer_shape(self, data, parameters, *states):
        self.require_rank("data", data, 3)
        self.require_rank("parameters", parameters, 1)
        lengths = states[len(self.state_names):]
        steps, batch, size = data or (None, None, None)
        if size is None and parameters not in (None, (None,)):
            size = input_size_of(self, parameters[0])
        merged = []
        for name, state in zip(self.state_names, states, strict=False):
            required = self.state_shapes(batch)[len(merged)]
            merged.append(self.require(name, state, required))
            batch = merged[-1][1]
        lengths = [self.require("sequence_length", shape, (batch,)) for shape in lengths]
        batch = lengths[0][0] if lengths else batch
        count = None if size is None else parameter_size(self, size)
        parameters = self.require("parameters", parameters, (count,))
        reserve = None if None in (steps, batch) else reserve_size(self, steps, batch)
        data = data and (steps, batch, size)
        width = self.sides * (self.projection_size or self.state_size)
        finals = self.state_shapes(batch) if self.state_outputs else []
        return [data, parameters, *self.state_shapes(batch), *lengths], [(steps, batch, width), *finals, (reserve,)]

    def infer_dtype(self, *dtypes):
        count = 2 + len(self.state_names)
        inputs, outputs = super().infer_dtype(*dtypes[:count])
        dtype = outputs[0]
        self.require_float("data", dtype)
        wide = None if dtype is None else np.promote_types(dtype, np.float32)
        return [*inputs, *[dtype if d is None else d for d in dtypes[count:]]], [*outputs[:-1], wide]

    def forward(self, *inputs, train=False, rng=None):
        specs = [Spec(x.shape, x.dtype) for x in inputs]
        shapes, wide = self.infer_shape(*[s.shape for s in specs])[1], np.promote_types(inputs[0].dtype, np.float32)
        outputs = [np.empty(shape, wide) for shape in shapes]
        rnn_kernels.forward(self, [x.astype(wide, copy=False) for x in inputs], outputs, train, rng)
        return *[y.astype(inputs[0].dtype, copy=False) for y in outputs[:-1]], outputs[-1]

    def gradient(self, F, out_grads, inputs, outputs):
        *grads, gate_grads = F._backward_RNN(*out_grads[:-1], *inputs, outputs[0], outputs[-1], **self.attributes)
        return [lambda: F._rnn_data_grad(gate_grads, inputs[1], **self.attributes), *grads,
                *[None] * (len(inputs) - 2 - len(self.state_names))]


class _RecurrentGrad(_Recurrent):
    """Base class of the two gradient operators."""

    keeps = ()

    def gradient(self, F, out_grads, inputs, outputs):
        raise MXNetError("RNN: its gradient cannot be differentiated again. The cells of gluon.rnn, to which unfuse() "
                         "takes a layer, can.")


@register("grad", "state_grad", "state_cell_grad", "data", "parameters", "state", "state_cell", "sequence_length",
          "output", "reserve")
class _backward_RNN(_RecurrentGrad):
    """The gradients of parameters and states, from the gradients of the outputs of `RNN`, its inputs, first output and
    reserve. state_grad and state_cell_grad are inputs only with state_outputs.

    The last output, gate_grads (D, T, N, G H), is the gradient of the first layer's gates before their activation. From
    it, `_rnn_data_grad` computes the gradient of data. This is a separate product because few programs need it.
    """

    @property
    def num_outputs(self):
        return 2 + len(self.state_names)

    def list_arguments(self):
        states = [f"{name}_grad" for name in self.state_names] if self.state_outputs else []
        return ("grad", *states, *self.input_names(), "output", "reserve")

    def parts(self, values):
        """Returns all inputs as (gradients, inputs of RNN, output, reserve)."""
        grads = 1 + len(self.state_names) * self.state_outputs
        return values[:grads], values[grads:-2], values[-2], values[-1]

    def infer_shape(self, *shapes):
        forward_shapes = self.parts(shapes)[1]
        inputs, (*results, reserve) = RNN(**self.attributes).infer_shape(*forward_shapes)
        expected = [*results, *inputs, results[0], reserve]
        shapes = [self.require(*each) for each in zip(self.list_arguments(), shapes, expected, strict=True)]
        steps, batch, _ = inputs[0] or (None, None, None)
        gates = (self.sides, steps, batch, GATES[self.mode] * self.state_size)
        return shapes, [*inputs[1:self.num_outputs], gates]

    def infer_dtype(self, *dtypes):
        data, *others = self.parts(dtypes)[1]
        inputs, (*results, reserve) = RNN(**self.attributes).infer_dtype(
            self.require_dtype("grad", dtypes[0], data), *others)
        expected = [*results, *inputs, results[0], reserve]
        dtypes = [self.require_dtype(*each) for each in zip(self.list_arguments(), dtypes, expected, strict=True)]
        return dtypes, [*inputs[1:self.num_outputs], dtypes[-1]]

    def forward(self, *values):
        wide, dtype = values[-1].dtype, values[0].dtype
        shapes = self.infer_shape(*[x.shape for x in values])[1]
        results = [np.empty(shape, wide) for shape in shapes]
        rnn_kernels.backward(self, *self.parts([x.astype(wide, copy=False) for x in values]), results)
        return *[x.astype(dtype, copy=False) for x in results[:-1]], results[-1]


@register("gate_grads", "parameters")
class _rnn_data_grad(_RecurrentGrad):
    """The gradient of data, from gate_grads, the last output of `_backward_RNN`, and the parameters of `RNN`.

    gate_grads (D, T, N, G H) | parameters (size,) -> (T, N, inputs)
    """

    def infer_shape(self, gate_grads, parameters):
        gates = GATES[self.mode] * self.state_size
        gate_grads = self.require("gate_grads", gate_grads, (self.sides, None, None, gates))
        self.require_rank("parameters", parameters, 1)
        size = None if parameters in (None, (None,)) else input_size_of(self, parameters[0])
        count = None if size is None else parameter_size(self, size)
        return [gate_grads, self.require("parameters", parameters, (count,))], [(*gate_grads[1:3], size)]

    def infer_dtype(self, gate_grads, parameters):
        self.require_float("parameters", parameters)
        wide = None if parameters is None else np.promote_types(parameters, np.float32)
        return [self.require_dtype("gate_grads", gate_grads, wide), parameters], [parameters]

    def forward(self, gate_grads, parameters):
        grad = np.empty(self.infer_shape(gate_grads.shape, parameters.shape)[1][0], gate_grads.dtype)
        rnn_kernels.data_grad(self, gate_grads, parameters.astype(grad.dtype, copy=False), grad)
        return grad.astype(parameters.dtype, copy=False)
