"""RNN: one LSTM, GRU or RNN node per layer, which contains both directions."""

import numpy as np

from ......ops.rnn.layout import parameter_shapes
from ...constant_folding import known_array
from ...table import translates
from ...values import UntranslatableError

__all__ = []

# ONNX's order of the gates; in minigluon, the order is input, forget, candidate, output for an lstm and reset, update,
# candidate for a gru.
_GATES = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,)}
_ACTIVATIONS = {"rnn_tanh": "Tanh", "rnn_relu": "Relu"}


@translates("RNN", note="without projections or clipped cells")
def rnn(g, op, data, parameters, state, *more):
    """Writes the layers; dropout between them does nothing at inference."""
    if op.projection_size:
        raise UntranslatableError("ONNX has no LSTM with a projection")
    if op.lstm_state_clip_min is not None:
        raise UntranslatableError("ONNX clips gates, not cells")
    array = known_array(parameters)
    if array is None:
        raise UntranslatableError("its parameters are computed by the graph")
    weights = _weights(op, array, data.shape[2])
    cell = more[0] if op.mode == "lstm" else None
    lengths = g.cast(more[-1], np.int32) if op.use_sequence_length else None
    sizes = [op.sides] * op.num_layers
    states = g.split(state, sizes, 0)
    cells = [None] * op.num_layers if cell is None else g.split(cell, sizes, 0)
    x, last, last_cells = data, [], []
    for layer in range(op.num_layers):
        outputs = _layer(g, op, x, weights, layer, lengths, states[layer], cells[layer])
        y = g.transpose(outputs[0], [0, 2, 1, 3])
        x = g.reshape(y, (*data.shape[:2], op.sides * op.state_size)) if op.sides > 1 else g.squeeze(outputs[0], 1)
        last.append(outputs[1])
        last_cells += outputs[2:]
    results = [x]
    if op.state_outputs:
        results.append(g.concat(last, 0))
        results += [g.concat(last_cells, 0)] if last_cells else []
    return results


def _layer(g, op, x, weights, layer, lengths, state, cell):
    """Returns [all outputs (T, D, N, H), the final states (D, N, H) and, for an lstm, the final cells]."""
    sides = [f"{side}{layer}" for side in "lr"[:op.sides]]
    kind = {"lstm": "LSTM", "gru": "GRU"}.get(op.mode, "RNN")
    constants = []
    for part in ("W", "R", "B"):
        stacked = np.stack([weights[side, part] for side in sides])
        constants.append(g.constant(stacked, name=f"{g.prefix}_layer{layer}_{part}"))
    outputs = g.call(kind, x, *constants, lengths, state, cell, outputs=3 if kind == "LSTM" else 2,
                     hidden_size=op.state_size, direction="bidirectional" if op.sides > 1 else "forward",
                     linear_before_reset=1 if kind == "GRU" else None,
                     activations=[_ACTIVATIONS[op.mode]] * op.sides if kind == "RNN" else None)
    steps, batch = x.shape[:2]
    outputs[0].shape = (steps, op.sides, batch, op.state_size)
    for output in outputs[1:]:
        output.shape = (op.sides, batch, op.state_size)
    return outputs


def _weights(op, vector, input_size):
    """Returns ONNX's {(direction, 'W', 'R' or 'B'): array} from the packed vector."""
    parts, position = {}, 0
    for name, shape in parameter_shapes(op, input_size).items():
        size = int(np.prod(shape))
        parts[name] = _reordered(vector[position:position + size].reshape(shape), op)
        position += size
    arrays = {}
    for name in dict.fromkeys(name.partition("_")[0] for name in parts):
        arrays[name, "W"], arrays[name, "R"] = parts[f"{name}_i2h_weight"], parts[f"{name}_h2h_weight"]
        arrays[name, "B"] = np.concatenate([parts[f"{name}_i2h_bias"], parts[f"{name}_h2h_bias"]])
    return arrays


def _reordered(array, op):
    """Reorders the blocks of rows to match ONNX's gate order."""
    blocks = np.split(array, len(_GATES[op.mode]))
    return np.concatenate([blocks[gate] for gate in _GATES[op.mode]])
