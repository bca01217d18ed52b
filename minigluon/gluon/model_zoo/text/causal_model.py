"""The common part of language models that read text in one direction: calls, states, and shapes of caches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....base import ShapeError
from ....ndarray import NDArray
from ...hybrid_block import HybridBlock
from .attention import causal_mask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....common.types import DType

__all__ = ["CausalModel"]


class CausalModel(HybridBlock):
    """Base class of models that return scores for the next token at each position, given the tokens so far.

    A subclass passes to `__init__` what is common to all, creates its layers, and defines `encode(F, data, place,
    attend_to)`, which returns features, `score(encoded)`, which returns the scores of all tokens, and `_embedding`,
    its first layer.

    max_length: maximum number of positions.
    num_layers: the number of layers, each with keys and values of the positions before.
    num_kv_heads: the number of heads of keys and values in each layer.
    head_size: the number of features of a head.
    """

    def __init__(self, max_length: int, num_layers: int, num_kv_heads: int, head_size: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._max_length, self._num_layers = max_length, num_layers
        self._num_kv_heads, self._size = num_kv_heads, head_size

    def __call__(self, data: Any, states: Sequence[Any] | None = None) -> Any:
        """Return scores and states; see the class."""
        if isinstance(data, NDArray):
            self.check_length(data.shape[1] + (0 if states is None else states[0].shape[2]))
        return super().__call__(data, states)

    def hybrid_forward(self, F: Any, data: Any, states: Any = None) -> Any:
        """Return scores and states; see the class."""
        place = F.contrib.arange_like(data, axis=1)
        keys_at = place
        if states is not None:
            earlier = F.contrib.arange_like(states[0], axis=2)
            place = F.broadcast_add(place, F.sum(F.ones_like(earlier), keepdims=True))
            keys_at = F.concat(earlier, place, dim=0)
        mask, new_states = causal_mask(F, place, keys_at), []

        def attend_to(i, layer, *inputs):
            out, (key, value) = layer(*inputs, mask, None if states is None else states[2 * i:2 * i + 2])
            new_states.extend((key, value))
            return out

        return self.score(self.encode(F, data, F.expand_dims(place, axis=0), attend_to)), new_states

    def check_length(self, length: int) -> None:
        """Raise ShapeError if there are more positions than the net supports.

        length: the number of positions.

        >>> net = gluon.model_zoo.text.llama_tiny(prefix="llamamodel0_")
        >>> net.check_length(64)
        >>> net.check_length(65)
        Traceback (most recent call last):
        ...
        minigluon.base.ShapeError: LlamaModel 'llamamodel0' has 64 positions (max_length), found 65
        """
        if length > self._max_length:
            raise ShapeError(f"{type(self).__name__} {self.name!r} has {self._max_length} positions (max_length), "
                             f"found {length}")

    def cache_shapes(self, batch_size: int, capacity: int) -> list[tuple[int, ...]]:
        """Return the shapes of the key and value caches, two per layer (see `contrib.cached_attention`).

        batch_size: the number of rows decoded together.
        capacity: maximum number of positions.

        >>> gluon.model_zoo.text.llama_tiny().cache_shapes(batch_size=1, capacity=10)[:2]
        [(1, 2, 10, 16), (1, 2, 10, 16)]
        """
        return [(batch_size, self._num_kv_heads, capacity, self._size)] * (2 * self._num_layers)

    @property
    def dtype(self) -> DType:
        """The parameters' dtype.

        >>> gluon.model_zoo.text.llama_tiny().dtype is np.float32
        True
        """
        return self._embedding.weight.dtype

    def state_info(self, *args: Any, **kwargs: Any) -> None:
        """Return None, which indicates to samplers that the first axis of each state is the batch axis.

        args, kwargs: ignored.

        >>> gluon.model_zoo.text.llama_tiny().state_info(batch_size=1) is None
        True
        """
