"""The networks of the model zoo, with parameters and images that are the same in MXNet and here."""

import hashlib
import json
import zlib

import numpy as np

NAMES = [
    "alexnet", "densenet121", "densenet161", "densenet169", "densenet201", "inceptionv3", "mobilenet0.25",
    "mobilenet0.5", "mobilenet0.75", "mobilenet1.0", "mobilenetv2_0.25", "mobilenetv2_0.5", "mobilenetv2_0.75",
    "mobilenetv2_1.0", "resnet101_v1", "resnet101_v2", "resnet152_v1", "resnet152_v2", "resnet18_v1", "resnet18_v2",
    "resnet34_v1", "resnet34_v2", "resnet50_v1", "resnet50_v2", "squeezenet1.0", "squeezenet1.1", "vgg11", "vgg11_bn",
    "vgg13", "vgg13_bn", "vgg16", "vgg16_bn", "vgg19", "vgg19_bn"]

# Networks that take small images, with the side of those: what MXNet computes for them is kept.
SMALL = {"mobilenet0.25": 64, "mobilenetv2_0.25": 64, "resnet18_v1": 32, "resnet50_v2": 32, "squeezenet1.1": 224}


def build(mx, name, **kwargs):
    """A network whose names count from 0, not initialized."""
    with mx.name.NameManager():
        return mx.gluon.model_zoo.vision.get_model(name, **kwargs)


def side(name):
    """Of the square images that a network is made for."""
    return 299 if name == "inceptionv3" else 224


def image(batch, pixels):
    """float32 (batch, 3, pixels, pixels), about as pretrained networks want them."""
    return np.random.RandomState(pixels).uniform(-1.5, 1.5, (batch, 3, pixels, pixels)).astype("float32")


def value(name, shape):
    """A parameter's value, float32, from its name: weights that keep the size of what passes, some statistics."""
    random = np.random.RandomState(zlib.crc32(name.encode()))
    if name.endswith(("gamma", "running_var")):
        return random.uniform(0.5, 1.5, shape).astype("float32")
    if len(shape) == 1:
        return random.uniform(-0.2, 0.2, shape).astype("float32")
    width = np.sqrt(6 / np.prod(shape[1:]))
    return random.uniform(-width, width, shape).astype("float32")


def fill(mx, net):
    """Give every parameter its value. The names count without the network's own prefix."""
    for name, param in net.collect_params().items():
        param.set_data(mx.nd.array(value(name[len(net.prefix):], param.shape)))


def build_filled(mx, name, pixels=None, **kwargs):
    """(a network with values, images for it): of the size that it is made for, or of `pixels`."""
    net, x = build(mx, name, **kwargs), mx.nd.array(image(1, pixels or side(name)))
    net.initialize(mx.init.Zero())
    net.infer_shape(x)
    for param in net.collect_params().values():
        param._finish_deferred_init()
    fill(mx, net)
    return net, x


def summary(mx, name):
    """What has to agree: the number of parameters, and hashes of their names with shapes, of structural names, of the
    printed form and of the graph."""
    net = build(mx, name)
    graph = net(mx.sym.var("data"))
    shapes = shapes_of(graph, name)
    params = [(p.name, list(shapes[p.name]), p.grad_req) for p in net.collect_params().values()]
    trained = sum(int(np.prod(shape)) for _, shape, grad_req in params if grad_req != "null")
    structure = [(key, p.name) for key, p in net._collect_params_with_prefix().items()]
    # `+` between symbols broadcasts here, and carries a mark.
    mark = '"attrs": {"__operands__": "alike"}, \n      '
    text = graph.tojson().replace("broadcast_add", "elemwise_add").replace(mark, "")
    return {"trained": trained, "params": digest(params), "structure": digest(structure), "printed": digest(repr(net)),
            "graph": digest(text)}


def shapes_of(graph, name):
    """{variable: shape} of a network's graph."""
    arguments, _, states = graph.infer_shape(data=(1, 3, side(name), side(name)))
    return dict(zip(graph.list_arguments() + graph.list_auxiliary_states(), arguments + states))


def digest(thing):
    """Sixteen digits that stand for a text or for lists of texts and numbers."""
    return hashlib.sha256(json.dumps(thing).encode()).hexdigest()[:16]


def without_dropout(net):
    """Dropout draws other numbers in each library."""
    net.apply(lambda block: setattr(block, "_rate", 0) if type(block).__name__ == "Dropout" else None)
    return net


def with_exact_momentum(net):
    """MXNet's operators take their numbers in float32, minigluon's as they are: 0.875 is the same in both."""
    net.apply(lambda block: block._kwargs.update(momentum=0.875) if type(block).__name__ == "BatchNorm" else None)
    return net


def scores_and_training(mx, net, name):
    """What a network computes from its values, hybridized: {"WHAT of WHICH": array}.

    WHAT is "scores", (1, classes) in prediction and float32. The rest is in float64, where rounding turns no sign of
    what relu sees: "gradient" in a training step on two images, and "change", what two steps of sgd with momentum add
    to a parameter. The second step is there because momentum has no part in the first one.
    """
    with_exact_momentum(without_dropout(net)).hybridize()
    found = {"scores of one image": net(mx.nd.array(image(1, side(name)))).asnumpy()}
    net.cast("float64")
    x, label = (mx.nd.array(a, dtype="float64") for a in (image(2, side(name)), [3, 5]))
    if name.endswith("_v2"):
        x.attach_grad()     # MXNet updates statistics in backward: in the first layer, without weights, only so
    weights, statistics = watched_parameters(net)
    before = {param.name: param.data().asnumpy() for param in weights + statistics}
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    loss.hybridize()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 2 ** -12, "momentum": 0.875,
                                                             "wd": 2 ** -13})
    for step in range(2):
        with mx.autograd.record():
            value = loss(net(x), label)
        value.backward()
        if step == 0:
            found.update({f"gradient of {param.name}": param.grad().asnumpy() for param in weights})
        trainer.step(2)
    found.update({f"change of {param.name}": param.data().asnumpy() - before[param.name]
                  for param in weights + statistics})
    return found


def watched_parameters(net):
    """(the first, the middle and the last weight, all running means and variances)"""
    params = list(net.collect_params().values())
    trained = [param for param in params if param.grad_req != "null" and param.name.endswith("weight")]
    return ([trained[0], trained[len(trained) // 2], trained[-1]],
            [param for param in params if param.name.endswith(("running_mean", "running_var"))])
