"""Word vectors from custom files, from published files, or concatenated from several embeddings."""

from __future__ import annotations

import os
import shutil
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import ndarray as nd
from ...base import ArgumentError, CheckError, FileFormatError, MXNetError, data_dir, nearest
from ...common.class_registry import Class, Factory
from ...common.docstrings import share_sentences
from ...common.vocabulary import Vocabulary
from ...serialization.atomic_write import replacing
from .pretrained_files import FASTTEXT, GLOVE, GLOVE_ARCHIVES, UnknownFileError
from .vector_file import read_vectors

if TYPE_CHECKING:
    from ...ndarray import NDArray

__all__ = ["CompositeEmbedding", "CustomEmbedding", "FastText", "GloVe", "create", "get_pretrained_file_names",
           "register"]

_embeddings = Factory("token embedding")
_published = {"glove": GLOVE, "fasttext": FASTTEXT}


def register(embedding_cls: Class) -> Class:
    r"""Register a class for `create` under its lower-case name; usable as a decorator.

    embedding_cls: the class.

    >>> @mx.contrib.text.embedding.register
    ... class Mine(mx.contrib.text.embedding.CustomEmbedding):
    ...     pass
    >>> with open("vectors.txt", "w") as file:
    ...     size = file.write("hello 1 2\nworld 3 4\n")
    >>> mx.contrib.text.embedding.create("mine", pretrained_file_path="vectors.txt").vec_len
    2
    """
    return _embeddings.register(embedding_cls)


def create(embedding_name: str, **kwargs: Any) -> Any:
    """Return an instance of a registered class: `create("glove", pretrained_file_name="glove.6B.50d.txt")`.

    embedding_name: 'glove', 'fasttext' or a name added by `register`.
    kwargs: the class's arguments.

    Raises CheckError for an unknown embedding, UnknownFileError for an unknown file, and MXNetError for a missing one.

    >>> try:
    ...     mx.contrib.text.embedding.create("glove", embedding_root="nothing here")
    ... except mx.MXNetError:
    ...     print("the file is not there")
    the file is not there
    """
    return _embeddings.create(embedding_name, **kwargs)


def get_pretrained_file_names(embedding_name: Any = None) -> Any:
    """Return the names of published files: a list for one embedding, or {embedding: list} for all.

    embedding_name: 'glove' or 'fasttext'; None for all.

    Raises UnknownFileError, a KeyError, for an embedding without published files.

    >>> mx.contrib.text.embedding.get_pretrained_file_names("glove")[0]
    'glove.42B.300d.txt'
    """
    if embedding_name is None:
        return {name: list(files) for name, files in _published.items()}
    if embedding_name not in _published:
        raise UnknownFileError(f"no files are published for a token embedding {embedding_name!r}."
                               + nearest(embedding_name, _published) + f" Published: {', '.join(_published)}.")
    return list(_published[embedding_name])


