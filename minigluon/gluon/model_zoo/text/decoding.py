"""Text generation with a language model: step-by-step decoding and token sampling."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import ndarray as nd
from ....base import ArgumentError, ShapeError
from ....ndarray import NDArray
from ...hybrid_block import HybridBlock
from .gpt2 import GPT2Model
from .llama import LlamaModel

__all__ = ["GPT2Decoder", "LlamaDecoder", "SequenceSampler", "TokenSampler"]


class GPT2Decoder(HybridBlock):
    """Decoding steps of a GPT2Model with cached keys and values, which return the next token's scores and new states.

    data (batch,): one token per row, or (batch, length): several | out: scores (batch, vocab_size), and states

    states, the second argument, come from `begin_state` or the previous step. The caches are updated in place. Only the
    shape of data may change, so hybridized steps share one plan. For inference only.

    net: the GPT2Model.

    >>> net = gluon.model_zoo.text.GPT2Model(units=8, vocab_size=5, max_length=16, num_layers=2, num_heads=2)
    >>> net.initialize()
    >>> decoder = gluon.model_zoo.text.GPT2Decoder(net)
    >>> decoder.hybridize()
    >>> scores, states = decoder(nd.array([[1, 2, 3]]), decoder.begin_state(batch_size=1, capacity=10))
    >>> scores, states = decoder(nd.array([4]), states)
    >>> whole, _ = net(nd.array([[1, 2, 3, 4]]))
    >>> bool(nd.abs(scores - whole[:, -1]).max().asscalar() < 1e-5), states[0].asnumpy().tolist()
    (True, [4])
    """

    def __init__(self, net: GPT2Model | LlamaModel, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.net = net

    def begin_state(self, batch_size: int, capacity: int, ctx: Any = None, dtype: Any = "float32") -> list[NDArray]:
        """Return empty states: the number of positions, (batch,), then caches of keys and values for each layer.

        batch_size: the number of rows decoded together.
        capacity: maximum number of positions.
        ctx: the device; the current one if None.
        dtype: the dtype of the net's parameters.
        """
        self.net.check_length(capacity)
        caches = [nd.zeros(shape, ctx=ctx, dtype=dtype) for shape in self.net.cache_shapes(batch_size, capacity)]
        return [nd.zeros((batch_size,), ctx=ctx, dtype="int32"), *caches]

    def __call__(self, data: Any, states: Any) -> Any:
        """Return the scores, and the states extended by one position for each token in data."""
        if data.ndim == 1:
            data = data.expand_dims(1)
        needed, capacity = int(states[0].asnumpy().max()) + data.shape[1], states[1].shape[2]
        if needed > capacity:
            raise ShapeError(f"{type(self).__name__}: the states have room for {capacity} positions, found {needed}. "
                             "Give begin_state a larger capacity.")
        scores, filled = super().__call__(data, states)
        return scores, [filled, *states[1:]]

    def hybrid_forward(self, F: Any, data: Any, states: Any) -> Any:
        """Return the scores after the last position, and the new number of positions."""
        filled, *caches = states
        steps = F.cast(F.contrib.arange_like(data, axis=1), dtype="int32")
        place = F.broadcast_add(F.expand_dims(filled, axis=1), F.expand_dims(steps, axis=0))

        def attend_to(i, layer, *inputs):
            return layer.attend_in_place(F, *inputs, filled, *caches[2 * i:2 * i + 2])

        last = F.slice_axis(self.net.encode(F, data, place, attend_to), axis=1, begin=-1, end=None)
        following = F.reshape(F.slice_axis(place, axis=1, begin=-1, end=None) + 1, shape=(-1,))
        return self.net.score(F.reshape(last, shape=(0, -1))), following

    def generate(self, prompt: Any, length: int, eos_id: int | None = None, temperature: float = 1.0,
                 top_k: int | None = None, top_p: float | None = None) -> NDArray:
        """Return the prompt followed by sampled tokens: (batch, positions + length) int32, with -1 after `eos_id`.

        prompt: tokens (batch, positions).
        length: maximum number of new tokens.
        eos_id: the token that ends a row, or None.
        temperature, top_k, top_p: as in `TokenSampler`; top_k=1 always takes the best token.

        >>> net = gluon.model_zoo.text.GPT2Model(units=8, vocab_size=5, max_length=16, num_layers=2, num_heads=2)
        >>> net.initialize()
        >>> gluon.model_zoo.text.GPT2Decoder(net).generate(nd.array([[1, 2, 3]]), length=4, top_k=1).shape
        (1, 7)
        """
        rows, positions = prompt.shape
        prompt = prompt.astype("int32")
        states = self.begin_state(rows, positions + length, prompt.ctx, self.net.dtype)
        if positions > 1:
            _, states = self(prompt[:, :-1], states)
        sampler = SequenceSampler(1, self, eos_id, length, temperature, top_k, top_p)
        drawn, _, _ = sampler(prompt[:, -1], states)
        return nd.concat(prompt[:, :-1], drawn[:, 0], dim=1)[:, :positions + length]


class LlamaDecoder(GPT2Decoder):
    """Decoding steps of a LlamaModel with cached keys and values; calls and methods are those of `GPT2Decoder`.

    data (batch,): one token per row, or (batch, length): several | out: scores (batch, vocab_size), and states

    net: the LlamaModel.

    >>> net = gluon.model_zoo.text.llama_tiny()
    >>> net.initialize()
    >>> decoder = gluon.model_zoo.text.LlamaDecoder(net)
    >>> decoder.hybridize()
    >>> decoder.generate(nd.array([[1, 2, 3]]), length=4, top_k=1).shape
    (1, 7)
    """


class TokenSampler(HybridBlock):
    """Sampler of tokens from scores.

    scores (batch, vocab_size), before any softmax | out: tokens (batch,) int32, and the logarithms of their
    probabilities (batch,), before temperature, top_k and top_p are applied

    temperature: the divisor of the scores; smaller values favor the best tokens.
    top_k: sample only from the top_k best tokens; 1 always takes the best. None samples from all tokens.
    top_p: sample from the smallest set of best tokens with at least this total probability. None samples from all
    tokens.

    Source: Holtzman et al. 2020, The Curious Case of Neural Text Degeneration (top_p).

    >>> scores = nd.array([[1, 5, 3]])
    >>> greedy = gluon.model_zoo.text.TokenSampler(top_k=1)
    >>> greedy(scores)[0].item()
    1
    >>> nucleus = gluon.model_zoo.text.TokenSampler(top_p=0.5)          # token 1 has 0.87
    >>> nucleus(scores)[0].item()
    1
    """

    def __init__(self, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None,
                 **kwargs: Any) -> None:
        if not temperature > 0:
            raise ArgumentError(f"temperature is {temperature}, expected a number above 0; top_k=1 always takes the "
                                "best token")
        if top_k is not None and top_k < 1:
            raise ArgumentError(f"top_k is {top_k}, expected None or at least 1")
        if top_p is not None and not 0 < top_p <= 1:
            raise ArgumentError(f"top_p is {top_p}, expected None or a number above 0 and up to 1")
        super().__init__(**kwargs)
        self._temperature, self._top_k, self._top_p = temperature, top_k, top_p

    def hybrid_forward(self, F: Any, scores: Any) -> Any:
        """Return tokens and the logarithms of their probabilities."""
        tokens = F.cast(self._draw(F, scores), dtype="int32")
        return tokens, F.pick(F.log_softmax(scores, axis=-1), tokens)

    def _draw(self, F, scores):
        if self._top_k == 1:
            return F.argmax(scores, axis=-1)
        scores = scores / self._temperature
        if self._top_k is None and self._top_p is None:
            return F.sample_multinomial(F.softmax(scores, axis=-1))
        best, tokens = F.topk(scores, axis=-1, k=self._top_k or 0, ret_typ="both", dtype="int32")
        chances = F.softmax(best, axis=-1)
        if self._top_p is not None:
            better = F.cumsum(chances, axis=1) - chances            # the total probability of all better tokens
            chances = chances * (better < self._top_p)
            chances = F.broadcast_div(chances, F.sum(chances, axis=1, keepdims=True))
        return F.pick(tokens, F.sample_multinomial(chances))


class SequenceSampler:
    """Sampler that draws several token sequences for each row of the inputs.

    beam_size: the number of sequences per row.
    decoder: decoder(tokens (rows,), states) returns scores (rows, vocab_size), before any softmax, and new states, a
        list or tuple of arrays with the rows along their first axis. A `GPT2Decoder` is an example.
    eos_id: the token that ends a sequence, or None.
    max_length: maximum number of new tokens.
    temperature, top_k, top_p: as in `TokenSampler`.

    >>> def count(tokens, states):                  # after n comes n + 1
    ...     return nd.one_hot(tokens + 1, 9) * 100, states
    >>> sampler = gluon.model_zoo.text.SequenceSampler(2, count, eos_id=7, max_length=4)
    >>> samples, scores, lengths = sampler(nd.array([1, 5]), [])
    >>> samples[:, 0].asnumpy().tolist(), lengths[:, 0].asnumpy().tolist()
    ([[1, 2, 3, 4, 5, 7], [5, 6, 7, -1, -1, -1]], [6, 3])
    """

    def __init__(self, beam_size: int, decoder: Any, eos_id: int | None, max_length: int = 100,
                 temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None) -> None:
        if beam_size < 1:
            raise ArgumentError(f"SequenceSampler: beam_size is {beam_size}, expected at least 1")
        self._beam_size, self._decoder, self._eos_id, self._max_length = beam_size, decoder, eos_id, max_length
        self._choose = TokenSampler(temperature, top_k, top_p)
        self._choose.hybridize()

    def __call__(self, inputs: Any, states: Any) -> tuple[NDArray, NDArray, NDArray]:
        """Sample sequences that begin with `inputs`.

        inputs: tokens (batch,).
        states: initial states of the decoder, with axis 0 of length batch.

        Returns (sequences (batch, beam_size, length) int32, with -1 after their ends, the logarithms of their
        probabilities (batch, beam_size), their lengths (batch, beam_size) int32). As in GluonNLP, `eos_id`, unless it
        is None, is appended to a sequence that has not ended after max_length tokens.
        """
        shape = (len(inputs), self._beam_size)
        tokens = nd.repeat(inputs, self._beam_size).astype("int32")
        states = [nd.repeat(state, self._beam_size, axis=0) for state in states]
        going, score = np.ones(len(tokens), bool), np.zeros(len(tokens), "float32")
        drawn = [tokens.asnumpy()]
        for _ in range(self._max_length):
            outputs, states = self._decoder(tokens, states)
            tokens, logarithms = self._choose(outputs)
            score += np.where(going, logarithms.asnumpy(), 0)
            drawn.append(np.where(going, tokens.asnumpy(), -1))
            going &= drawn[-1] != self._eos_id
            if not going.any():
                break
        if self._eos_id is not None and going.any():
            drawn.append(np.where(going, self._eos_id, -1))
        sequences = np.stack(drawn, axis=1).astype("int32")
        lengths = (sequences >= 0).sum(axis=1).astype("int32")
        return (nd.array(sequences.reshape(*shape, -1), ctx=inputs.ctx, dtype="int32"),
                nd.array(score.reshape(shape), ctx=inputs.ctx),
                nd.array(lengths.reshape(shape), ctx=inputs.ctx, dtype="int32"))
