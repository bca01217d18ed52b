"""The measured programs in JAX, each as one function with `jax.jit`.

Parameters are arguments of each call, as in JAX's layer libraries. Programs of `programs_torch` that are missing from
this table are not implemented.
"""

from functools import partial

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp

from . import convolutional_jax, transformers_jax
from .layers_jax import Parameters, conv, dense, embed, flatten, make_parameters, max_pool, mean_pool
from .names import programs_of

__all__ = ["MODES", "makers"]

MODES = {"jax": ["jit"]}


def makers(sizes):
    """Return {name: function of a mode that sets up the program and returns the function that runs it once}."""
    recurrent = {kind: (partial(text, kind), "text_batch") for kind in CELLS}
    return {
        **programs_of(NETS, sizes, forward, train_step),
        **{f"{net} forward": partial(forward, make, sizes)
           for net, (make, _) in {**NETS, **recurrent}.items() if net in ("lenet", "alexnet", "resnet", *recurrent)},
        **{f"{net} train step": partial(train_step, make, sizes) for net, (make, _) in recurrent.items()},
        "mlp forward": partial(forward, mlp, sizes),
        "lenet256 forward": partial(forward, lenet, large(sizes)),
        "lenet256 train step": partial(train_step, lenet, large(sizes)),
        "deep mlp forward": partial(forward, deep_mlp, sizes),
        "deep mlp train step": partial(train_step, deep_mlp, sizes),
        "chain forward": partial(chain_forward, sizes),
        "chain forward and backward": partial(chain_backward, sizes),
    }


def large(sizes):
    return {**sizes, "lenet_batch": sizes["lenet256_batch"]}


def random(*shape):
    return np.random.default_rng(0).random(shape, "float32")


def mlp(sizes):
    def net(p, x):
        return dense(p, jax.nn.relu(dense(p, jax.nn.relu(dense(p, x, 256)), 256)), 2)
    return net, random(1, 512), np.zeros(1, int)


def lenet(sizes):
    def net(p, x):
        for channels in (20, 50):
            x = max_pool(jax.nn.relu(conv(p, x, channels, 5, padding=0, bias=True)), 2, 2)
        return dense(p, jax.nn.relu(dense(p, flatten(x), 128)), 10)
    batch = sizes["lenet_batch"]
    return net, random(batch, 28, 28, 1), np.arange(batch) % 10


def alexnet(sizes):
    batch, units = sizes["alexnet_batch"], sizes["alexnet_units"]

    def net(p, x):
        layer = lambda x, channels, kernel, stride, padding: jax.nn.relu(conv(p, x, channels, kernel, stride, padding,
                                                                              bias=True))
        x = max_pool(layer(x, 64, 11, 4, 2), 3, 2)
        x = max_pool(layer(x, 192, 5, 1, 2), 3, 2)
        for channels in (384, 256, 256):
            x = layer(x, channels, 3, 1, 1)
        x = flatten(max_pool(x, 3, 2))
        for _ in range(2):
            x = jax.nn.relu(dense(p, x, units))
        return dense(p, x, 1000)
    return net, random(batch, 227, 227, 3), np.arange(batch)


def resnet(sizes):
    batch, image = sizes["resnet_batch"], sizes["resnet_image"]
    normal = convolutional_jax.normal

    def net(p, x):
        x = max_pool(normal(p, x, 64, 7, 2), 3, 2, 1)
        for channels in (64, 128, 256, 512):
            for number in range(2):
                stride = 1 if number or channels == 64 else 2
                y = normal(p, normal(p, x, channels, 3, stride), channels, 3, active=None)
                x = jax.nn.relu(y + (x if x.shape == y.shape else normal(p, x, channels, 1, stride, active=None)))
        return dense(p, mean_pool(x), 1000)
    return net, random(batch, image, image, 3), np.arange(batch)


def deep_mlp(sizes):
    def net(p, x):
        for _ in range(sizes["deep_layers"] - 1):
            x = jax.nn.relu(dense(p, x, sizes["deep_width"]))
        return dense(p, x, 10)
    batch = sizes["deep_batch"]
    return net, random(batch, 784), np.arange(batch) % 10


