"""Counting of the tokens in a text."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

__all__ = ["count_tokens_from_str"]


def count_tokens_from_str(source_str: Any, token_delim: str = " ", seq_delim: str = "\n", to_lower: bool = False,
                          counter_to_update: Any = None) -> Any:
    """Count the tokens of a string in a collections.Counter.

    token_delim, seq_delim: regular expressions that match the separators between tokens.
    to_lower: whether to convert tokens to lower case, after splitting.
    counter_to_update: a Counter to add to and return.
    source_str: the string.

    >>> sorted(mx.contrib.text.utils.count_tokens_from_str("to be or not to be").items())
    [('be', 2), ('not', 1), ('or', 1), ('to', 2)]
    """
    counter = Counter() if counter_to_update is None else counter_to_update
    tokens = filter(None, re.split(f"{token_delim}|{seq_delim}", source_str))
    counter.update(token.lower() if to_lower else token for token in tokens)
    return counter
