"""Recurrent layers, cells and graphs that both libraries make: `mx` is the real MXNet 1.9.1 or minigluon."""

import json

import numpy as np

STEPS, BATCH, INPUTS = 4, 3, 5
LENGTHS = [4, 1, 2]


def layers(mx):
    """{name: layer}; 'NTC' in the name is its layout."""
    rnn = mx.gluon.rnn
    made = {
        "relu": rnn.RNN(4), "tanh 2 both": rnn.RNN(4, 2, activation="tanh", bidirectional=True),
        "lstm": rnn.LSTM(4), "lstm 2 NTC": rnn.LSTM(4, 2, layout="NTC"),
        "lstm 2 both": rnn.LSTM(4, 2, bidirectional=True, i2h_bias_initializer=mx.init.LSTMBias(1.5)),
        "gru": rnn.GRU(4), "gru 3 both NTC": rnn.GRU(3, 3, bidirectional=True, layout="NTC", input_size=INPUTS),
        "gru dropped": rnn.GRU(4, 2, dropout=0.5),
        "projected": rnn.LSTM(4, 2, projection_size=3),         # MXNet has no gradient for it on the CPU
    }
    return made


def cells(mx):
    """{name: (cell, how to unroll it)}"""
    rnn = mx.gluon.rnn

    def stacked(kind, *parts):
        cell = kind()
        with cell.name_scope():
            for part in parts:
                cell.add(part())
        return cell

    both = lambda left, right, i: rnn.BidirectionalCell(left(3, prefix=f"l{i}_"), right(3, prefix=f"r{i}_"))
    plain, lstm, gru = (lambda: rnn.RNNCell(5)), (lambda: rnn.LSTMCell(5)), (lambda: rnn.GRUCell(5))
    residual = lambda: rnn.ResidualCell(rnn.GRUCell(5))
    return {
        "rnn": (plain(), {}), "lstm": (lstm(), {"layout": "TNC", "merge_outputs": True}), "gru": (gru(), {}),
        "lstm softsign": (rnn.LSTMCell(3, activation="relu", recurrent_activation="softsign"), {}),
        "lstm lengths": (lstm(), {"lengths": True}), "gru lengths": (gru(), {"lengths": True, "merge_outputs": False}),
        "both": (both(rnn.RNNCell, rnn.GRUCell, 0), {}),
        "both lengths": (both(rnn.LSTMCell, rnn.LSTMCell, 1), {"lengths": True, "merge_outputs": True}),
        "residual": (residual(), {"merge_outputs": True}), "residual lengths": (residual(), {"lengths": True}),
        "zoneout": (rnn.ZoneoutCell(lstm(), 0.3, 0.4), {}),     # not training: nothing is kept
        "stack": (stacked(rnn.SequentialRNNCell, plain, lambda: rnn.DropoutCell(0.5), residual, lstm), {}),
        "hybrid stack": (stacked(rnn.HybridSequentialRNNCell, lstm, residual, lambda: rnn.DropoutCell(0.2)),
                         {"lengths": True, "merge_outputs": True, "layout": "TNC"}),
    }


def fill(mx, block):
    """The same values in both, by the order of the names."""
    params = block.collect_params()
    for number, name in enumerate(sorted(params.keys(), key=lambda name: name.split("_", 1)[-1])):
        value = np.random.default_rng(number).uniform(-0.6, 0.6, params[name].shape)
        params[name].set_data(mx.nd.array(value))


def inputs(mx, layout):
    shape = (STEPS, BATCH, INPUTS) if layout == "TNC" else (BATCH, STEPS, INPUTS)
    return mx.nd.array(np.random.default_rng(1).uniform(-1, 1, shape))


def flat(value):
    return [leaf for item in value for leaf in flat(item)] if isinstance(value, (list, tuple)) else [value]


def weighted(mx, outputs):
    """A number that all outputs count for."""
    total = 0
    for number, y in enumerate(outputs):
        total = total + (y * mx.nd.array(np.random.default_rng(9 + number).uniform(.5, 1.5, y.shape))).sum()
    return total


def run(mx, block, call, layout, differentiate=True):
    """{name: array}: outputs and states, the gradients of the inputs and of all parameters, not training."""
    x = inputs(mx, layout)
    block.initialize()
    call(x)
    fill(mx, block)
    x.attach_grad()
    with mx.autograd.record(train_mode=False) if differentiate else mx.autograd.predict_mode():
        outputs = flat(call(x))
        total = weighted(mx, outputs)
    found = {f"out{number}": y.asnumpy() for number, y in enumerate(outputs)}
    if differentiate:
        total.backward(train_mode=False)
        found["x"] = x.grad.asnumpy()
        names = sorted(block.collect_params().keys(), key=lambda name: name.split("_", 1)[-1])
        found.update({f"grad{i}": block.collect_params()[name].grad().asnumpy() for i, name in enumerate(names)})
    return found