class _TokenEmbedding(Vocabulary):
    """A vocabulary with a vector for each token.

    Subclasses call `_load` or `_put_together` at the end of their constructor. The vector at index 0 is used for all
    unknown tokens.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._idx_to_vec = None

    @property
    def vec_len(self) -> int:
        """The length of each vector."""
        return self._idx_to_vec.shape[1]

    @property
    def idx_to_vec(self) -> NDArray:
        """The vectors in index order: NDArray (tokens, vec_len), float32."""
        return self._idx_to_vec

    def get_vecs_by_tokens(self, tokens: Any, lower_case_backup: bool = False) -> NDArray:
        """Return the vectors of tokens: an NDArray (vec_len,) for one token, (len(tokens), vec_len) for a list.

        lower_case_backup: whether to look up an unknown token in lower case before falling back to the vector for
        unknown tokens.
        """
        index_of = self.token_to_idx
        names = tokens if isinstance(tokens, list) else [tokens]
        if lower_case_backup:
            names = [name if name in index_of else name.lower() for name in names]
        vectors = nd.take(self._idx_to_vec, nd.array(self.to_indices(names), dtype="int32"))
        return vectors if isinstance(tokens, list) else vectors[0]

    def update_token_vectors(self, tokens: Any, new_vectors: Any) -> None:
        """Replace the vector of a token, or of each token in a list.

        new_vectors: NDArray (len(tokens), vec_len); for one token, (vec_len,) is also accepted.

        Raises ArgumentError for a token without its own vector, and CheckError if the shapes do not match. In either
        case, nothing is changed.
        """
        tokens = tokens if isinstance(tokens, list) else [tokens]
        unknown = [token for token in tokens if token not in self.token_to_idx]
        if unknown:
            raise ArgumentError(f"update_token_vectors: {unknown[0]!r} has no vector of its own. To change that of "
                                f"all unknown tokens, name it: {self.unknown_token!r}.")
        expected = (len(tokens), self.vec_len)
        actual = getattr(new_vectors, "shape", type(new_vectors).__name__)
        if actual != expected and not (len(tokens) == 1 and actual == (self.vec_len,)):
            raise CheckError(f"update_token_vectors: new_vectors is {actual}, expected an NDArray of shape "
                             f"{expected} for {len(tokens)} token{'s' if len(tokens) != 1 else ''}")
        self._idx_to_vec[nd.array(self.to_indices(tokens), dtype="int32")] = new_vectors.reshape(expected)

    # -- for subclasses ---------------------------------------------------------------------------------------------

    def _load(self, path, elem_delim, init_unknown_vec, encoding, vocabulary):
        """Read a file of vectors. If there is a vocabulary, keep only the vectors of its tokens."""
        unknown, tokens, vectors = read_vectors(path, elem_delim, encoding, self.unknown_token)
        for token in tokens:
            if token not in self._token_to_idx:
                self._token_to_idx[token] = len(self._idx_to_token)
                self._idx_to_token.append(token)
        length = vectors.shape[1]
        table = nd.zeros((len(self), length))
        table[:] = init_unknown_vec(shape=length) if unknown is None else nd.array(unknown)
        values = table.asnumpy()
        with np.errstate(over="ignore"):
            values[[self._token_to_idx[token] for token in tokens]] = vectors
        self._idx_to_vec = nd.array(values)
        if vocabulary is not None:
            self._put_together(vocabulary, [self])

    def _put_together(self, vocabulary, parts):
        """Adopt the vocabulary, with the concatenated vectors of all parts.

        Its unknown token has the parts' vectors for unknown tokens, even if a part contains a token with that name.
        """
        _check_vocabulary(type(self).__name__, vocabulary)
        tokens = vocabulary.idx_to_token[1:]
        rows = [nd.array([0, *part.to_indices(tokens)], dtype="int32") for part in parts]
        self._idx_to_vec = nd.concat(*[nd.take(part.idx_to_vec, row) for part, row in zip(parts, rows, strict=True)],
                                     dim=1)
        self._idx_to_token = list(vocabulary.idx_to_token)
        self._token_to_idx = dict(vocabulary.token_to_idx)
        self._unknown_token, self._reserved_tokens = vocabulary.unknown_token, vocabulary.reserved_tokens


class CustomEmbedding(_TokenEmbedding):
    r"""Word vectors from a text file: each line contains a token and its numbers, separated by `elem_delim`.

    pretrained_file_path: the file.
    encoding: the encoding of the file.
    init_unknown_vec: a function of `shape` that returns the vector for unknown tokens, such as `nd.zeros`; a vector of
        `unknown_token` in the file takes precedence.
    vocabulary: a Vocabulary; only its tokens are kept.
    kwargs: unknown_token, reserved_tokens.

    Raises FileFormatError for a file that does not contain vectors.

    >>> with open("vectors.txt", "w") as file:
    ...     size = file.write("hello 1 2\nworld 3 4\n")
    >>> vectors = mx.contrib.text.embedding.CustomEmbedding("vectors.txt")
    >>> vectors.get_vecs_by_tokens(["world", "moon"]).asnumpy().tolist(), vectors.vec_len, vectors.idx_to_vec.shape
    ([[3.0, 4.0], [0.0, 0.0]], 2, (3, 2))
    >>> vectors.update_token_vectors("hello", nd.array([5, 6]))
    >>> vectors.get_vecs_by_tokens("Hello", lower_case_backup=True).asnumpy().tolist()
    [5.0, 6.0]
    """

    def __init__(self, pretrained_file_path: Any, elem_delim: str = " ", encoding: str = "utf8",
                 init_unknown_vec: Any = nd.zeros, vocabulary: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._load(pretrained_file_path, elem_delim, init_unknown_vec, encoding, vocabulary)


class CompositeEmbedding(_TokenEmbedding):
    r"""Concatenation of several embeddings' vectors for each token of a vocabulary.

    vocabulary: a Vocabulary.
    token_embeddings: one embedding, or a list.

    >>> with open("vectors.txt", "w") as file:
    ...     size = file.write("hello 1 2\nworld 3 4\n")
    >>> import collections
    >>> words = mx.contrib.text.vocab.Vocabulary(collections.Counter(["hello"]))
    >>> vectors = mx.contrib.text.embedding.CustomEmbedding("vectors.txt")
    >>> both = mx.contrib.text.embedding.CompositeEmbedding(words, [vectors, vectors])
    >>> both.get_vecs_by_tokens("hello").asnumpy().tolist(), both.vec_len, both.idx_to_vec.shape
    ([1.0, 2.0, 1.0, 2.0], 4, (2, 4))
    >>> both.update_token_vectors("hello", nd.array([5, 6, 7, 8]))
    >>> both.get_vecs_by_tokens("hello").asnumpy().tolist()
    [5.0, 6.0, 7.0, 8.0]
    """

    def __init__(self, vocabulary: Any, token_embeddings: Any) -> None:
        super().__init__()
        parts = token_embeddings if isinstance(token_embeddings, list) else [token_embeddings]
        for part in parts:
            if not isinstance(part, _TokenEmbedding):
                raise CheckError(f"CompositeEmbedding: token_embeddings contains a {type(part).__name__}, expected "
                                 "embeddings such as GloVe or CustomEmbedding")
        self._put_together(vocabulary, parts)


@register
class GloVe(_TokenEmbedding):
    r"""Published vectors: Pennington, Socher, Manning, "GloVe: Global Vectors for Word Representation", EMNLP 2014.

    pretrained_file_name: one of `get_pretrained_file_names("glove")`.
    embedding_root: the folder whose subfolder 'glove' contains the file, or its published archive; by
        default $MXNET_HOME/embeddings, in ~/.mxnet.

    Raises MXNetError if the file is missing.

    >>> import os
    >>> os.mkdir("glove")               # for the published file; here two lines stand for it
    >>> with open("glove/glove.6B.50d.txt", "w") as file:
    ...     size = file.write("the 1 2 3\nof 4 5 6\n")
    >>> vectors = mx.contrib.text.embedding.GloVe("glove.6B.50d.txt", embedding_root=".")
    >>> vectors.vec_len, vectors.get_vecs_by_tokens("of").asnumpy().tolist()
    (3, [4.0, 5.0, 6.0])
    """

    def __init__(self, pretrained_file_name: str = "glove.840B.300d.txt", embedding_root: str | None = None,
                 init_unknown_vec: Any = nd.zeros, vocabulary: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        path = _find("glove", pretrained_file_name, embedding_root, GLOVE_ARCHIVES.get(pretrained_file_name))
        self._load(path, " ", init_unknown_vec, "utf8", vocabulary)


@register
class FastText(_TokenEmbedding):
    r"""Published vectors: Bojanowski et al., "Enriching Word Vectors with Subword Information", TACL 5, 2017.

    pretrained_file_name: one of `get_pretrained_file_names("fasttext")`.
    embedding_root: the folder whose subfolder 'fasttext' contains the file, or a .zip file that contains it.

    Raises MXNetError if the file is missing.

    >>> import os
    >>> os.mkdir("fasttext")            # for the published file; here two lines stand for it
    >>> with open("fasttext/wiki.simple.vec", "w") as file:
    ...     size = file.write("the 1 2 3\nof 4 5 6\n")
    >>> vectors = mx.contrib.text.embedding.FastText("wiki.simple.vec", embedding_root=".")
    >>> vectors.vec_len, vectors.get_vecs_by_tokens("of").asnumpy().tolist()
    (3, [4.0, 5.0, 6.0])
    """

    def __init__(self, pretrained_file_name: str = "wiki.simple.vec", embedding_root: str | None = None,
                 init_unknown_vec: Any = nd.zeros, vocabulary: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        path = _find("fasttext", pretrained_file_name, embedding_root, f"{pretrained_file_name}.zip")
        self._load(path, " ", init_unknown_vec, "utf8", vocabulary)


def _check_vocabulary(owner, vocabulary):
    if not isinstance(vocabulary, Vocabulary):
        raise CheckError(f"{owner}: vocabulary is a {type(vocabulary).__name__}, expected a Vocabulary")


def _find(kind, name, root, archive):
    """Return the path of a published file, unpacked first if only its archive exists."""
    if name not in _published[kind]:
        raise UnknownFileError(f"no {kind} file is called {name!r}." + nearest(name, _published[kind])
                               + f" All names: text.embedding.get_pretrained_file_names({kind!r}).")
    root = os.path.join(data_dir(), "embeddings") if root is None else os.path.expanduser(root)
    folder = os.path.join(root, kind)
    path = os.path.join(folder, name)
    packed = os.path.join(folder, archive)
    if not os.path.exists(path) and os.path.exists(packed):
        try:
            with zipfile.ZipFile(packed) as file, replacing(path) as whole, file.open(name) as inside:
                shutil.copyfileobj(inside, whole)
        except (OSError, EOFError, KeyError, NotImplementedError, zipfile.BadZipFile, zlib.error) as error:
            raise FileFormatError(f"{packed} is damaged, or not an archive with {name}: {error}") from error
    if not os.path.exists(path):
        raise MXNetError(f"the vectors {name} are expected in {path}, or in {packed}, but neither exists. They "
                         "are not downloaded. Put one of them there, or specify another folder with embedding_root.")
    return path


share_sentences(CustomEmbedding, GloVe, FastText)
