"""Conversion of state dicts of torchvision, timm and transformers into networks of the zoo with the same structure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...base import ArgumentError, MXNetError, nearest
from .. import nn
from ..block import Block
from ..from_torch import load_torch
from . import text, vision
from .module_order import in_module_order
from .twins import TWINS, WITHOUT

__all__ = ["Converted", "convert"]

_EPSILON = 1e-5             # of batch normalizations in torchvision
_FIRST_CHANNELS = 32        # of the first block of MobileNet V2, in the width that has twins
_CLASSES = 1000

# Arguments of `text.get_model` that need not be printed, because they are the published ones.
_GPT2, _BERT = {"vocab_size": 50257, "max_length": 1024}, {
    "vocab_size": 30522, "max_length": 512, "token_type_vocab_size": 2, "use_pooler": True, "use_decoder": True,
    "use_classifier": True}
_PUBLISHED = {
    "gpt2_117m": {**_GPT2, "num_layers": 12}, "gpt2_345m": {**_GPT2, "num_layers": 24},
    "bert_12_768_12": {**_BERT, "num_layers": 12}, "bert_24_1024_16": {**_BERT, "num_layers": 24},
    "llama_1b": {"vocab_size": 32000, "units": 2048, "hidden_size": 5632, "num_layers": 22, "num_heads": 32,
                 "num_kv_heads": 4, "tie_weights": False},
}
_ARRAYS = {"gpt2": 12, "bert": 12, "llama": 9}          # arrays of a layer, at least
_HEAD = 64          # the number of features of a head in `llama_1b`; no array of a file shows it


class Converted(NamedTuple):
    """A network with the parameters of a state dict. lines: the program that creates it, for `load_parameters`."""

    net: Block
    lines: list[str]


def convert(name: str, state: Mapping[str, np.ndarray]) -> Converted:
    """Return a network with the values of a state dict, which are matched by structure.

    name: of the network in `vision.get_model` or `text.get_model`.
    state: {name of the other library: array}.

    Raises ArgumentError for a network without a twin, and MXNetError if the structures differ.
    """
    if name not in TWINS:
        if name in WITHOUT:
            raise ArgumentError(f"No file of another library fits {name}: {WITHOUT[name]}.")
        raise ArgumentError(f"There is no network {name!r}; files can be converted for: {', '.join(TWINS)}."
                            + nearest(name, TWINS))
    state = {key: array.astype(np.float32, copy=False) for key, array in state.items()
             if array.dtype.kind in "fV" and not key.startswith("AuxLogits.")}      # V: bfloat16; integers are counts
    if not state:
        raise MXNetError(f"The file has no arrays of real numbers, expected those of {TWINS[name]}.")
    return (_text if name.startswith(("bert", "gpt2", "llama")) else _vision)(name, state)


# -- images -----------------------------------------------------------------------------------------------------------


def _vision(name, state):
    state = in_module_order(name, state)
    last = list(state.values())[-1]
    arguments = {"classes": last.shape[0]} if last.ndim and last.shape[0] != _CLASSES else {}
    net = vision.get_model(name, **arguments)
    lines = ["from minigluon.gluon.model_zoo import vision", f"net = {_call('vision', name, arguments)}"]
    if name == "inceptionv3":
        lines.append("# the published files expect images that are normalized with mean 0.5 and standard deviation 0.5")
    if name.startswith("vgg"):
        state = _flat_kernels(state)
    if name.startswith("mobilenetv2"):
        state, classes = _with_first_expansion(state), arguments.get("classes", _CLASSES)
        net.output = nn.HybridSequential()
        net.output.add(nn.Dense(classes))
        lines = ["from minigluon.gluon import nn", *lines, "net.output = nn.HybridSequential()",
                 f"net.output.add(nn.Dense({classes}))         # with biases, which the zoo's layer does not have"]
    count = len(net.collect_params())
    if len(state) > 2 * count:          # matching them would take long
        raise MXNetError(f"The arrays are not those of {TWINS[name]}. There are {len(state):,} of them, and {name} has "
                         f"{count} parameters.")
    try:
        load_torch(net, state)
    except MXNetError as error:
        raise MXNetError(f"The arrays are not those of {TWINS[name]}. {error}") from error
    return Converted(net, lines)


def _flat_kernels(state):
    """Return the state with matrices for convolutions that cover the whole image, as timm writes dense layers."""
    shapes = {key: array.shape for key, array in state.items()}
    return {key: array.reshape(len(array), -1)
            if len(shapes[key]) == 4 and shapes[key][0] == 4096 and key.endswith("weight") else array
            for key, array in state.items()}


def _with_first_expansion(state):
    """Return the state with the first block's expansion, by a factor of 1, which other libraries leave out.

    The added convolution and normalization do not change their input, nor does the relu6 that follows.
    """
    kernels = [key for key, array in state.items() if array.ndim == 4]
    if len(kernels) < 2 or state[kernels[1]].shape[1] != 1 or len(state[kernels[1]]) != _FIRST_CHANNELS:
        return state            # load_torch will say what is different
    channels = len(state[kernels[1]])
    norm = {"weight": np.ones(channels), "bias": np.zeros(channels), "running_mean": np.zeros(channels),
            "running_var": np.full(channels, 1 - _EPSILON)}
    added = {"expansion.0.weight": np.eye(channels).reshape(channels, channels, 1, 1),
             **{f"expansion.1.{key}": values for key, values in norm.items()}}
    extended: dict[str, Any] = {}
    for key, array in state.items():
        if key == kernels[1]:
            extended |= {new: values.astype(np.float32) for new, values in added.items()}
        extended[key] = array
    return extended


# -- text -------------------------------------------------------------------------------------------------------------


def _text(name, state):
    family = name.partition("_")[0]
    layers = _shortened(state)
    try:
        arguments = _ARGUMENTS[family](layers)
    except (KeyError, IndexError, ValueError):
        missing = "the embedding or the first layer is" if family == "llama" else (
            "the embeddings of words and positions are")
        raise MXNetError(f"The arrays are not those of {TWINS[name]}: {missing} missing.") from None
    if _ARRAYS[family] * arguments["num_layers"] > len(layers):
        raise MXNetError(f"The arrays are not those of {TWINS[name]}: {arguments['num_layers']:,} layers have only "
                         f"{len(layers):,} arrays, expected at least {_ARRAYS[family]} per layer.")
    shown = {key: value for key, value in arguments.items() if value != _PUBLISHED[name][key]}
    try:
        net = text.get_model(name, **arguments)
        text.load_transformers(net, state)
    except MXNetError as error:
        raise MXNetError(f"The arrays are not those of {TWINS[name]}. {error}") from error
    return Converted(net, ["from minigluon.gluon.model_zoo import text", f"net = {_call('text', name, shown)}"])


def _shortened(state):
    """Return {name without the model's prefix: array}."""
    return {re.sub(r"^(transformer|bert|model)\.", "", key): array for key, array in state.items()}


def _count(layers, prefix):
    """Return the number of layers: one more than the largest index in names that begin with `prefix`."""
    indices = [key.removeprefix(prefix).partition(".")[0] for key in layers if key.startswith(prefix)]
    return len({index for index in indices if index.isdecimal()})


def _gpt2_arguments(layers):
    return {"vocab_size": layers["wte.weight"].shape[0], "max_length": layers["wpe.weight"].shape[0],
            "num_layers": _count(layers, "h.")}


def _bert_arguments(layers):
    embeddings = [layers[f"embeddings.{kind}_embeddings.weight"].shape[0]
                  for kind in ("word", "position", "token_type")]
    return {**dict(zip(("vocab_size", "max_length", "token_type_vocab_size"), embeddings, strict=True)),
            "num_layers": _count(layers, "encoder.layer."), "use_pooler": "pooler.dense.weight" in layers,
            "use_decoder": "cls.predictions.transform.dense.weight" in layers,
            "use_classifier": "cls.seq_relationship.weight" in layers}


def _llama_arguments(layers):
    vocab_size, units = layers["embed_tokens.weight"].shape
    return {"vocab_size": vocab_size, "units": units, "hidden_size": layers["layers.0.mlp.gate_proj.weight"].shape[0],
            "num_layers": _count(layers, "layers."), "num_heads": max(units // _HEAD, 1),
            "num_kv_heads": max(layers["layers.0.self_attn.k_proj.weight"].shape[0] // _HEAD, 1),
            "tie_weights": "lm_head.weight" not in layers}


_ARGUMENTS = {"gpt2": _gpt2_arguments, "bert": _bert_arguments, "llama": _llama_arguments}


def _call(module, name, arguments):
    """Return the call that creates a network."""
    return f"{module}.get_model({', '.join([repr(name), *(f'{key}={value!r}' for key, value in arguments.items())])})"
