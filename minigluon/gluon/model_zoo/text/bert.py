"""BERT. Devlin et al., BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding, 2019.

Classes, attributes and parameters have the same names as in GluonNLP and its files. The batch axis is always first,
whereas the inner blocks of GluonNLP's encoder have the length axis first.
"""

from __future__ import annotations

from typing import Any

from .... import initializer
from ....base import ArgumentError, ShapeError
from ....context import cpu
from ....ndarray import NDArray
from ... import nn
from ...hybrid_block import HybridBlock
from ..model_store import get_model_file
from .attention import FORBIDDEN, attend, join_heads, split_heads

__all__ = ["BERTClassifier", "BERTEncoder", "BERTEncoderCell", "BERTModel", "DotProductSelfAttentionCell",
           "PositionwiseFFN", "bert_12_768_12", "bert_24_1024_16"]

# The published sizes.
_SIZES = {"bert_12_768_12": {"units": 768, "hidden_size": 3072, "num_layers": 12, "num_heads": 12},
          "bert_24_1024_16": {"units": 1024, "hidden_size": 4096, "num_layers": 24, "num_heads": 16}}


class DotProductSelfAttentionCell(HybridBlock):
    """Self-attention from each position to all valid positions.

    data (batch, length, units) | mask None or (batch · num_heads, 1, length), see `BERTEncoder` | out like data

    units: the number of features per position, a multiple of num_heads.
    num_heads: number of heads, each with its own part of the features.
    dropout: the fraction of attention weights dropped in training.

    >>> cell = gluon.model_zoo.text.DotProductSelfAttentionCell(units=8, num_heads=2)
    >>> cell.initialize()
    >>> cell(nd.ones((1, 3, 8))).shape
    (1, 3, 8)
    """

    def __init__(self, units: int, num_heads: int, dropout: float = 0.0, **kwargs: Any) -> None:
        if units % num_heads:
            raise ArgumentError(f"DotProductSelfAttentionCell: units is {units}, expected a multiple of num_heads, "
                                f"which is {num_heads}")
        super().__init__(**kwargs)
        self._num_heads = num_heads
        with self.name_scope():
            self.proj_query, self.proj_key, self.proj_value = [
                nn.Dense(units, in_units=units, flatten=False, prefix=f"{part}_") for part in ("query", "key", "value")]
            self.dropout_layer = nn.Dropout(dropout)

    def hybrid_forward(self, F: Any, data: Any, mask: Any = None) -> Any:
        """Return softmax(query · keyᵀ / √(units / num_heads) + mask) · value."""
        parts = [split_heads(F, project(data), self._num_heads)
                 for project in (self.proj_query, self.proj_key, self.proj_value)]
        return join_heads(F, attend(F, *parts, mask, self.dropout_layer))


