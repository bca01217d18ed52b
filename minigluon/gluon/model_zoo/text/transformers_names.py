"""Loads parameters from models in the `transformers` package by mapping its names to those used here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from .... import ndarray as nd
from ....base import ArgumentError
from .bert import BERTModel
from .gpt2 import GPT2Model
from .llama import LlamaModel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...block import Block

__all__ = ["load_transformers"]

# The package's name -> our name; * is the layer's index. Below, `norm` and `dense` add the parameters of each layer
# type.
_GPT2 = {
    "wte": "_embed", "wpe": "_pos_embed", "ln_f": "_final_ln",
    "h.*.ln_1": "_attn_ln.*", "h.*.ln_2": "_ffn_ln.*",
    "h.*.attn.c_attn": "_self_attention_layers.*._multi_head_qkv_proj",
    "h.*.attn.c_proj": "_self_attention_layers.*._out_proj",
    "h.*.mlp.c_fc": "_ffn_layers.*._hidden_map", "h.*.mlp.c_proj": "_ffn_layers.*._out_map",
}
_CELL, _LAYER = "encoder.transformer_cells.*", "encoder.layer.*"
_BERT = {
    "embeddings.word_embeddings": "word_embed.0", "embeddings.token_type_embeddings": "token_type_embed.0",
    "embeddings.position_embeddings": "encoder.position", "embeddings.LayerNorm": "encoder.layer_norm",
    **{f"{_LAYER}.attention.self.{part}": f"{_CELL}.attention_cell.proj_{part}" for part in ("query", "key", "value")},
    f"{_LAYER}.attention.output.dense": f"{_CELL}.proj",
    f"{_LAYER}.attention.output.LayerNorm": f"{_CELL}.layer_norm",
    f"{_LAYER}.intermediate.dense": f"{_CELL}.ffn.ffn_1", f"{_LAYER}.output.dense": f"{_CELL}.ffn.ffn_2",
    f"{_LAYER}.output.LayerNorm": f"{_CELL}.ffn.layer_norm",
    "pooler.dense": "pooler", "cls.seq_relationship": "classifier",
    "cls.predictions.transform.dense": "decoder.0", "cls.predictions.transform.LayerNorm": "decoder.2",
    "cls.predictions": "decoder.3",
}

# Other entries in a state dict are masks, wavelengths of positions, and weights tied to the embedding.
_WAVELENGTHS = re.compile(r".*\.rotary_emb\.inv_freq$")
_TIED = re.compile(r"(.*\.attn\.(masked_)?bias|lm_head\.weight|.*position_ids|cls\.predictions\.decoder\..*|"
                   rf"{_WAVELENGTHS.pattern})$")


def load_transformers(net: Block, state: Mapping[str, Any], allow_missing: bool = False,
                      ignore_extra: bool = False) -> None:
    """Load the parameters of a `transformers` model into a GPT2Model, a LlamaModel or a BERTModel.

    The package's GPT-2 stores layer weights transposed, which is undone here. The dtypes of `net` do not change.

    net: a net with the same sizes, initialized or not.
    state: the `state_dict()` of a GPT2LMHeadModel, GPT2Model, LlamaForCausalLM, BertForPreTraining or BertModel, or
        NumPy arrays with the same names.
    allow_missing, ignore_extra: accept parameters missing from `state`, and extra ones that do not exist in `net`.

    Raises ArgumentError for any other net, and MXNetError, like `load_parameters`, if names or shapes do not match.

    >>> net = gluon.model_zoo.text.GPT2Model(units=2, vocab_size=3, max_length=4, num_layers=0, num_heads=1)
    >>> state = {"transformer.wte.weight": np.eye(3, 2), "transformer.wpe.weight": np.zeros((4, 2)),
    ...          "transformer.ln_f.weight": np.ones(2), "transformer.ln_f.bias": np.zeros(2)}
    >>> gluon.model_zoo.text.load_transformers(net, state)
    >>> net(nd.array([[0, 1]]))[0].asnumpy().round(2).tolist()
    [[[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]]]
    """
    if not isinstance(net, (GPT2Model, LlamaModel, BERTModel)):
        raise ArgumentError("load_transformers supports GPT2Model, LlamaModel and BERTModel, found "
                            f"{type(net).__name__}")
    is_gpt2, is_llama = isinstance(net, GPT2Model), isinstance(net, LlamaModel)
    names, arrays = _GPT2 if is_gpt2 else _BERT, {}
    params = net._collect_params_with_prefix()
    untied = is_llama and net.lm_head.weight is not net.embed_tokens.weight
    ignored = _WAVELENGTHS if untied else _TIED
    for name, value in state.items():
        if ignored.match(name):
            continue
        ours = name.removeprefix("model.") if is_llama else _ours(name, names)
        values = np.asarray(value)
        if is_gpt2 and values.ndim == 2 and re.search(r"_(proj|map)\.", ours):
            values = values.T
        arrays[ours] = nd.array(values, dtype=params[ours].dtype if ours in params else None)
    net._load_arrays(arrays, "transformers state dict", allow_missing=allow_missing, ignore_extra=ignore_extra)


def _ours(name, names):
    """Return our name for `name` of `transformers`, or `name` itself if it is not in the table."""
    layer, _, kind = re.sub(r"^(transformer|bert)\.", "", name).rpartition(".")
    number = re.search(r"\.(\d+)\.", layer)
    ours = names.get(re.sub(r"\.\d+\.", ".*.", layer))
    if ours is None:
        return name
    is_norm = re.search(r"(_ln|layer_norm|decoder\.2)(\.\*)?$", ours)
    kind = {"weight": "gamma", "bias": "beta"}.get(kind, kind) if is_norm else kind     # old files have ours
    if ours == "encoder.position":      # a direct parameter of the encoder
        return "encoder.position_weight"
    return f"{ours.replace('*', number[1] if number else '')}.{kind}"
