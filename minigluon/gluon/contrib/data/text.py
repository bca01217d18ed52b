"""WikiText: language modeling data from high-quality Wikipedia articles.

Merity et al., "Pointer Sentinel Mixture Models", 2016.

Files are looked up in `root`, by default in ~/.mxnet/datasets ($MXNET_HOME/datasets), and downloaded if missing.
Existing files are checked against their published SHA-1.
"""

from __future__ import annotations

import os
import zipfile
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from .... import ndarray as nd
from ....base import ArgumentError, FileFormatError
from ....common.docstrings import share_docstring
from ....common.vocabulary import Vocabulary
from ...data.dataset import Dataset
from ...data.vision.files import data_dir, fetch

if TYPE_CHECKING:
    from ....ndarray import NDArray

__all__ = ["WikiText2", "WikiText103"]

END_OF_LINE = "<eos>"


class _WikiText(Dataset):
    """A long text split into samples (words, next words) of `seq_len` words each.

    Both are int32 NDArrays (seq_len,) of indices. Empty lines are skipped, and the last words that do not fill a sample
    are dropped.

    root: the folder that contains the files.
    segment: 'train', 'validation' or 'test'.
    vocab: a Vocabulary; by default '<unk>', '<eos>' (which ends each line) and all words in the segment, most frequent
        first.
    seq_len: the number of words per sample.

    Source: Merity et al. 2016, Pointer Sentinel Mixture Models.
    """

    _name = _archive = None     # the URL of the data set, and (file, SHA-1)
    _segments = {}              # {segment: (file, SHA-1)}

    def __init__(self, root: str | None = None, segment: str = "train", vocab: Any = None, seq_len: int = 35):
        if segment not in self._segments:
            raise ArgumentError(f"{type(self).__name__}: segment is {segment!r}, expected one of "
                                f"{', '.join(map(repr, self._segments))}")
        self._root = os.path.expanduser(root or data_dir(self._name))
        words = self._read(*self._segments[segment])
        self._frequencies = Counter(word for word in words if word != END_OF_LINE)
        self._vocabulary = vocab or Vocabulary(self._frequencies, reserved_tokens=[END_OF_LINE])
        indices = np.array(self._vocabulary.to_indices(words), "int32")
        count = max(len(indices) - 1, 0) // seq_len
        self._data = nd.array(indices[:count * seq_len].reshape(count, seq_len), dtype="int32")
        self._label = nd.array(indices[1:count * seq_len + 1].reshape(count, seq_len), dtype="int32")

    @property
    def vocabulary(self):
        """The Vocabulary to which the samples' indices refer."""
        return self._vocabulary

    @property
    def frequencies(self):
        """A Counter of the words in the segment."""
        return self._frequencies

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: int) -> tuple[NDArray, NDArray]:
        return self._data[idx], self._label[idx]

    def _read(self, name, sha1):
        """Return a file's words, with an end-of-line word after each line."""
        path = os.path.join(self._root, name)
        if not os.path.exists(path):
            self._unpack(name)
        path = fetch(self._root, self._name, name, [sha1])
        with open(path, encoding="utf8") as file:
            lines = [line.split() for line in file]
        return [word for line in lines if line for word in [*line, END_OF_LINE]]

    def _unpack(self, name):
        """Extract a file from the folder in the archive."""
        os.makedirs(self._root, exist_ok=True)
        archive = fetch(self._root, self._name, self._archive[0], [self._archive[1]])
        with zipfile.ZipFile(archive) as packed:
            inside = next((member for member in packed.namelist() if os.path.basename(member) == name), None)
            if inside is None:
                raise FileFormatError(f"{archive} does not contain {name}")
            content = packed.read(inside)
        with open(os.path.join(self._root, name + ".part"), "wb") as file:
            file.write(content)
        os.replace(os.path.join(self._root, name + ".part"), os.path.join(self._root, name))


class WikiText2(_WikiText):
    """WikiText-2: 2 million words, of which 33,278 are distinct.

    >>> data = gluon.contrib.data.text.WikiText2(segment="validation")
    >>> data[0][0].shape, data.vocabulary.idx_to_token[:2], data.frequencies["the"] > 1000
    ((35,), ['<unk>', '<eos>'], True)
    """

    _name = "wikitext-2"
    _archive = "wikitext-2-v1.zip", "3c914d17d80b1459be871a5039ac23e752a53cbe"
    _segments = {"train": ("wiki.train.tokens", "863f29c46ef9d167fff4940ec821195882fe29d1"),
                 "validation": ("wiki.valid.tokens", "0418625c8b4da6e4b5c7a0b9e78d4ae8f7ee5422"),
                 "test": ("wiki.test.tokens", "c7b8ce0aa086fb34dab808c5c49224211eb2b172")}


class WikiText103(_WikiText):
    """WikiText-103: 103 million words, of which 267,735 are distinct.

    >>> data = gluon.contrib.data.text.WikiText103(segment="validation", seq_len=10)
    >>> data[0][0].shape, data.vocabulary.idx_to_token[:2], data.frequencies["the"] > 1000
    ((10,), ['<unk>', '<eos>'], True)
    """

    _name = "wikitext-103"
    _archive = "wikitext-103-v1.zip", "0aec09a7537b58d4bb65362fee27650eeaba625a"
    _segments = {"train": ("wiki.train.tokens", "b7497e2dfe77e72cfef5e3dbc61b7b53712ac211"),
                 "validation": ("wiki.valid.tokens", "c326ac59dc587676d58c422eb8a03e119582f92b"),
                 "test": ("wiki.test.tokens", "8a5befc548865cec54ed4273cf87dbbad60d1e47")}


share_docstring(_WikiText, WikiText2, WikiText103)