def run_layer(mx, name, layer):
    layout = "NTC" if "NTC" in name else "TNC"
    states = [mx.nd.array(np.random.default_rng(2 + i).uniform(-1, 1, info["shape"]))
              for i, info in enumerate(layer.state_info(BATCH))]
    return run(mx, layer, lambda x: layer(x, states), layout, "projected" not in name and "dropped" not in name)


def run_cell(mx, cell, how):
    how = dict(how)
    lengths = {"valid_length": mx.nd.array(LENGTHS)} if how.pop("lengths", False) else {}
    return run(mx, cell, lambda x: cell.unroll(STEPS, x, **how, **lengths), how.get("layout", "NTC"))


def texts(mx):
    """{name: text}: how things print, and what they call their parameters."""
    rnn = mx.gluon.rnn
    found = {}
    with mx.name.NameManager():
        for name, block in [*layers(mx).items(), *((n, c) for n, (c, _) in cells(mx).items())]:
            params = [f"{key} {p.shape}" for key, p in block.collect_params().items()]
            files = sorted(block._collect_params_with_prefix())
            found[name] = [repr(block), block.name, params, files]
        unfused = rnn.LSTM(4, 2, dropout=0.3, bidirectional=True, input_size=INPUTS)._unfuse()
        found["unfused"] = [repr(unfused), unfused.name, sorted(unfused.collect_params().keys())]
        found["states"] = [str(layer.state_info(2)) for layer in layers(mx).values()]
    return found


def graphs(mx):
    """{name: nodes of a graph}, those of gluon's cells and layers, then those of mx.rnn."""
    found = {}
    with mx.name.NameManager():
        for name, layer in layers(mx).items():
            found[f"layer {name}"] = layer(mx.sym.var("x"))
        for name, (cell, how) in cells(mx).items():
            how = dict(how)
            lengths = {"valid_length": mx.sym.var("lengths")} if how.pop("lengths", False) else {}
            found[f"cell {name}"] = cell.unroll(2, mx.sym.var("x"), **how, **lengths)
    with mx.name.NameManager():
        for name, (cell, how) in symbolic_cells(mx).items():
            found[f"symbolic {name}"] = cell.unroll(2, **{"inputs": mx.sym.var("x"), **how})
    return {name: nodes(mx.sym.Group(flat(value))) for name, value in found.items()}


def symbolic_cells(mx):
    """{name: (cell of mx.rnn, how to unroll it)}"""
    rnn = mx.rnn
    stack = rnn.SequentialRNNCell()
    for cell in (rnn.RNNCell(5, prefix="p_"), rnn.DropoutCell(0.4), rnn.ResidualCell(rnn.LSTMCell(5, prefix="q_"))):
        stack.add(cell)
    made = {"rnn": (rnn.RNNCell(3, activation="relu"), {}), "lstm": (rnn.LSTMCell(3, forget_bias=2.0), {}),
            "gru": (rnn.GRUCell(3), {"layout": "TNC", "merge_outputs": True}), "stack": (stack, {}),
            "both": (rnn.BidirectionalCell(rnn.RNNCell(3, prefix="l_"), rnn.GRUCell(3, prefix="r_")), {}),
            "both merged": (rnn.BidirectionalCell(rnn.RNNCell(3, prefix="l_"), rnn.GRUCell(3, prefix="r_")),
                            {"merge_outputs": True}),
            "zoneout": (rnn.ZoneoutCell(rnn.RNNCell(3, prefix="z_"), 0.3, 0.4), {}),
            "residual": (rnn.ResidualCell(rnn.RNNCell(5, prefix="w_")), {"merge_outputs": True})}
    for mode in ("rnn_tanh", "lstm", "gru"):
        fused = rnn.FusedRNNCell(3, 2, mode, bidirectional=mode != "gru", dropout=0.3, get_next_state=mode == "lstm")
        made[f"fused {mode}"] = fused, {"layout": "TNC"}
        made[f"unfused {mode}"] = fused.unfuse(), {}
    for kind in (rnn.ConvRNNCell, rnn.ConvLSTMCell, rnn.ConvGRUCell):
        steps = {"inputs": [mx.sym.var("a"), mx.sym.var("b")]}
        made[kind.__name__] = kind((1, 3, 8, 6), 4), steps
        made[f"{kind.__name__} tanh"] = kind((1, 3, 8, 6), 4, h2h_kernel=(5, 3), h2h_dilate=(2, 1), i2h_stride=(2, 1),
                                             i2h_pad=(1, 2), activation="tanh", prefix="conv_"), steps
    made["fused NTC"] = rnn.FusedRNNCell(3, prefix="n_"), {"merge_outputs": False}
    return made


def nodes(symbol):
    """The graph as its file has it: operator, name, attributes and inputs of each node; outputs; counts of outputs."""
    graph = json.loads(symbol.tojson())
    rows = [[node["op"], node["name"], dict(sorted(node.get("attrs", {}).items())), [i[:2] for i in node["inputs"]]]
            for node in graph["nodes"]]
    return [rows, [head[:2] for head in graph["heads"]], graph["node_row_ptr"]]
