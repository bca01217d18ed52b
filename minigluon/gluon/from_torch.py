"""Loads PyTorch state dicts into a block. Entries are matched by structure and order rather than by name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .. import ndarray as nd
from ..base import ArgumentError, MXNetError, listed
from ..serialization import exchange, torch_files
from .parameter_snapshots import replace_together

__all__ = ["CopiedParameter", "load_torch", "read_state"]

# PyTorch's name for a parameter, and the corresponding names here.
_KINDS = {"weight": ("weight", "gamma", "alpha"), "bias": ("bias", "beta"), "running_mean": ("running_mean",),
          "running_var": ("running_var",), "in_proj_weight": (), "in_proj_bias": ()}
_COUNTED = "num_batches_tracked"         # the number of batches that a normalization layer has seen; unused here


class CopiedParameter(NamedTuple):
    """A row of `load_torch`'s result: the state dict's entry, the parameter that received it, and their shape.

    >>> net = nn.Dense(1, in_units=2)
    >>> rows = gluon.utils.load_torch(net, {"fc.weight": np.ones((1, 2)), "fc.bias": np.zeros(1)})
    >>> rows[0].source, rows[0].target, rows[0].shape
    ('fc.weight', 'weight', (1, 2))
    """

    source: str
    target: str
    shape: tuple[int, ...]


def load_torch(net: Any, state_dict: Mapping[str, Any], ctx: Any = None) -> list[CopiedParameter]:
    """Load the values from a PyTorch module with the same structure. Returns a row for each parameter.

    Entries are grouped by module and parameters by layer, both in their original order. Groups must match one to one:
    their parameters must agree in number, role and shape. A group may be at a different position if no other group has
    the same roles and shapes. Shapes do not reveal strides, padding and epsilons, so compare an output.

    net: the block; its parameters need not have values yet.
    state_dict: {name: tensor or array}, as from `module.state_dict()`, or the path of a file that torch.save wrote.
    ctx: the device for parameters without a value; the current one if None.

    Raises MXNetError if groups do not match; the error names the first mismatch, and nothing is changed.

    >>> net = nn.Sequential()
    >>> net.add(nn.Dense(2, in_units=2), nn.LayerNorm(in_channels=2))
    >>> state = {"fc.weight": np.eye(2), "fc.bias": np.zeros(2), "norm.weight": np.ones(2), "norm.bias": np.ones(2)}
    >>> [f"{row.source} -> {row.target}" for row in gluon.utils.load_torch(net, state)]
    ['fc.weight -> 0.weight', 'fc.bias -> 0.bias', 'norm.weight -> 1.gamma', 'norm.bias -> 1.beta']
    """
    if isinstance(state_dict, (str, os.PathLike)):
        if exchange.kind_of_name(os.fspath(state_dict)) == ".safetensors":
            raise ArgumentError(f"load_torch: {os.fspath(state_dict)!r} does not keep the order of its arrays, "
                                "which load_torch needs. Pass a dict in that order, or for a net of the zoo, run "
                                "`minigluon weights`.")
        state_dict = read_state(os.fspath(state_dict))
    if not isinstance(state_dict, Mapping):
        raise ArgumentError("load_torch: state_dict must be a dict as returned by module.state_dict(), found "
                            f"{type(state_dict).__name__}")
    arrays = {name: _as_array(name, value) for name, value in state_dict.items()
              if name.rpartition(".")[2] != _COUNTED}
    params = {}
    sources, targets = _grouped(arrays), _layers(net, "", params)
    pairs = _paired(sources, targets, arrays, params)
    moved = []
    with replace_together():
        for source, target in pairs:
            for entry, name in _entries(source, target, arrays, params):
                params[name]._load_init(nd.array(arrays[entry], dtype=arrays[entry].dtype), ctx, True)
                moved.append(CopiedParameter(entry, name, arrays[entry].shape))
    return moved


def read_state(path: str) -> dict[str, np.ndarray]:
    """Return {name: array} of a state dict that another library saved. PyTorch is not needed, and nothing is executed.

    path: a `.safetensors` file, whose arrays are sorted by name because they have no order, or a file of torch.save
        that has a state dict, or a dict with one as 'state_dict'.
    """
    if exchange.kind_of_name(path) == ".safetensors":
        return dict(sorted(exchange.read(path).items()))
    return torch_files.read(path)


def _as_array(name, value):
    """Return a tensor as a NumPy array."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":
            value = value.float()
        value = value.numpy()
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise MXNetError(f"load_torch: {name!r} holds {array.dtype}, expected numbers")
    return array


