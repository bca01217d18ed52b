"""What the scripts share that run a network in MXNet and in minigluon: the same parameters, times, the comparison."""

import pathlib
import statistics
import time

import numpy as np

__all__ = ["compare_or_write", "learned", "old_numpy_names", "processor_time", "set_parameters"]

LEARNED = ("weight", "bias", "gamma", "beta", "running_mean", "running_var")


def old_numpy_names():
    """GluonCV and GluonNLP want `np.float` and `np.int`, which NumPy has no more."""
    for name in ("float", "int"):
        if name not in vars(np):
            setattr(np, name, {"float": float, "int": int}[name])


def learned(net):
    """(place, kind, parameter) of what training changes; what is built in, as anchors, is not among them."""
    for place, (name, parameter) in enumerate(net.collect_params().items()):
        kind = next((kind for kind in LEARNED if name.endswith(kind)), None)
        if kind is not None and (parameter.grad_req != "null" or kind not in ("weight", "bias")):
            yield place, kind, parameter


def set_parameters(mx, net, is_small=lambda name: False):
    """Values for what is learned, from the parameter's place and shape; those that `is_small` names are 20 times less.

    So both libraries have the same without a file. Shapes must be known.
    """
    draws = np.random.RandomState(1).standard_normal(1_000_003).astype("float32")     # a prime: rows differ
    for place, kind, parameter in learned(net):
        shape = parameter.shape
        if shape is None or 0 in shape or -1 in shape:
            continue                        # a layer that the input does not reach
        values = np.resize(np.roll(draws, -7919 * place), shape)
        if kind == "weight":
            values *= max(1, np.prod(shape[1:])) ** -0.5 * (0.05 if is_small(parameter.name) else 1)
        elif kind in ("gamma", "running_var"):
            values = 1 + 0.1 * np.tanh(values)
        else:
            values *= 0.05
        parameter.set_data(mx.nd.array(values))


def processor_time(call, times):
    """The median of the processor's seconds that a call takes: other programs that run meanwhile hardly change it."""
    found = []
    for _ in range(times):
        begin = time.process_time()
        call()
        found.append(time.process_time() - begin)
    return statistics.median(found)


def compare_or_write(folder, name, numbers, seconds=None, *, tolerance):
    """With MXNet, write `numbers` into `folder`; with minigluon, compare with what MXNet wrote. What to print.

    seconds: of the processor, for a step; they are written and printed with the numbers.
    """
    import mxnet
    file = pathlib.Path(folder) / f"{name}.npy"
    if "minigluon" not in mxnet.__file__:
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(file, numbers)
        if seconds is not None:
            np.save(file.with_suffix(".seconds.npy"), seconds)
        return f"{np.round(numbers, 4)}"
    expected = np.load(file)
    difference = float(np.abs(expected - numbers).max() / np.abs(expected).max())
    if not difference <= tolerance:
        raise AssertionError(f"differs by {difference:.2g}: MXNet {expected}, minigluon {np.array(numbers)}")
    text = f"{np.round(numbers, 4)}, as MXNet's to {difference:.1g}"
    if seconds is None:
        return text
    mxnets = float(np.load(file.with_suffix(".seconds.npy")))
    return f"{text}; {1000 * seconds:.2f} ms a step, MXNet {1000 * mxnets:.2f}, ratio {seconds / mxnets:.2f}"
