"""Encoding of sentences as numbers, and batches of sentences with similar lengths."""

from __future__ import annotations

import logging
import random
from typing import Any

import numpy as np

from ... import ndarray as nd
from ...base import ArgumentError
from ...common.dtypes import as_dtype
from ...common.types import DType
from ...diagnostics.argument_kinds import worded
from ...io import DataBatch, DataDesc, DataIter
from ...io.options import parses_texts

__all__ = ["BucketSentenceIter", "encode_sentences"]


@worded
def encode_sentences(sentences: Any, vocab: Any = None, invalid_label: int = -1, invalid_key: str = "\n",
                     start_label: Any = 0, unknown_token: Any = None) -> Any:
    r"""Return (sentences as lists of indices, vocabulary {token: index}).

    vocab: None creates a vocabulary, which counts from start_label and skips invalid_label, the index of invalid_key.
        With a given vocabulary, unknown tokens are replaced by unknown_token or, if that is None, raise ArgumentError.

    >>> mx.rnn.encode_sentences([["to", "be"], ["or", "not", "to", "be"]], start_label=1, invalid_label=0)
    ([[1, 2], [3, 4, 1, 2]], {'\n': 0, 'to': 1, 'be': 2, 'or': 3, 'not': 4})
    """
    is_new = vocab is None
    vocab = {invalid_key: invalid_label} if is_new else vocab
    number, coded = start_label, []
    for sentence in sentences:
        numbers = []
        for token in sentence:
            if token not in vocab:
                if not is_new and not unknown_token:
                    raise ArgumentError(f"encode_sentences: {token!r} is not in the vocabulary of {len(vocab)} tokens. "
                                        "Give unknown_token to read on.")
                token = unknown_token or token
                if token not in vocab:
                    number += number == invalid_label
                    vocab[token] = number
                    number += 1
            numbers.append(vocab[token])
        coded.append(numbers)
    return coded, vocab


class BucketSentenceIter(DataIter):
    """Iterator over batches of sentences padded to the length of their bucket. The label is the next token.

    sentences: lists of indices, such as those from `encode_sentences`.
    buckets: the lengths of the buckets; by default, each length that at least batch_size sentences have. Longer
        sentences are skipped, with a warning.
    invalid_label: the padding.
    layout: 'NT' or 'TN'. Each pass shuffles the batches, with Python's and NumPy's random generators.
    data_name, label_name: names of the two arrays of a batch.
    dtype: the dtype of both arrays.

    >>> batches = mx.rnn.BucketSentenceIter([[1, 2], [3, 4, 5], [6]], batch_size=3, buckets=[3])
    >>> batch = batches.next()
    >>> batch.bucket_key, sorted(batch.data[0].asnumpy().tolist())
    (3, [[1.0, 2.0, -1.0], [3.0, 4.0, 5.0], [6.0, -1.0, -1.0]])
    >>> sorted(batch.label[0].asnumpy().tolist())                   # the next token of each
    [[-1.0, -1.0, -1.0], [2.0, -1.0, -1.0], [4.0, 5.0, -1.0]]
    """

    batch_size: int
    buckets: list[Any]
    data_name: str
    label_name: str
    invalid_label: Any
    major_axis: int
    curr_idx: int

    @parses_texts
    @worded
    def __init__(self, sentences: Any, batch_size: int, buckets: Any = None, invalid_label: int = -1,
                 data_name: str = "data", label_name: str = "softmax_label", dtype: DType = "float32",
                 layout: str = "NT") -> None:
        super().__init__()
        if layout not in ("NT", "TN"):
            raise ArgumentError(f"BucketSentenceIter: layout is {layout!r}, expected 'NT' (batch first) or 'TN' (time "
                                "first)")
        if not buckets:
            counts = np.bincount([len(sentence) for sentence in sentences])
            buckets = [length for length, count in enumerate(counts) if count >= batch_size]
        if not buckets:
            raise ArgumentError(f"BucketSentenceIter: no length has {batch_size} sentences, a batch. Give "
                                "buckets.")
        self.batch_size, self.buckets, self.dtype = batch_size, sorted(buckets), dtype
        self.data_name, self.label_name, self.layout = data_name, label_name, layout
        self.invalid_label, self.major_axis = invalid_label, layout.find("N")
        self.default_bucket_key: Any = max(buckets)
        self.data = self._fill(sentences)
        self.provide_data: list[Any] = [self._describe(data_name, self.default_bucket_key)]
        self.provide_label: list[Any] = [self._describe(label_name, self.default_bucket_key)]
        self.idx: list[tuple[int, int]] = [(bucket, start) for bucket, rows in enumerate(self.data)
                                           for start in range(0, len(rows) - batch_size + 1, batch_size)]
        self.curr_idx = 0
        self.reset()

    def _fill(self, sentences):
        """Return an array (sentences, length) for each bucket."""
        rows, left_out = [[] for _ in self.buckets], 0
        for sentence in sentences:
            bucket = np.searchsorted(self.buckets, len(sentence))
            if bucket == len(self.buckets):
                left_out += 1
                continue
            row = np.full(self.buckets[bucket], self.invalid_label, as_dtype(self.dtype))
            row[:len(sentence)] = sentence
            rows[bucket].append(row)
        if left_out:
            logging.warning("BucketSentenceIter: %d sentences that are longer than the longest bucket are skipped",
                            left_out)
        return [np.array(sequences, as_dtype(self.dtype)).reshape(len(sequences), length)
                for sequences, length in zip(rows, self.buckets, strict=True)]

    def _describe(self, name, length):
        shape = (self.batch_size, length) if self.major_axis == 0 else (length, self.batch_size)
        return DataDesc(name=name, shape=shape, layout=self.layout)

    def reset(self) -> None:
        """Start a new pass, in a new order."""
        self.curr_idx = 0
        random.shuffle(self.idx)
        for rows in self.data:
            np.random.shuffle(rows)

    def next(self) -> DataBatch:
        """Return the next batch; its bucket_key is the length. Raises StopIteration at the end of the pass."""
        if self.curr_idx == len(self.idx):
            raise StopIteration
        bucket, start = self.idx[self.curr_idx]
        self.curr_idx += 1
        data = self.data[bucket][start:start + self.batch_size]
        label = np.full_like(data, self.invalid_label)
        label[:, :-1] = data[:, 1:]
        if self.major_axis == 1:
            data, label = data.T, label.T
        length = self.buckets[bucket]
        return DataBatch([nd.array(data, dtype=self.dtype)], [nd.array(label, dtype=self.dtype)], pad=0,
                         bucket_key=length, provide_data=[self._describe(self.data_name, length)],
                         provide_label=[self._describe(self.label_name, length)])
