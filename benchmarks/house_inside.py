"""Data about the minigluon that Python imports, as JSON, for `house`: names, families, calls.

The calls are counted in the second of two equal runs after a warm-up, so that kernels, plans and other caches exist:

- imperative Dense: `layer(x)` of a Dense layer, without a record;
- hybridized net: `net(x)` of a perceptron with three layers, hybridized, without a record;
- its backward pass: `loss.backward()` after a recorded call of the same net and a loss, both hybridized;
- step: `trainer.step(4)` with SGD and momentum, of 4 and of 16 parameters.
"""

import functools
import importlib.util
import inspect
import json
import os
import sys
from typing import Protocol

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.backend import Backend, available, use_backend
from minigluon.gluon import nn
from minigluon.ops import REGISTRY, Op

KERNELS = {"compiled": "minigluon_accel.kernels", "GPU": "minigluon_accel.gpu.kernels",
           "NumPy": "minigluon.backend.numpy"}
FILLED_IN = {"name", "arguments", "variadic", "fields", "aliases"}      # by `register`
WARM_UP = 5


def public_names(*classes):
    """Return the names that classes define or annotate, without leading underscores."""
    return list(dict.fromkeys(name for cls in classes for name in [*inspect.get_annotations(cls), *vars(cls)]
                              if not name.startswith("_")))


def op_names():
    """Return {kind: names} that `Op` offers."""
    offered = public_names(*[cls for cls in Op.__mro__ if cls is not object])
    written = {name for operator in set(REGISTRY.values()) for cls in operator.__mro__
               if not issubclass(Op, cls) for name in vars(cls)}
    filled_in = [name for name in offered if name in FILLED_IN]
    declared = [name for name in offered if name in written and name not in FILLED_IN]
    return {"all": offered, "filled in by register": filled_in, "declared or overridden by operators": declared,
            "the rest": [name for name in offered if name not in filled_in + declared]}


def backend_names():
    """Return {kind: names} that the Protocol `Backend` offers."""
    protocols = [cls for cls in Backend.__mro__ if issubclass(cls, Protocol) and cls is not Protocol]
    offered = public_names(*protocols)
    methods = [name for name in offered if any(callable(vars(cls).get(name)) for cls in protocols)]
    return {"methods": methods, "attributes": [name for name in offered if name not in methods]}


def module_of(function):
    """Return the module of a kernel's function, even if it is wrapped or partially applied."""
    while isinstance(function, functools.partial):
        function = function.func
    return inspect.unwrap(function).__module__


def families(package):
    """Return {"same": count, "other": ["operator: family, kernel in module"]}; None if there is no such package."""
    try:
        prepared = importlib.import_module(package).prepared_operators()
    except ModuleNotFoundError as error:
        if error.name not in (package, package.partition(".")[0]):
            raise
        return None
    same, other = 0, []
    for name, function in sorted(prepared.items()):
        if name in REGISTRY:            # otherwise it is the plugin's own
            family = REGISTRY[name].__module__.removeprefix("minigluon.ops.")
            module = module_of(function).removeprefix(f"{package}.")
            one_house = f"{family}.".startswith(f"{module}.") or f"{module}.".startswith(f"{family}.")
            same += one_house
            other += [] if one_house else [f"{name}: {family}, kernel in {module}"]
    return {"same": same, "other": other}


# -- calls -------------------------------------------------------------------------------------------------------------


def calls(function, *arguments, before=lambda: ()):
    """Return the calls [of Python functions, of C functions] in `function(*arguments, *before())`."""
    for _ in range(WARM_UP):
        function(*arguments, *before())
    arguments += before()
    counts = {"call": 0, "c_call": 0}

    def count(frame, event, _):
        if event in counts:
            counts[event] += 1
    sys.setprofile(count)
    try:
        function(*arguments)
    finally:
        sys.setprofile(None)
    return [counts["call"], counts["c_call"] - 1]       # setprofile itself is the last


def perceptron(layers):
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(*[nn.Dense(8, activation="relu") for _ in range(layers)])
    net.initialize()
    net(nd.ones((4, 8)))
    return net


def backward_calls(x):
    """Return the calls of the backward pass of a hybridized net and loss."""
    net, loss, label = perceptron(3), gluon.loss.SoftmaxCrossEntropyLoss(), nd.zeros((4,))
    net.hybridize()
    loss.hybridize()

    def forward():
        with autograd.record():
            return (loss(net(x), label),)
    return calls(nd.NDArray.backward, before=forward)


def step_calls(x, layers):
    """Return the calls of `trainer.step`, with two parameters per layer."""
    net = perceptron(layers)
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"momentum": 0.9})

    def backward():
        with autograd.record():
            y = net(x)
        y.backward()
        return ()
    backward()
    return calls(trainer.step, 4, before=backward)


def walks():
    """Return {walk: [calls]}."""
    x = nd.ones((4, 8))
    layer = nn.Dense(8, in_units=8)
    layer.initialize()
    net = perceptron(3)
    net.hybridize()
    return {"imperative Dense": calls(layer, x), "hybridized net": calls(net, x),
            "its backward pass": backward_calls(x), "step of 4 parameters": step_calls(x, 2),
            "step of 16 parameters": step_calls(x, 8)}


def all_walks():
    """Return {walk: {backend: [calls]}}."""
    found = {}
    for backend in [name for name in ("accel", "numpy") if name in available()]:
        with use_backend(backend):
            for walk, counts in walks().items():
                found.setdefault(walk, {})[backend] = counts
    return found


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(mx.__file__)))
    if os.path.realpath(root) != os.path.realpath(os.getcwd()):
        sys.exit(f"minigluon is imported from {root}")
    plugin = importlib.util.find_spec("minigluon_accel")
    json.dump({"plugin": plugin and plugin.origin, "Op": op_names(), "Backend": backend_names(),
               "families": {k: families(v) for k, v in KERNELS.items()}, "calls": all_walks()}, sys.stdout)


if __name__ == "__main__":
    main()
