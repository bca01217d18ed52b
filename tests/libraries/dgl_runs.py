"""DGL 1.0.4 with its mxnet backend: messages on graphs and their gradients, layers that train.

    python tests/libraries/dgl_runs.py --python /tmp/dgl/bin/python

DGL 1.1 and later import PyTorch whichever backend is chosen.
"""

import os
import sys

import numpy as np
from runner import main

os.environ["DGLBACKEND"] = "mxnet"
SOURCES, TARGETS = [0, 1, 2, 3, 4, 5, 0, 2], [1, 2, 3, 4, 5, 0, 3, 5]
STEPS = 100


def graph():
    import dgl
    return dgl.add_self_loop(dgl.graph((np.array(SOURCES), np.array(TARGETS))))


def imports():
    import dgl
    assert dgl.backend.backend_name == "mxnet"
    return f"DGL {dgl.__version__}"


def messages():
    """Sums over incoming edges and their gradients, beside the adjacency matrix."""
    import dgl.function as fn
    from mxnet import autograd, nd
    g, x = graph(), nd.array(np.random.RandomState(0).randn(6, 4))
    dense = np.eye(6, dtype="float32")
    dense[TARGETS, SOURCES] += 1
    x.attach_grad()
    with autograd.record():
        g.ndata["h"] = x
        g.update_all(fn.copy_u("h", "m"), fn.sum("m", "out"))
        loss = (g.ndata["out"] ** 2).sum()
    loss.backward()
    np.testing.assert_allclose(g.ndata["out"].asnumpy(), dense @ x.asnumpy(), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(x.grad.asnumpy(), 2 * dense.T @ dense @ x.asnumpy(), rtol=1e-5, atol=1e-5)


def softmax_of_edges():
    from dgl.nn.mxnet import edge_softmax
    from mxnet import nd
    g = graph()
    weights = edge_softmax(g, nd.array(np.random.RandomState(1).randn(g.number_of_edges(), 1))).asnumpy().ravel()
    sums = np.bincount(np.array(g.edges()[1].asnumpy(), int), weights)
    np.testing.assert_allclose(sums, np.ones(6), rtol=1e-5)


def trains(make):
    """Two layers of a kind on six nodes: the loss of the first step and of the last one."""
    from mxnet import autograd, gluon, init, nd
    g, x = graph(), nd.array(np.random.RandomState(0).randn(6, 4))
    y = nd.array([0, 1, 0, 1, 0, 1])
    net = gluon.nn.Sequential()
    first, second = make(4, 8), make(8, 2)
    net.add(first, second)
    net.initialize(init.Xavier(magnitude=2))
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
    loss, losses = gluon.loss.SoftmaxCELoss(), []
    for _ in range(STEPS):
        with autograd.record():
            hidden = nd.relu(first(g, x).reshape((6, 8)))
            error = loss(second(g, hidden).reshape((6, 2)), y)
        error.backward()
        trainer.step(6)
        losses.append(error.mean().asscalar())
    assert losses[-1] < 0.8 * losses[0], (losses[0], losses[-1])
    return f"loss {losses[0]:.3f} to {losses[-1]:.3f} in {STEPS} steps"


def layer(name, *args, **kwargs):
    def make(inputs, outputs):
        import dgl.nn.mxnet as layers
        return getattr(layers, name)(inputs, outputs, *args, **kwargs)
    return lambda: trains(make)


CASES = {"import": imports, "messages": messages, "edge_softmax": softmax_of_edges, "GraphConv": layer("GraphConv"),
         "GATConv": layer("GATConv", 1), "SAGEConv mean": layer("SAGEConv", "mean"),
         "SAGEConv pool": layer("SAGEConv", "pool"), "TAGConv": layer("TAGConv"), "SGConv": layer("SGConv"),
         "ChebConv": layer("ChebConv", 2)}

if __name__ == "__main__":
    sys.exit(main(__file__, CASES))
