"""A vocabulary, in which each token has an index, and all unknown tokens share one index."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..base import ArgumentError, CheckError, integer_types
from ..diagnostics.keywords import ChecksKeywords
from ..diagnostics.strictness import refuse

__all__ = ["Vocabulary"]


class Vocabulary(ChecksKeywords):
    """Tokens by index and indices by token: the unknown token, the reserved tokens, then the tokens in a counter.

    counter: a collections.Counter of tokens, or None. The most frequent tokens come first; equally frequent ones are in
        alphabetical order.
    most_freq_count: the maximum number of tokens to take from the counter.
    min_freq: the minimum count of a token.
    unknown_token: the token with index 0.
    reserved_tokens: a list of tokens whose indices follow.

    Raises CheckError for invalid arguments.

    >>> import collections
    >>> counter = collections.Counter("to be or not to be".split())
    >>> words = mx.contrib.text.vocab.Vocabulary(counter, min_freq=2)
    >>> words.idx_to_token, words.to_indices(["be", "bee"]), words.to_tokens([2, 0])
    (['<unk>', 'be', 'to'], [1, 0], ['to', '<unk>'])
    >>> words.token_to_idx, words.unknown_token, words.reserved_tokens
    ({'<unk>': 0, 'be': 1, 'to': 2}, '<unk>', None)
    """

    def __init__(self, counter: Any = None, most_freq_count: Any = None, min_freq: Any = 1,
                 unknown_token: str = "<unk>", reserved_tokens: Any = None) -> None:
        _check(counter, min_freq, unknown_token, reserved_tokens)
        self._unknown_token = unknown_token
        self._reserved_tokens = None if reserved_tokens is None else list(reserved_tokens)
        self._idx_to_token = [unknown_token, *(reserved_tokens or ())]
        if counter is not None:
            tokens = set(self._idx_to_token)
            by_frequency = sorted(counter.items(), key=lambda item: (-item[1], item[0]))
            frequent = [token for token, count in by_frequency if count >= min_freq and token not in tokens]
            self._idx_to_token += _first(frequent, most_freq_count)
        self._token_to_idx = {token: index for index, token in enumerate(self._idx_to_token)}

    def __len__(self) -> int:
        return len(self._idx_to_token)

    @property
    def token_to_idx(self) -> dict[str, int]:
        """The indices, {token: index}."""
        return self._token_to_idx

    @property
    def idx_to_token(self) -> list[str]:
        """The tokens, in the order of their indices."""
        return self._idx_to_token

    @property
    def unknown_token(self) -> str:
        """The token with index 0."""
        return self._unknown_token

    @property
    def reserved_tokens(self) -> Any:
        """The reserved tokens as given: a list, or None."""
        return self._reserved_tokens

    def to_indices(self, tokens: Any) -> Any:
        """Return the index of a token, or a list of indices for a list of tokens; 0 for unknown tokens."""
        if isinstance(tokens, list):
            return [self._token_to_idx.get(token, 0) for token in tokens]
        return self._token_to_idx.get(tokens, 0)

    def to_tokens(self, indices: Any) -> Any:
        """Return the token with a given index, or a list of tokens for a list of indices. Raises ArgumentError for an
        unknown index.

        indices: an integer, or a list of integers.
        """
        if isinstance(indices, list):
            return [self._token(index) for index in indices]
        return self._token(indices)

    def _token(self, index):
        if not isinstance(index, integer_types) or not 0 <= index < len(self):
            error = ArgumentError(f"token index {index!r} is invalid: expected an integer from 0 to {len(self) - 1}, "
                                  f"the indices of this vocabulary of {len(self)} tokens")
            if not isinstance(index, integer_types) or not -len(self) <= index < 0:
                raise error
            refuse(error)               # a negative index counts from the end, as in a list
        return self._idx_to_token[index]


def _first(tokens, count):
    """Return the first tokens, or all of them if the count is None or negative, as in MXNet."""
    return tokens if count is None or count < 0 else tokens[:count]


def _check(counter, min_freq, unknown_token, reserved_tokens):
    if not isinstance(counter, (Counter, type(None))):
        raise CheckError(f"Vocabulary: counter is of type {type(counter).__name__}, expected a collections.Counter")
    if min_freq <= 0:
        raise CheckError(f"Vocabulary: min_freq is {min_freq}, expected a positive number")
    reserved = list(reserved_tokens or ())
    if unknown_token in reserved:
        raise CheckError(f"Vocabulary: reserved_tokens contains the unknown token {unknown_token!r}, which has "
                         "index 0 already. Leave it out of the list.")
    twice = sorted(token for token, count in Counter(reserved).items() if count > 1)
    if twice:
        raise CheckError(f"Vocabulary: reserved_tokens contains {', '.join(map(repr, twice))} more than once")
