"""BucketingModule: a recurrent net of one's own symbols, unrolled to the length of each batch."""

from ._tools import draw

VOCABULARY, HIDDEN, SIZE = 7, 5, 4


def generate(mx):
    def unrolled(length):
        data, label = mx.sym.var("data"), mx.sym.var("softmax_label")
        weights = {name: mx.sym.var(name) for name in ("i2h_weight", "i2h_bias", "h2h_weight", "h2h_bias")}
        words = mx.sym.Embedding(data, input_dim=VOCABULARY, output_dim=HIDDEN, name="embed")
        words = mx.sym.SliceChannel(words, num_outputs=length, squeeze_axis=True, name="words")
        hidden, steps = None, []
        for t in range(length):
            step = mx.sym.FullyConnected(words[t], weights["i2h_weight"], weights["i2h_bias"], num_hidden=HIDDEN,
                                         name=f"t{t}_i2h")
            if hidden is not None:
                step = step + mx.sym.FullyConnected(hidden, weights["h2h_weight"], weights["h2h_bias"],
                                                    num_hidden=HIDDEN, name=f"t{t}_h2h")
            hidden = mx.sym.Activation(step, act_type="tanh", name=f"t{t}")
            steps.append(hidden)
        scores = mx.sym.FullyConnected(mx.sym.concat(*steps, dim=0), num_hidden=VOCABULARY, name="out")
        labels = mx.sym.Reshape(mx.sym.transpose(label), shape=(-1,))
        return mx.sym.SoftmaxOutput(scores, labels, name="softmax"), ["data"], ["softmax_label"]

    return unrolled


def values(mx):
    shapes = {"embed_weight": (VOCABULARY, HIDDEN), "i2h_weight": (HIDDEN, HIDDEN), "i2h_bias": (HIDDEN,),
              "h2h_weight": (HIDDEN, HIDDEN), "h2h_bias": (HIDDEN,), "out_weight": (VOCABULARY, HIDDEN),
              "out_bias": (VOCABULARY,)}
    return {name: mx.nd.array(draw(seed, *shape, scale=0.4)) for seed, (name, shape) in enumerate(shapes.items())}


def batches(mx):
    for number, length in enumerate((5, 3, 5, 2, 3)):
        data = (draw(20 + number, SIZE, length) * 10).astype(int) % VOCABULARY
        label = (data + 1) % VOCABULARY
        yield mx.io.DataBatch(
            [mx.nd.array(data)], [mx.nd.array(label)], pad=0, bucket_key=length,
            provide_data=[mx.io.DataDesc("data", (SIZE, length))],
            provide_label=[mx.io.DataDesc("softmax_label", (SIZE, length))])


def run(mx, show):
    mod = mx.mod.BucketingModule(generate(mx), default_bucket_key=5)
    mod.bind([("data", (SIZE, 5))], [("softmax_label", (SIZE, 5))])
    mod.init_params(arg_params=values(mx), aux_params={})
    mod.init_optimizer(optimizer="adam", optimizer_params={"learning_rate": 0.05})
    for epoch in range(2):
        for number, batch in enumerate(batches(mx)):
            mod.forward(batch, is_train=True)
            mod.backward()
            mod.update()
            show(f"outputs {epoch} {number}", mod.get_outputs()[0])
    args, _ = mod.get_params()
    show("parameters", [args[key] for key in sorted(args)])
    show("names", [mod.data_names, mod.output_names, mod.data_shapes, mod.symbol.list_arguments()[:3]])
