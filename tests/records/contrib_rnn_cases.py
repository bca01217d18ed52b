"""Cells of gluon.contrib.rnn, as functions of MXNet or minigluon, with numbers of their own. No other imports."""

import numpy as np

LENGTH, BATCH = 3, 2


def cells(mx):
    """{name: (cell, shape of one step's input)}"""
    rnn = mx.gluon.contrib.rnn
    shapes = {1: (2, 5), 2: (2, 4, 5), 3: (1, 3, 2, 3)}
    found = {}
    for rank, shape in shapes.items():
        for kind in ("RNN", "LSTM", "GRU"):
            cell = getattr(rnn, f"Conv{rank}D{kind}Cell")(shape, 2, (3,) * rank, (3,) * rank, (1,) * rank, prefix="c_")
            found[f"Conv{rank}D{kind}"] = cell, shape
    found["Conv1DGRU_dilated"] = rnn.Conv1DGRUCell((2, 6), 3, (2,), (3,), (1,), i2h_dilate=(2,), h2h_dilate=(2,),
                                                   activation="relu", prefix="c_"), (2, 6)
    found["LSTMP"] = rnn.LSTMPCell(4, 2, input_size=5, prefix="c_"), (5,)
    inner = rnn.LSTMPCell(4, 2, input_size=5, prefix="c_")
    found["VariationalDropout"] = rnn.VariationalDropoutCell(inner, 0.5, 0.5, 0.5), (5,)
    return found


def numbers(shape, start):
    """Numbers between -1 and 1, in no order."""
    return np.sin(np.arange(start, start + np.prod(shape), dtype="float64") * 1.7).reshape(shape).astype("float32")


def run(mx, cell, shape):
    """(output, gradient of the input) of LENGTH steps, while predicting."""
    cell.initialize()
    inputs = mx.nd.array(numbers((BATCH, LENGTH, *shape), 3))
    for number, (_, param) in enumerate(sorted(cell.collect_params().items())):
        param.set_data(mx.nd.array(numbers(param.shape, 10 * number)))
    inputs.attach_grad()
    with mx.autograd.record(train_mode=False):
        outputs, _ = cell.unroll(LENGTH, inputs, layout="NTC", merge_outputs=True)
    outputs.backward(mx.nd.array(numbers(outputs.shape, 1)), train_mode=False)
    return outputs.asnumpy(), inputs.grad.asnumpy()