def _layers(block, path, params):
    """Return [names of a layer's own parameters] in the order of the layers. A shared parameter is listed only with its
    first layer.

    params: {name: parameter}, filled by this function.
    """
    own = []
    for key, param in block._reg_params.items():
        if all(param is not other for other in params.values()):
            params[path + key] = param
            own.append(path + key)
    groups = [own] if own else []
    for name, child in block._children.items():
        groups += _layers(child, f"{path}{name}.", params)
    return groups


def _grouped(named):
    """Return lists of names, grouped by module: the part before the last dot."""
    groups = {}
    for name in named:
        groups.setdefault(name.rpartition(".")[0], []).append(name)
    return list(groups.values())


def _entries(source, target, arrays, params):
    """Return [(entry, parameter)] for two groups, or None if they do not match."""
    if len(source) != len(target):
        return None
    remaining, pairs = list(target), []
    recurrent = any("_l0" in name for name in source)
    for entry in source:
        kind = entry.rpartition(".")[2]
        kinds = _KINDS.get(kind)
        fitting = [name for name in remaining if (recurrent or kinds is None or _kind(name) in kinds)
                   and params[name]._takes_shape(arrays[entry].shape)]
        if not fitting or ((recurrent or kinds is None) and fitting[0] != remaining[0]):
            return None
        pairs.append((entry, fitting[0]))
        remaining.remove(fitting[0])
    return pairs


def _kind(name):
    return name.rpartition(".")[2]


def _paired(sources, targets, arrays, params):
    """Return [(group of entries, group of parameters)] in the order of the parameters."""
    if len(sources) == len(targets) and all(
            _entries(source, target, arrays, params) for source, target in zip(sources, targets, strict=True)):
        return list(zip(sources, targets, strict=True))
    pairs, free = [], list(sources)
    fits = [[source for source in sources if _entries(source, target, arrays, params)] for target in targets]
    for number, (target, fitting) in enumerate(zip(targets, fits, strict=True)):
        alone = len(fitting) == 1 and sum(fitting[0] in other for other in fits) == 1
        same_place = number < len(sources) and sources[number] in fitting
        source = fitting[0] if alone else sources[number] if same_place else None
        if source is None or source not in free:
            raise MXNetError(_refusal(number, target, sources, arrays, params, fitting))
        free.remove(source)
        pairs.append((source, target))
    if free:
        raise MXNetError("load_torch: no layer matches these entries of the state dict, and perhaps others after them: "
                         + _group_text(free[0], arrays))
    return pairs


def _refusal(number, target, sources, arrays, params, fitting):
    here = _group_text(target, params)
    if fitting:
        there = _group_text(sources[number], arrays) if number < len(sources) else "nothing"
        return (f"load_torch: layer {number} has {here}; at this position the state dict has {there}, but "
                f"{len(fitting)} other modules match. Put the layers in the order of the modules.")
    if number < len(sources):
        return (f"load_torch: layer {number} has {here}, but module {number} of the state dict has "
                f"{_group_text(sources[number], arrays)}")
    return f"load_torch: layer {number} has {here}, but the state dict has no more modules"


def _group_text(group, named):
    return listed([f"{name} {tuple(named[name].shape)}" for name in group])
