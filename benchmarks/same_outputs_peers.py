"""Code of `same_outputs` for the workers of other libraries: a net with given parameters, on given inputs."""

import numpy as np


def makers(*_):
    """Return no programs to measure."""
    return {}


def outputs(worker, name, path):
    """Return the values of a net's first output. path: a file from `same_outputs.write`."""
    with np.load(path) as arrays:
        arrays = dict(arrays)
    found = jax_outputs(name, arrays, worker.sizes) if worker.library == "jax" else (
        torch_outputs(worker, name, arrays))
    return np.asarray(found, "float64").reshape(-1).tolist()


def named(arrays, kind):
    return [value for key, value in arrays.items() if key.startswith(kind)]


def torch_outputs(worker, name, arrays):
    """Return the output of PyTorch, or of an engine that reads PyTorch's model."""
    import torch
    from workers import programs_torch

    net, x, _ = programs_torch.NETS[name][0](worker.sizes)
    own = [value for key, value in net.state_dict().items() if "num_batches" not in key]
    given = [value for key, value in arrays.items() if not key.startswith("input")]
    for mine, value in zip(own, given, strict=True):
        assert mine.shape == value.shape, (name, mine.shape, value.shape)
        mine.copy_(torch.from_numpy(value))
    first = x[0] if isinstance(x, tuple) else x
    inputs = [torch.from_numpy(value) for value in named(arrays, "input")]
    inputs[0] = inputs[0].to(first.dtype)           # indices of words
    if worker.library == "torch":
        with torch.no_grad():
            found = net.eval()(*inputs)
        return found[0] if isinstance(found, tuple) else found
    from workers import onnx_models
    found = worker.files[0].start(*onnx_models.exported(net, tuple(inputs)))()
    return next(iter(found.values() if hasattr(found, "values") else found))


def jax_outputs(name, arrays, sizes):
    """Return JAX's output. Images, kernels of convolutions and outputs that are images have channels last; in
    attention's keys and values, heads and positions are swapped."""
    from workers.layers_jax import Parameters, make_parameters
    from workers.programs_jax import NETS

    net, x, _ = NETS[name][0](sizes)
    example = x if isinstance(x, tuple) else (x,)
    trained, moving = make_parameters(net, *example)
    given = [fitted(value, mine, (2, 3, 1, 0)) for mine, value in zip(trained, named(arrays, "trained"), strict=True)]
    inputs = [value.astype(like.dtype) for value, like in zip(named(arrays, "input"), example, strict=True)]
    order = (0, 2, 1, 3) if name == "gpt" else (0, 2, 3, 1)
    inputs = [fitted(value, like, order) for value, like in zip(inputs, example, strict=True)]
    found = net(Parameters(given, named(arrays, "moving")), *inputs)
    found = found[0] if isinstance(found, tuple) else found
    return found.transpose(0, 3, 1, 2) if found.ndim == 4 else found


def fitted(value, like, order):
    value = value if value.shape == like.shape else value.transpose(order)
    assert value.shape == like.shape, (value.shape, like.shape)
    return value
