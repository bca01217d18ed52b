"""Graphs that `contrib.amp` converts, with the arguments, for MXNet and for minigluon; and steps of a LossScaler."""


def graphs(sym):
    """{name: (graph, arguments of convert_symbol)}"""
    data = sym.var("data")

    def dense(x, name):
        return sym.FullyConnected(x, num_hidden=4, no_bias=True, name=name)

    def exp(x, name):
        return sym.exp(x, name=name)

    a, b = dense(data, "a"), dense(data, "b")
    conv = sym.Convolution(data, kernel=(3, 3), num_filter=4, name="conv")
    relu = sym.Activation(sym.BatchNorm(conv, name="bn"), act_type="relu", name="relu")
    last = sym.FullyConnected(sym.Pooling(relu, kernel=(2, 2), name="pool"), num_hidden=5, name="last")
    net = sym.SoftmaxOutput(last, name="softmax")
    plain = sym.relu(data, name="plain")
    split = sym.SliceChannel(a, num_outputs=2, name="split")
    embedding = sym.Embedding(data, input_dim=3, output_dim=4, name="embedding")
    rows = {
        "net": (net, {}),
        "net, excluded": (net, {"excluded_sym_names": ["last"]}),
        "net, other lists": (net, {"target_dtype_ops": ["FullyConnected", "Pooling"]}),
        "net, other conditions": (net, {"conditional_fp32_ops": [("Activation", "act_type", ["relu"])]}),
        "net in bfloat16": (net, {"target_dtype": "bfloat16"}),
        "widest of known types": (sym.elemwise_add(a, exp(data, "e"), name="sum"), {}),
        "widest of narrow types": (sym.Group([exp(sym.elemwise_add(a, b, name="sum"), "e"),
                                              dense(sym.elemwise_add(a, b, name="other"), "c")]), {}),
        "widest of unknown types": (sym.elemwise_add(plain, exp(data, "e"), name="sum"), {}),
        "unknown and known": (dense(sym.elemwise_add(sym.elemwise_add(plain, a, name="one"), exp(data, "e"),
                                                     name="two"), "c"), {}),
        "widest with a variable": (sym.broadcast_mul(a, sym.var("v"), name="product"), {}),
        "widest of one array twice": (sym.elemwise_add(a, a, name="sum"), {}),
        "widest, excluded": (sym.elemwise_add(a, exp(data, "e"), name="sum"), {"excluded_sym_names": ["sum"]}),
        "shared conversions": (sym.Group([exp(a, "e"), sym.log(a, name="l"), dense(a, "c"), sym.softmax(a, name="s")]),
                               {}),
        "condition": (sym.Activation(a, act_type="softrelu", name="s"), {}),
        "condition does not hold": (sym.Activation(a, act_type="relu", name="s"), {}),
        "several outputs": (sym.Group([exp(split[1], "e1"), exp(split[0], "e0")]), {}),
        "others pass on": (exp(sym.relu(exp(data, "e1"), name="r"), "e2"), {}),
        "others of a variable": (exp(plain, "e"), {}),
        "others of several types": (sym.broadcast_like(a, exp(data, "e"), name="like"), {}),
        "excluded other": (sym.relu(a, name="r"), {"excluded_sym_names": ["r"]}),
        "heads": (sym.Group([exp(data, "e"), plain, data]), {}),
        "a cast": (sym.Cast(a, dtype="float32", name="cast"), {}),
        "parameters": (dense(embedding, "c"), {"data_names": ["data"]}),
        "parameters are declared": (dense(embedding, "c"), {"data_names": ["data"], "cast_optional_params": True}),
        "parameters that others take": (
            sym.elemwise_add(dense(data, "c"), sym.relu(sym.var("w"), name="r"), name="sum"),
            {"data_names": ["data"], "cast_optional_params": True}),
        "recurrent": (sym.RNN(data, sym.var("p"), sym.var("state"), state_size=3, num_layers=1, mode="rnn_relu",
                              name="rnn"), {}),
        "joined": (sym.concat(sym.var("v"), a, dim=1, name="joined"), {}),
    }
    return rows


# Does a step overflow? With a window of 3 steps.
WINDOW = 3
STEPS = [0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]


def outline(nodes):
    """[(operator, its attributes that say what is converted, inputs)] of a symbol file's nodes, variables by name."""
    return [[node["op"], *(({k: v for k, v in node.get("attrs", {}).items() if k in ("dtype", "__dtype__")},)
                           if node["op"] in ("null", "amp_cast") else ()),
             node["name"] if node["op"] in ("null", "FullyConnected", "Convolution") else "",
             [pair[:2] for pair in node["inputs"]]] for node in nodes]
