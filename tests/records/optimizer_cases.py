"""What `record_mxnet_optimizers.py` runs in MXNet and `test_optimizer.py` runs here. NumPy alone."""

import numpy as np

STEPS = 5
NAMES = {0: "a_weight", 1: "b_bias", 2: "c_gamma"}
SHAPES = [(3, 4), (5,), (2, 3, 1)]

COMMON = {"wd": 0.1, "rescale_grad": 0.5, "clip_gradient": 0.3}
# With a decay MXNet's in-place nag_mom_update computes the momentum from the weight that it has just overwritten; here
# it is computed from the weight that the formula means. So they are compared without a decay.
PLAIN = {"rescale_grad": 0.5, "clip_gradient": 0.3}
CASES = {
    "sgd": ("sgd", {"learning_rate": 0.1}),
    "sgd momentum": ("sgd", {"learning_rate": 0.1, "momentum": 0.9, **COMMON}),
    "sgd mixed": ("sgd", {"learning_rate": 0.1, "multi_precision": True, **COMMON}),
    "sgd momentum mixed": ("sgd", {"learning_rate": 0.1, "momentum": 0.9, "multi_precision": True, **COMMON}),
    "ccsgd": ("ccsgd", {"learning_rate": 0.1, "momentum": 0.5}),
    "nag": ("nag", {"learning_rate": 0.1, "momentum": 0.9, **PLAIN}),
    "nag without momentum": ("nag", {"learning_rate": 0.1, **COMMON}),
    "nag mixed": ("nag", {"learning_rate": 0.1, "momentum": 0.9, "multi_precision": True, **PLAIN}),
    "adam": ("adam", {}),
    "adam options": ("adam", {"learning_rate": 0.1, "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-3, **COMMON}),
    "adam mixed": ("adam", {"learning_rate": 0.1, "multi_precision": True, **COMMON}),
    "adagrad": ("adagrad", {"learning_rate": 0.1}),
    "adagrad options": ("adagrad", {"learning_rate": 0.1, "eps": 0.1, **COMMON}),
    "rmsprop": ("rmsprop", {}),
    "rmsprop options": ("rmsprop", {"learning_rate": 0.1, "gamma1": 0.7, "clip_weights": 0.5, **COMMON}),
    "rmsprop centered": ("rmsprop", {"learning_rate": 0.01, "centered": True, "gamma2": 0.8, **COMMON}),
    "adadelta": ("adadelta", {}),
    "adadelta options": ("adadelta", {"rho": 0.8, "epsilon": 1e-2, "wd": 0.1, "clip_gradient": 0.3}),
    "adamax": ("adamax", {}),
    "adamax options": ("adamax", {"learning_rate": 0.1, "beta1": 0.8, "beta2": 0.9, **COMMON}),
    "nadam": ("nadam", {}),
    "nadam options": ("nadam", {"learning_rate": 0.1, "schedule_decay": 0.1, **COMMON}),
    "ftrl": ("ftrl", {}),
    "ftrl options": ("ftrl", {"learning_rate": 0.5, "lamda1": 0.1, "beta": 2, **COMMON}),
    "ftml": ("ftml", {}),
    "ftml options": ("ftml", {"learning_rate": 0.1, "beta1": 0.7, **COMMON}),
    "signum": ("signum", {}),
    "signum options": ("signum", {"learning_rate": 0.1, "momentum": 0.5, "wd_lh": 0.2, **COMMON}),
    "signum without momentum": ("signum", {"momentum": 0.0, "wd": 0.1}),
    "lamb": ("lamb", {}),
    "lamb options": ("lamb", {"learning_rate": 0.1, "lower_bound": 0.5, "upper_bound": 1.2, "bias_correction": False,
                              **COMMON}),
    "dcasgd": ("dcasgd", {"learning_rate": 0.1, **COMMON}),
    "lars": ("lars", {"learning_rate": 0.5, "eta": 0.1, **COMMON}),
    "lars momentum": ("lars", {"learning_rate": 0.5, "momentum": 0.9, "eta": 0.1, "eps": 1e-3, "wd": 0.1}),
    "lbsgd": ("lbsgd", {"learning_rate": 0.1, **COMMON}),
    "lbsgd linear": ("lbsgd", {"learning_rate": 0.1, "momentum": 0.9, "batch_scale": 2, "updates_per_epoch": 2,
                               "warmup_epochs": 2}),
    "lbsgd lars": ("lbsgd", {"learning_rate": 0.1, "warmup_strategy": "lars", **COMMON}),
    "test": ("test", {"rescale_grad": 0.5}),
}


def arrays(name):
    """(initial weights, gradients of each step) of a case."""
    rng = np.random.default_rng(len(name))
    dtype = "float16" if "mixed" in name else "float32"
    weights = [rng.uniform(-1, 1, s).astype(dtype) for s in SHAPES]
    return weights, [[rng.uniform(-1, 1, s).astype(dtype) for s in SHAPES] for _ in range(STEPS)]


def run(mx, name):
    """The weights after each step, in MXNet or here: a list of lists of NumPy arrays."""
    kind, options = CASES[name]
    optimizer = mx.optimizer.create(kind, param_idx2name=dict(NAMES), **options)
    optimizer.set_lr_mult({"c_gamma": 0.5})
    updater = mx.optimizer.get_updater(optimizer)
    weights, steps = arrays(name)
    weights = [mx.nd.array(w, dtype=w.dtype) for w in weights]
    results = []
    for grads in steps:
        updater([0, 1, 2], [mx.nd.array(g, dtype=g.dtype) for g in grads], weights)
        results.append([w.asnumpy() for w in weights])
    return results