def lstm_cell(state, new, old):
    """Return the next state. state: (h, c). new, old: the products of the weights with the input and with h,
    respectively."""
    keep_in, keep_old, candidate, out = jnp.split(new + old, 4, -1)
    cell = jax.nn.sigmoid(keep_old) * state[1] + jax.nn.sigmoid(keep_in) * jnp.tanh(candidate)
    return jax.nn.sigmoid(out) * jnp.tanh(cell), cell


def gru_cell(state, new, old):
    (reset, update, candidate), (old_reset, old_update, old_candidate) = jnp.split(new, 3, -1), jnp.split(old, 3, -1)
    update = jax.nn.sigmoid(update + old_update)
    candidate = jnp.tanh(candidate + jax.nn.sigmoid(reset + old_reset) * old_candidate)
    return ((1 - update) * candidate + update * state[0],)


CELLS = {"lstm": (lstm_cell, 4, 2), "gru": (gru_cell, 3, 1)}         # cell, number of gates, number of state arrays


def text(kind, sizes):
    words, units, batch, steps = (sizes[f"text_{name}"] for name in ("words", "units", "batch", "steps"))
    cell, gates, states = CELLS[kind]

    def layer(p, x):
        weights = [p(gates * units, units, inputs=units) for _ in range(2)]
        biases = [p(gates * units, fill=0) for _ in range(2)]

        def step(state, new):
            state = cell(state, new, state[0] @ weights[1].T + biases[1])
            return state, state[0]
        return lax.scan(step, (jnp.zeros((batch, units)),) * states, x @ weights[0].T + biases[0])[1]

    def net(p, x):
        x, _ = embed(p, x, words, units)
        return dense(p, layer(p, layer(p, x)), words).reshape(steps * batch, words)
    numbers = np.arange(steps * batch) * 7 % words
    return net, numbers.reshape(steps, batch), np.roll(numbers, -1)


# net -> its constructor, and the name of its batch size
NETS = {"lenet": (lenet, "lenet_batch"), "alexnet": (alexnet, "alexnet_batch"), "resnet": (resnet, "resnet_batch"),
        **convolutional_jax.NETS, **transformers_jax.NETS}


def forward(make, sizes, mode):
    net, x, _ = make(sizes)
    inputs = jax.device_put(x if isinstance(x, tuple) else (x,))
    parameters = make_parameters(net, *inputs)
    function = jax.jit(lambda trained, moving, *inputs: net(Parameters(trained, moving), *inputs))
    return lambda: jax.block_until_ready(function(*parameters, *inputs))


def train_step(make, sizes, mode):
    net, x, label = make(sizes)
    x, label = jax.device_put((x, label))
    state = [make_parameters(net, x)]

    def error(trained, moving, x, label):
        parameters = Parameters(trained, moving, training=True)
        return loss(net(parameters, x), label), parameters.moved

    @partial(jax.jit, donate_argnums=(0, 1))
    def step(trained, moving, x, label):
        gradients, moving = jax.grad(error, has_aux=True)(trained, moving, x, label)
        return [weight - 0.001 * gradient for weight, gradient in zip(trained, gradients)], moving

    def run():
        state[0] = jax.block_until_ready(step(*state[0], x, label))
    return run


def loss(output, label):
    """Return the loss for labels that are classes, or else for target values: half the squared error, as in Gluon."""
    if label.ndim == output.ndim:
        return ((output - label) ** 2).mean() / 2
    right = jnp.take_along_axis(jax.nn.log_softmax(output), label[..., None], -1)
    return -right.mean()


def chain(x):
    return x * (jnp.tanh((x + x * x * x * 0.044715) * 0.7978845608) + 1) * 0.5


def chain_forward(sizes, mode):
    function, x = jax.jit(chain), jax.device_put(random(sizes["chain_elements"]))
    return lambda: function(x).block_until_ready()


def chain_backward(sizes, mode):
    x = jax.device_put(random(sizes["chain_elements"]))
    function = jax.jit(lambda x, ones: jax.vjp(chain, x)[1](ones))
    return lambda: jax.block_until_ready(function(x, jnp.ones_like(x)))
