"""Wide and deep: a linear part on csr from LibSVM's format beside embeddings and layers; by Module, and in Gluon."""

import os
import tempfile

import numpy as np

from ._tools import draw, fixed

WIDE, WORDS, ROWS, BATCH = 50, (12, 9), 40, 8


def columns():
    """(wide columns (ROWS, 4), words (ROWS, 2), continuous features (ROWS, 3), labels (ROWS,))"""
    rng = np.random.RandomState(3)
    wide = np.array([np.sort(rng.choice(WIDE, 4, replace=False)) for _ in range(ROWS)])
    words = np.stack([rng.randint(0, count - 2, ROWS) for count in WORDS], 1)
    labels = (wide[:, 0] % 2 + words[:, 0] % 2 > 0).astype("float32")
    return wide, words, draw(4, ROWS, 3), labels


def network(mx):
    sym = mx.sym
    weight = sym.var("linear_weight", shape=(WIDE, 2), stype="row_sparse")
    linear = sym.sparse.dot(sym.var("csr_data", stype="csr"), weight)
    linear = sym.broadcast_add(linear, sym.var("linear_bias", shape=(2,)))
    dense = sym.var("dns_data")
    words = sym.split(sym.slice(dense, begin=(0, 0), end=(None, 2)), num_outputs=2, squeeze_axis=1)
    features = [sym.Embedding(words[i], sym.var(f"embed_{i}_weight", stype="row_sparse"), input_dim=count, output_dim=5,
                              sparse_grad=True, name=f"embed_{i}") for i, count in enumerate(WORDS)]
    features.append(sym.slice(dense, begin=(0, 2), end=(None, 5)))
    hidden = sym.FullyConnected(sym.Concat(*features, dim=1), num_hidden=8, name="fc1")
    deep = sym.FullyConnected(sym.Activation(hidden, act_type="relu"), num_hidden=2, name="fc2")
    return sym.SoftmaxOutput(linear + deep, sym.var("softmax_label"), name="model")


def libsvm(mx, folder, wide, labels):
    path = os.path.join(folder, "wide.libsvm")
    with open(path, "w") as file:
        for row, label in zip(wide, labels):
            file.write(f"{label:g} {' '.join(f'{column}:1' for column in row)}\n")
    return mx.io.LibSVMIter(data_libsvm=path, data_shape=(WIDE,), batch_size=BATCH)


def by_module(mx, show, optimizer, options, folder):
    wide, words, numbers, labels = columns()
    rows = libsvm(mx, folder, wide, labels)
    dense = np.concatenate([words.astype("float32"), numbers], 1)
    mod = mx.mod.Module(network(mx), data_names=["csr_data", "dns_data"], label_names=["softmax_label"])
    mod.bind(data_shapes=[("csr_data", (BATCH, WIDE)), ("dns_data", (BATCH, 5))],
             label_shapes=[("softmax_label", (BATCH,))])
    shapes = {"linear_weight": (WIDE, 2), "linear_bias": (2,), "embed_0_weight": (WORDS[0], 5),
              "embed_1_weight": (WORDS[1], 5), "fc1_weight": (8, 13), "fc1_bias": (8,), "fc2_weight": (2, 8),
              "fc2_bias": (2,)}
    mod.init_params(arg_params={name: mx.nd.array(draw(20 + i, *shape, scale=0.3))
                                for i, (name, shape) in enumerate(sorted(shapes.items()))}, aux_params={})
    mod.init_optimizer(kvstore=None, optimizer=optimizer, optimizer_params=dict(options))
    losses = []
    for _ in range(4):
        rows.reset()
        for number, batch in enumerate(rows):
            part = mx.nd.array(dense[number * BATCH:(number + 1) * BATCH])
            batch = mx.io.DataBatch(data=[batch.data[0], part], label=batch.label)
            mod.forward_backward(batch)
            p = mod.get_outputs()[0].asnumpy()
            losses.append(-np.log(p[np.arange(BATCH), batch.label[0].asnumpy().astype(int)]).mean())
            mod.update()
    show(f"module, {optimizer}: losses", np.array(losses))
    params, _ = mod.get_params()
    show(f"module, {optimizer}: parameters", [params["linear_weight"].asnumpy()[::9],
                                              params["embed_1_weight"].asnumpy()])


def in_gluon(mx, show, hybridize):
    gluon, nd, autograd = mx.gluon, mx.nd, mx.autograd
    wide, words, numbers, labels = columns()

    class WideAndDeep(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.wide = gluon.nn.Embedding(WIDE, 2, sparse_grad=True)
                self.embeds = [gluon.nn.Embedding(count, 5, sparse_grad=True) for count in WORDS]
                for number, block in enumerate(self.embeds):
                    self.register_child(block, f"embed{number}")
                self.hidden = gluon.nn.Dense(8, activation="relu")
                self.out = gluon.nn.Dense(2)

        def hybrid_forward(self, F, wide, words, numbers):
            parts = F.split(words, num_outputs=2, axis=1, squeeze_axis=True)
            features = [block(part) for block, part in zip(self.embeds, parts)]
            return self.wide(wide).sum(axis=1) + self.out(self.hidden(F.concat(*features, numbers, dim=1)))

    net = WideAndDeep(prefix="wd_")
    net.initialize(fixed(mx))
    if hybridize:
        net.hybridize()
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05, "wd": 0.01}, kvstore=None)
    losses = []
    for step in range(20):
        part = slice(step % 5 * BATCH, (step % 5 + 1) * BATCH)
        arrays = [nd.array(a[part]) for a in (wide, words, numbers, labels)]
        with autograd.record():
            value = loss(net(*arrays[:3]), arrays[3])
        value.backward()
        trainer.step(BATCH)
        losses.append(value.mean().asscalar())
    show(f"gluon, hybridized {hybridize}: losses", np.array(losses))
    grad = net.wide.weight.grad()
    show(f"gluon, hybridized {hybridize}: gradient", [grad.stype, grad.indices, grad.data])
    show(f"gluon, hybridized {hybridize}: parameters", [p.data() for p in net.collect_params().values()])


def run(mx, show):
    with tempfile.TemporaryDirectory() as folder:
        by_module(mx, show, "adam", {"learning_rate": 0.05}, folder)
        by_module(mx, show, "sgd", {"learning_rate": 0.3, "momentum": 0.9, "wd": 0.01}, folder)
    for hybridize in (False, True):
        in_gluon(mx, show, hybridize)
