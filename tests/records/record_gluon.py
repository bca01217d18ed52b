"""Record what MXNet 1.9.1 answers: run this with a Python that has `mxnet`, in the folder tests.

    python -m records.record_gluon

It writes into tests/records/data: mxnet_gluon.json (signatures, names, texts), mxnet_layers.npz and mxnet_losses.npz
(values and gradients), and mxnet_*.params (files of all three formats).
"""

import contextlib
import io
import json

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon, nd
from mxnet.gluon import loss, nn

from records import DATA
from records import gluon_cases as cases


def record_layer(name):
    """(texts, arrays) of one layer."""
    expression, _ = cases.LAYERS[name]
    with mx.name.NameManager():
        block = eval(expression)
    text = {"before": repr(block), "name": block.name}
    block.initialize()
    x = nd.array(cases.layer_input(name))
    block(x)
    params = list(block.collect_params().values())
    for param, value in zip(params, cases.parameter_values(name, [p.shape for p in params])):
        param.set_data(nd.array(value))
    x.attach_grad("null" if name == "embedding" else "write")
    with autograd.record(train_mode="dropout" not in name):
        y = block(x)
        head = nd.array(np.random.default_rng(0).normal(size=y.shape))
        total = (y * head).sum()
    total.backward()
    text["after"] = repr(block)
    text["params"] = [[p.name, list(p.shape), p.grad_req] for p in params]
    arrays = {"out": y.asnumpy()}
    if name != "embedding":         # MXNet's Embedding refuses to differentiate its indices
        arrays["x_grad"] = x.grad.asnumpy()
    for p in params:
        arrays[p.name] = p.grad().asnumpy() if p.grad_req != "null" else p.data().asnumpy()
    return text, {f"{name}/{key}": a for key, a in arrays.items()}


def record_loss(name):
    """(text, arrays) of one loss."""
    block = eval(cases.LOSSES[name][0])
    inputs = [nd.array(a) for a in cases.loss_inputs(name)]
    for x in inputs:
        x.attach_grad()
    if name == "poisson_full":      # where MXNet writes in place, which it refuses while recording
        return repr(block), {f"{name}/value": block(*inputs).asnumpy()}
    with autograd.record():
        value = block(*inputs)
    value.backward()
    arrays = {"value": value.asnumpy(), "grad": inputs[0].grad.asnumpy()}
    return repr(block), {f"{name}/{key}": a for key, a in arrays.items()}


def record_lenet():
    """Names and the table of `summary`; the files of the three formats."""
    net = cases.lenet(nn)
    net.initialize(mx.init.Xavier())
    x = nd.array(np.random.default_rng(0).normal(size=(2, 1, 28, 28)))
    net(x)              # otherwise MXNet's table shows symbols from its shape inference
    table = io.StringIO()
    with contextlib.redirect_stdout(table):
        net.summary(x)
    small = nn.HybridSequential(prefix="net_")
    with small.name_scope():
        small.add(nn.Dense(3, activation="relu"), nn.BatchNorm(), nn.Dense(2))
    small.initialize()
    for number, param in enumerate(small.collect_params().values()):
        small(nd.ones((2, 4)))
        param.set_data(nd.arange(param.data().size).reshape(param.shape) + number)
    small.hybridize()
    out = small(nd.ones((2, 4)))
    small.save_parameters(str(DATA / "mxnet_structural.params"))
    small.save_params(str(DATA / "mxnet_prefixed.params"))
    small.export(str(DATA / "mxnet_exported"))
    (DATA / "mxnet_exported-symbol.json").unlink()
    return {"summary": table.getvalue(), "names": list(net.collect_params()), "small_out": out.asnumpy().tolist(),
            "repr": repr(net)}


def main():
    texts = {"layers": {}, "losses": {}, "lenet": record_lenet()}
    modules = nn.basic_layers, nn.activations, nn.conv_layers, loss
    texts["signatures"] = {cls: cases.signature(getattr(module, cls)) for module in modules for cls in module.__all__}
    texts["signatures"]["Trainer"] = cases.signature(gluon.Trainer)
    texts["signatures"]["Parameter"] = cases.signature(gluon.Parameter)
    layers, losses = {}, {}
    for name in cases.LAYERS:
        texts["layers"][name], arrays = record_layer(name)
        layers.update(arrays)
    for name in cases.LOSSES:
        texts["losses"][name], arrays = record_loss(name)
        losses.update(arrays)
    (DATA / "mxnet_gluon.json").write_text(json.dumps(texts, indent=1))
    np.savez_compressed(DATA / "mxnet_layers.npz", **layers)
    np.savez_compressed(DATA / "mxnet_losses.npz", **losses)


if __name__ == "__main__":
    main()
