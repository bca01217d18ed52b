"""A factorization machine on rows in csr: Module with row_sparse weights, and dense ones; Adam, SGD, AdaGrad, Ftrl."""

import numpy as np

from ._tools import draw

FEATURES, FACTORS, ROWS = 40, 4, 48


def machine(mx, stype):
    """w0 + x · w + ((x · v)² - x² · v²) / 2"""
    sym = mx.sym
    x = sym.var("data", stype="csr")
    v = sym.var("v", shape=(FEATURES, FACTORS), stype=stype)
    w = sym.var("w", shape=(FEATURES, 1), stype=stype)
    linear = sym.broadcast_add(sym.dot(x, w), sym.var("bias", shape=(1,)))
    v_s = sym._internal._square_sum(v, axis=1, keepdims=True) if stype == "row_sparse" else \
        sym.sum(sym.square(v), axis=1, keepdims=True)
    single = sym.dot(sym.square(x), v_s)
    both = 0.5 * sym.square(sym.dot(x, v))
    total = sym.sum(sym.Concat(linear, both, dim=1), axis=1, keepdims=True)
    return sym.LogisticRegressionOutput(sym.elemwise_add(total, 0.5 * sym.negative(single)), sym.var("softmax_label"),
                                        name="out")


def batches(mx, size=8):
    """Batches of rows with three features each, and labels."""
    rng = np.random.RandomState(7)
    columns = np.array([rng.choice(FEATURES // 2, 3, replace=False) for _ in range(ROWS)])
    values = draw(8, ROWS, 3)
    labels = (values.sum(1) + 0.3 * draw(9, ROWS) > 0).astype("float32")
    found = []
    for begin in range(0, ROWS, size):
        part = slice(begin, begin + size)
        x = mx.nd.sparse.csr_matrix((values[part].ravel(), columns[part].ravel(), np.arange(0, 3 * size + 1, 3)),
                                    shape=(size, FEATURES))
        found.append(mx.io.DataBatch(data=[x], label=[mx.nd.array(labels[part]).reshape((size, 1))]))
    return found


def rows_of(batch):
    """The rows that a batch needs."""
    return {"v": batch.data[0].indices, "w": batch.data[0].indices}


def loss(outputs, batch):
    p, y = outputs[0].asnumpy()[:, 0], batch.label[0].asnumpy()[:, 0]
    return float(-np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)))


def run(mx, show):
    data = batches(mx)
    for number, (optimizer, options) in enumerate([
            ("adam", {"learning_rate": 0.05}), ("sgd", {"learning_rate": 0.4, "momentum": 0.9, "wd": 0.01}),
            ("adagrad", {"learning_rate": 0.3, "wd": 0.0}), ("ftrl", {"learning_rate": 0.5})]):
        for stype in ("row_sparse", "default") if optimizer != "ftrl" else ("row_sparse",):
            mod = mx.mod.Module(machine(mx, stype), data_names=["data"], label_names=["softmax_label"])
            mod.bind(data_shapes=[("data", (8, FEATURES))], label_shapes=[("softmax_label", (8, 1))])
            first = {"v": mx.nd.array(draw(1, FEATURES, FACTORS, scale=0.2)), "bias": mx.nd.zeros((1,)),
                     "w": mx.nd.array(draw(2, FEATURES, 1, scale=0.1))}
            mod.init_params(arg_params=first, aux_params={})
            mod.init_optimizer(kvstore=None, optimizer=optimizer, optimizer_params=dict(options))
            losses = []
            for step in range(20):
                batch = data[step % len(data)]
                mod.prepare(batch, sparse_row_id_fn=rows_of)
                mod.forward_backward(batch)
                losses.append(loss(mod.get_outputs(), batch))
                mod.update()
            show(f"{number} {optimizer} {stype}: losses", np.array(losses))
            params, _ = mod.get_params()
            show(f"{number} {optimizer} {stype}: v", params["v"].asnumpy()[::5])
