"""Networks for text. Their parameters have GluonNLP's names, so that its files can be loaded.

    net = text.gpt2_117m()                                          # a new one
    net = text.get_model("gpt2_117m", pretrained=True)              # with the parameters of GluonNLP's file
    text.load_transformers(net, model.state_dict())                 # from a model of the package transformers
    text.GPT2Decoder(net).generate(prompt, length=100, top_k=40)    # continues the tokens of the prompt
    net = text.llama_1b()                                           # another family of language models

Inputs are token ids; tokenizers are not included.
"""

from __future__ import annotations

from typing import Any

from ....common.docstrings import share_sentences
from ...block import Block
from ...hybrid_block import HybridBlock
from ..vision.classifier import choose as _choose
from . import bert, decoding, gpt2, llama
from .bert import *
from .decoding import *
from .gpt2 import *
from .llama import *
from .transformers_names import load_transformers

__all__ = ["get_model", "load_transformers", *bert.__all__, *decoding.__all__, *gpt2.__all__, *llama.__all__]

_MODELS = {name: globals()[name] for name in ("bert_12_768_12", "bert_24_1024_16", "gpt2_117m", "gpt2_345m", "llama_1b",
                                            "llama_tiny")}


def get_model(name: str, **kwargs: Any) -> HybridBlock:
    """Return a network by name.

    name: 'bert_12_768_12', 'bert_24_1024_16', 'gpt2_117m', 'gpt2_345m', 'llama_1b' or 'llama_tiny'.
    pretrained: load the parameters published by GluonNLP's authors. The nets with `llama` in their names take neither
        this argument nor dataset_name, ctx and root.
    dataset_name: the training data of these parameters: 'openai_webtext' for GPT-2; 'book_corpus_wiki_en_uncased' for
        BERT, or 'book_corpus_wiki_en_cased' with vocab_size=28996.
    ctx: the device or devices for the parameters.
    root: the folder that contains the files; for None, see `model_store`.
    kwargs: pretrained, dataset_name, ctx, root, and other arguments of the network's class, such as num_layers and
        vocab_size, which replace the published sizes.

    Raises ArgumentError for an unknown name.

    >>> net = gluon.model_zoo.text.get_model("gpt2_117m", num_layers=1, units=24, vocab_size=100)
    >>> net.initialize()
    >>> net(nd.array([[1, 2]]))[0].shape
    (1, 2, 100)
    """
    return _choose("get_model: the model", name.lower(), _MODELS)(**kwargs)


share_sentences(Block, *(globals()[_name] for _name in __all__ if isinstance(globals()[_name], type)))
share_sentences(get_model, *(globals()[_name] for _name in _MODELS))