class PositionwiseFFN(HybridBlock):
    """Two dense layers, applied to each position: layer_norm(x + dropout(ffn_2(gelu(ffn_1(x))))).

    x (batch, length, units) | out like x

    units: the number of features per position.
    hidden_size: the number of features between the layers.
    dropout: the fraction of the output dropped in training.
    layer_norm_eps: added to the variance by LayerNorm.

    >>> layers = gluon.model_zoo.text.PositionwiseFFN(units=8, hidden_size=32)
    >>> layers.initialize()
    >>> layers(nd.ones((1, 3, 8))).shape
    (1, 3, 8)
    """

    def __init__(self, units: int, hidden_size: int, dropout: float = 0.0, layer_norm_eps: float = 1e-12,
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.ffn_1 = nn.Dense(hidden_size, in_units=units, flatten=False, prefix="ffn_1_")
            self.activation = nn.GELU()
            self.ffn_2 = nn.Dense(units, in_units=hidden_size, flatten=False, prefix="ffn_2_")
            self.dropout_layer = nn.Dropout(dropout)
            self.layer_norm = nn.LayerNorm(in_channels=units, epsilon=layer_norm_eps)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return layer_norm(x + dropout(ffn_2(gelu(ffn_1(x)))))."""
        return self.layer_norm(x + self.dropout_layer(self.ffn_2(self.activation(self.ffn_1(x)))))


class BERTEncoderCell(HybridBlock):
    """An encoder layer: attention, then `PositionwiseFFN`, each with a residual connection and normalization.

    data (batch, length, units) | mask as in `DotProductSelfAttentionCell` | out like data

    units, num_heads: as in `DotProductSelfAttentionCell`.
    hidden_size: as in `PositionwiseFFN`.
    dropout: the fraction of attention weights and residual branches dropped in training.
    layer_norm_eps: added to the variance by LayerNorm.

    >>> cell = gluon.model_zoo.text.BERTEncoderCell(units=8, hidden_size=32, num_heads=2)
    >>> cell.initialize()
    >>> cell(nd.ones((1, 3, 8))).shape
    (1, 3, 8)
    """

    def __init__(self, units: int, hidden_size: int, num_heads: int, dropout: float = 0.0,
                 layer_norm_eps: float = 1e-12, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.dropout_layer = nn.Dropout(dropout)
            self.attention_cell = DotProductSelfAttentionCell(units, num_heads, dropout)
            self.proj = nn.Dense(units, in_units=units, flatten=False, prefix="proj_")
            self.ffn: PositionwiseFFN = PositionwiseFFN(units, hidden_size, dropout, layer_norm_eps)
            self.layer_norm = nn.LayerNorm(in_channels=units, epsilon=layer_norm_eps)

    def hybrid_forward(self, F: Any, data: Any, mask: Any = None) -> Any:
        """Return ffn(layer_norm(data + dropout(proj(attention_cell(data)))))."""
        context = self.dropout_layer(self.proj(self.attention_cell(data, mask)))
        return self.ffn(self.layer_norm(data + context))


class BERTEncoder(HybridBlock):
    """The encoder, which adds position embeddings to the data and applies the layers to the sum.

    data (batch, length, units) | valid_length None or (batch,) | out like data, 0 after the valid length

    num_layers: the number of BERTEncoderCells, which are created with units, hidden_size, num_heads and dropout.
    units: the number of features per position.
    hidden_size: the number of features between a cell's dense layers.
    max_length: maximum number of positions.
    num_heads: the number of attention heads.
    dropout: the fraction dropped in training.
    layer_norm_eps: added to the variance by LayerNorm.

    >>> encoder = gluon.model_zoo.text.BERTEncoder(num_layers=2, units=8, hidden_size=32, num_heads=2)
    >>> encoder.initialize()
    >>> encoder(nd.ones((1, 3, 8)), nd.array([2])).shape        # the third position is not looked at
    (1, 3, 8)
    """

    layer_norm_eps: float
    max_length: int
    units: int

    def __init__(self, num_layers: int = 2, units: int = 512, hidden_size: int = 2048, max_length: int = 50,
                 num_heads: int = 4, dropout: float = 0.0, layer_norm_eps: float = 1e-12, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units, self.max_length, self.layer_norm_eps = units, max_length, layer_norm_eps
        self._num_heads = num_heads
        with self.name_scope():
            self.dropout_layer = nn.Dropout(dropout)
            self.layer_norm = nn.LayerNorm(in_channels=units, epsilon=layer_norm_eps)
            self.position_weight = self.params.get("position_weight", shape=(max_length, units),
                                                   init=initializer.Normal(0.02))
            self.transformer_cells = nn.HybridSequential()
            for i in range(num_layers):
                self.transformer_cells.add(BERTEncoderCell(units, hidden_size, num_heads, dropout, layer_norm_eps,
                                                           prefix=f"transformer{i}_"))

    def hybrid_forward(self, F: Any, data: Any, valid_length: Any = None, *, position_weight: Any) -> Any:
        """Return the last layer's output."""
        place, mask = F.contrib.arange_like(data, axis=1), None
        positions = F.Embedding(place, position_weight, input_dim=self.max_length, output_dim=self.units)
        x = self.layer_norm(self.dropout_layer(F.broadcast_add(data, F.expand_dims(positions, axis=0))))
        if valid_length is not None:
            behind = F.broadcast_greater_equal(F.reshape(place, shape=(1, 1, -1)),
                                               F.reshape(valid_length, shape=(-1, 1, 1)).astype("float32"))
            mask = F.repeat(behind * FORBIDDEN, repeats=self._num_heads, axis=0)
        for cell in self.transformer_cells:
            x = cell(x, mask)
        if valid_length is not None:
            x = F.SequenceMask(x, valid_length, use_sequence_length=True, axis=1)
        return x


class BERTModel(HybridBlock):
    """Embeddings, the encoder, and three outputs: for masked words, for pairs of sentences, and pooled.

    inputs (batch, length) token ids | token_types (batch, length): 0 for the first sentence, 1 for the second
    valid_length None or (batch,) | masked_positions (batch, masked), the decoder's inputs
    out: the sequence (batch, length, units), then, if enabled, pooled (batch, units), scores for "the second sentence
    follows the first" (batch, 2), and scores of words (batch, masked, vocab_size); a tuple if there are several

    encoder: a BERTEncoder.
    vocab_size: number of words.
    token_type_vocab_size: number of token types.
    units: the number of features per position, as in the encoder.
    use_pooler: if True, add a dense layer with tanh on the first position.
    use_decoder: if True, add scores for masked words, with weights tied to the embedding.
    use_classifier: if True, add scores for pairs of sentences, which requires the pooler.

    Raises ShapeError for more positions than the encoder has, and ArgumentError for a classifier without a pooler or a
    decoder without masked_positions.

    >>> encoder = gluon.model_zoo.text.BERTEncoder(num_layers=1, units=8, hidden_size=16, num_heads=2, max_length=10)
    >>> net = gluon.model_zoo.text.BERTModel(encoder, vocab_size=30, token_type_vocab_size=2, units=8)
    >>> net.initialize()
    >>> words, types = nd.array([[1, 2, 3, 4]]), nd.array([[0, 0, 1, 1]])
    >>> [out.shape for out in net(words, types, nd.array([3]), nd.array([[1, 2]]))]
    [(1, 4, 8), (1, 8), (1, 2), (1, 2, 30)]
    """

    def __init__(self, encoder: BERTEncoder, vocab_size: int, token_type_vocab_size: int, units: int,
                 use_pooler: bool = True, use_decoder: bool = True, use_classifier: bool = True, **kwargs: Any) -> None:
        if use_classifier and not use_pooler:
            raise ArgumentError("BERTModel: use_classifier=True needs use_pooler=True; its input is what the pooler "
                                "gives")
        super().__init__(**kwargs)
        self.encoder = encoder
        with self.name_scope():
            self.word_embed = _embedding(vocab_size, units, "word_embed_")
            self.token_type_embed = _embedding(token_type_vocab_size, units, "token_type_embed_")
            self.pooler = (nn.Dense(units, in_units=units, flatten=False, activation="tanh", prefix="pooler_")
                           if use_pooler else None)
            self.classifier = nn.Dense(2, in_units=units, prefix="cls_") if use_classifier else None
            self.decoder = self._decoder(units, vocab_size) if use_decoder else None

    def _decoder(self, units, vocab_size):
        decoder = nn.HybridSequential(prefix="decoder_")
        decoder.add(nn.Dense(units, in_units=units, flatten=False), nn.GELU(),
                    nn.LayerNorm(in_channels=units, epsilon=self.encoder.layer_norm_eps),
                    nn.Dense(vocab_size, in_units=units, flatten=False, params=self.word_embed[0].params))
        return decoder

    def __call__(self, inputs: Any, token_types: Any, valid_length: Any = None, masked_positions: Any = None) -> Any:
        """Return the enabled outputs; see the class."""
        most = self.encoder.max_length
        if isinstance(inputs, NDArray) and inputs.shape[1] > most:
            raise ShapeError(f"BERTModel {self.name!r} has {most} positions (max_length), found {inputs.shape[1]}")
        return super().__call__(inputs, token_types, valid_length, masked_positions)

    def hybrid_forward(self, F: Any, inputs: Any, token_types: Any, valid_length: Any = None,
                       masked_positions: Any = None) -> Any:
        """Return the enabled outputs; see the class."""
        sequence = self.encoder(self.word_embed(inputs) + self.token_type_embed(token_types), valid_length)
        outputs = [sequence]
        if self.pooler is not None:
            first = F.reshape(F.slice_axis(sequence, axis=1, begin=0, end=1), shape=(0, -1))
            outputs.append(self.pooler(first))
        if self.classifier is not None:
            outputs.append(self.classifier(outputs[-1]))
        if self.decoder is not None:
            if masked_positions is None:
                raise ArgumentError(f"BERTModel {self.name!r} has a decoder for masked words: pass masked_positions, "
                                    "or create it with use_decoder=False")
            outputs.append(self.decoder(_at_positions(F, sequence, masked_positions)))
        return tuple(outputs) if len(outputs) > 1 else sequence


class BERTClassifier(HybridBlock):
    """A dense layer on the pooled output of a BERTModel, which scores sentences or pairs of sentences.

    inputs, token_types, valid_length as in `BERTModel` | out: scores (batch, num_classes)

    bert: a BERTModel with use_decoder=False, use_classifier=False.
    num_classes: number of scores.
    dropout: the fraction of pooled features dropped in training.

    >>> encoder = gluon.model_zoo.text.BERTEncoder(num_layers=1, units=8, hidden_size=16, num_heads=2, max_length=10)
    >>> bert = gluon.model_zoo.text.BERTModel(encoder, vocab_size=30, token_type_vocab_size=2, units=8,
    ...                                       use_decoder=False, use_classifier=False)
    >>> net = gluon.model_zoo.text.BERTClassifier(bert, num_classes=3)
    >>> net.initialize()
    >>> net(nd.array([[1, 2]]), nd.array([[0, 0]])).shape
    (1, 3)
    """

    def __init__(self, bert: BERTModel, num_classes: int = 2, dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.bert = bert
        with self.name_scope():
            self.classifier = nn.HybridSequential(prefix=kwargs.get("prefix"))
            if dropout:
                self.classifier.add(nn.Dropout(dropout))
            self.classifier.add(nn.Dense(num_classes))

    def __call__(self, inputs: Any, token_types: Any, valid_length: Any = None) -> Any:
        """Return the scores."""
        return super().__call__(inputs, token_types, valid_length)

    def hybrid_forward(self, F: Any, inputs: Any, token_types: Any, valid_length: Any = None) -> Any:
        """Return classifier(pooled)."""
        _, pooled = self.bert(inputs, token_types, valid_length)
        return self.classifier(pooled)


def _embedding(count, units, prefix):
    embedding = nn.HybridSequential(prefix=prefix)
    with embedding.name_scope():
        embedding.add(nn.Embedding(count, units, weight_initializer=initializer.Normal(0.02)))
    return embedding


def _at_positions(F, sequence, positions):
    """Gather sequence (batch, length, units) at positions (batch, count): (batch, count, units)."""
    positions = F.cast(positions, dtype="float32")
    rows = F.broadcast_like(F.expand_dims(F.contrib.arange_like(positions, axis=0), axis=1), positions)
    return F.gather_nd(sequence, F.stack(rows, positions, axis=0))


def _bert(name, pretrained, dataset_name, ctx, root, **kwargs):
    model = {key: kwargs.pop(key) for key in ("use_pooler", "use_decoder", "use_classifier", "prefix", "params")
             if key in kwargs}
    words = {"vocab_size": kwargs.pop("vocab_size", 30522),
             "token_type_vocab_size": kwargs.pop("token_type_vocab_size", 2)}
    encoder = BERTEncoder(**{**_SIZES[name], "max_length": 512, "dropout": 0.1, **kwargs})
    net = BERTModel(encoder, units=encoder.units, **words, **model)
    if pretrained:      # the file contains all parts, but some may be disabled
        net.load_parameters(get_model_file(f"{name}_{dataset_name}", root=root), ctx=ctx, ignore_extra=True)
    return net


def bert_12_768_12(pretrained: bool = False, dataset_name: str = "book_corpus_wiki_en_uncased",
                   ctx: Any = cpu(), root: str | None = None, **kwargs: Any) -> BERTModel:              # noqa: B008
    """Return BERT base: 12 layers, 768 units, 12 heads. Arguments: see `get_model`.

    >>> net = gluon.model_zoo.text.bert_12_768_12(num_layers=1, units=24, hidden_size=48, vocab_size=100,
    ...                                           use_decoder=False, use_classifier=False)
    >>> net.initialize()
    >>> sequence, pooled = net(nd.array([[1, 2, 3]]), nd.zeros((1, 3)))
    >>> sequence.shape, pooled.shape
    ((1, 3, 24), (1, 24))
    """
    return _bert("bert_12_768_12", pretrained, dataset_name, ctx, root, **kwargs)


def bert_24_1024_16(pretrained: bool = False, dataset_name: str = "book_corpus_wiki_en_uncased",
                    ctx: Any = cpu(), root: str | None = None, **kwargs: Any) -> BERTModel:             # noqa: B008
    """Return BERT large: 24 layers, 1024 units, 16 heads. Arguments: see `get_model`.

    >>> net = gluon.model_zoo.text.bert_24_1024_16(num_layers=1, units=32, hidden_size=64, vocab_size=100,
    ...                                            use_pooler=False, use_decoder=False, use_classifier=False)
    >>> net.initialize()
    >>> net(nd.array([[1, 2, 3]]), nd.zeros((1, 3))).shape
    (1, 3, 32)
    """
    return _bert("bert_24_1024_16", pretrained, dataset_name, ctx, root, **kwargs)
