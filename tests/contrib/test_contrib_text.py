"""Vocabularies and vectors of words. The numbers and orders are those of MXNet 1.9.1 on the same calls."""

import zipfile
from collections import Counter

import numpy as np
import pytest
from helpers.errors import message
from hypothesis import given
from hypothesis import strategies as st
from minigluon.contrib.text.vocab import Vocabulary

import minigluon as mx
from minigluon import nd
from minigluon.contrib import autograd, text
from minigluon.contrib.text.embedding import CompositeEmbedding, CustomEmbedding, _TokenEmbedding

pytestmark = pytest.mark.once

WORDS = Counter({"a": 1, "b": 2, "c": 3, "some_word$": 1})
VECTORS = "a 0.1 0.2 0.3\nb 0.4 0.5 0.6\n<unk> 9 9 9\nb 7 7 7\n"


@pytest.fixture
def vectors(tmp_path):
    """A function that makes a file of vectors; calling it without text makes the usual one."""
    def write(content=VECTORS):
        (tmp_path / "my.vec").write_text(content)
        return str(tmp_path / "my.vec")
    return write


# -- words ----------------------------------------------------------------------------------------------------------


def test_counting():
    count = text.utils.count_tokens_from_str
    assert count(" life is great ! \n Life is good . \n") == {"is": 2, "life": 1, "great": 1, "!": 1, "Life": 1,
                                                             "good": 1, ".": 1}
    assert count("a-b--c;;A-", "-", ";", to_lower=True) == {"a": 2, "b": 1, "c": 1}
    assert count("aXXbXXA", "XX", to_lower=True) == {"a": 2, "b": 1}
    before = Counter(a=1)
    assert count("a b", counter_to_update=before) is before
    assert before == {"a": 2, "b": 1}


@pytest.mark.parametrize(("options", "tokens"), [
    ({}, "<unk> c b a some_word$"),
    ({"most_freq_count": 2}, "<unk> c b"),
    ({"most_freq_count": 0}, "<unk>"),
    ({"most_freq_count": -1}, "<unk> c b a some_word$"),
    ({"min_freq": 2}, "<unk> c b"),
    ({"min_freq": 0.5}, "<unk> c b a some_word$"),
    ({"reserved_tokens": ["b", "<pad>"]}, "<unk> b <pad> c a some_word$"),
    ({"reserved_tokens": ["b"], "most_freq_count": 1}, "<unk> b c"),
    ({"unknown_token": "b"}, "b c a some_word$"),
])
def test_order_of_a_vocabulary(options, tokens):
    words = Vocabulary(WORDS, **options)
    assert words.idx_to_token == tokens.split()
    assert words.token_to_idx == {token: index for index, token in enumerate(words.idx_to_token)}
    assert words.reserved_tokens == options.get("reserved_tokens")
    assert words.unknown_token == options.get("unknown_token", "<unk>")
    assert len(words) == len(tokens.split())


def test_looking_up():
    words = Vocabulary(WORDS)
    assert (words.to_indices("c"), words.to_indices(["c", "no such word"]), words.to_indices([])) == (1, [1, 0], [])
    assert (words.to_tokens(0), words.to_tokens([1, 2]), words.to_tokens([])) == ("<unk>", ["c", "b"], [])
    assert len(Vocabulary()) == 1


@given(st.lists(st.text("abcde", min_size=1, max_size=3)), st.integers(1, 3))
def test_there_and_back(tokens, least):
    words = Vocabulary(Counter(tokens), min_freq=least)
    frequent = [token for token in tokens if tokens.count(token) >= least]
    assert words.to_tokens(words.to_indices(frequent)) == frequent
    assert set(words.idx_to_token) == {"<unk>", *frequent}
    counts = [tokens.count(token) for token in words.idx_to_token[1:]]
    assert counts == sorted(counts, reverse=True)


def test_mistakes_with_vocabularies():
    assert message(AssertionError, Vocabulary, WORDS, min_freq=0) == \
        "Vocabulary: min_freq is 0, expected a positive number"
    assert message(AssertionError, Vocabulary, {"a": 1}) == \
        "Vocabulary: counter is of type dict, expected a collections.Counter"
    assert message(AssertionError, Vocabulary, WORDS, reserved_tokens=["<unk>"]) == (
        "Vocabulary: reserved_tokens contains the unknown token '<unk>', which has index 0 already. Leave it out of "
        "the list.")
    assert message(AssertionError, Vocabulary, WORDS, reserved_tokens=["x", "x"]) == \
        "Vocabulary: reserved_tokens contains 'x' more than once"
    for index in (9, -1, 1.0, "c"):
        assert message(ValueError, Vocabulary(WORDS).to_tokens, index) == (
            f"token index {index!r} is invalid: expected an integer from 0 to 4, the indices of this vocabulary of 5 "
            "tokens")


# -- vectors --------------------------------------------------------------------------------------------------------


@pytest.fixture
def custom(vectors):
    with pytest.warns(UserWarning, match="is ignored"):
        return CustomEmbedding(vectors())


def test_a_file_of_vectors(custom):
    assert (len(custom), custom.vec_len, custom.idx_to_token) == (3, 3, ["<unk>", "a", "b"])
    np.testing.assert_array_equal(custom.idx_to_vec.asnumpy(),
                                  np.array([[9, 9, 9], [0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], "float32"))
    assert custom.get_vecs_by_tokens("a").shape == (3,)
    assert custom.get_vecs_by_tokens(["A", "zz"]).asnumpy().tolist() == [[9, 9, 9], [9, 9, 9]]
    assert (custom.get_vecs_by_tokens(["A"], lower_case_backup=True) == custom.idx_to_vec[1:2]).min() == 1
    assert isinstance(custom, Vocabulary)


def test_headers_and_second_vectors_are_passed_over(vectors):
    path = vectors("3 2\na 1 2\na 3 4 \nb 2 3\n")
    with pytest.warns(UserWarning, match="ignored|skipped") as caught:
        made = CustomEmbedding(path, init_unknown_vec=nd.ones)
    assert [str(warning.message) for warning in caught] == [
        f"{path}, line 1: '3' with one number is treated as a header and skipped",
        f"{path}, line 3: a second vector of 'a' is ignored"]
    assert made.idx_to_vec.asnumpy().tolist() == [[1, 1], [1, 2], [2, 3]]


def test_new_vectors(custom):
    custom.update_token_vectors("a", nd.array([1, 2, 3]))
    assert custom.get_vecs_by_tokens("a").asnumpy().tolist() == [1, 2, 3]
    custom.update_token_vectors(["a", "<unk>"], nd.array([[1, 1, 1], [0, 0, 0]]))
    assert custom.get_vecs_by_tokens(["a", "?"]).asnumpy().tolist() == [[1, 1, 1], [0, 0, 0]]
    before = custom.idx_to_vec.asnumpy()
    assert message(ValueError, custom.update_token_vectors, ["a", "zz"], nd.ones((2, 3))) == (
        "update_token_vectors: 'zz' has no vector of its own. To change that of all unknown tokens, name it: '<unk>'.")
    assert message(AssertionError, custom.update_token_vectors, ["a", "b"], nd.ones((3, 2))) == (
        "update_token_vectors: new_vectors is (3, 2), expected an NDArray of shape (2, 3) for 2 tokens")
    assert message(AssertionError, custom.update_token_vectors, "a", [1, 2, 3]) == (
        "update_token_vectors: new_vectors is list, expected an NDArray of shape (1, 3) for 1 token")
    np.testing.assert_array_equal(custom.idx_to_vec.asnumpy(), before)


def test_the_tokens_of_a_vocabulary(custom, vectors):
    words = Vocabulary(Counter(["a", "q"]), reserved_tokens=["<pad>"])
    with pytest.warns(UserWarning, match="is ignored"):
        mine = CustomEmbedding(vectors(), vocabulary=words)
    assert (mine.idx_to_token, mine.reserved_tokens) == (["<unk>", "<pad>", "a", "q"], ["<pad>"])
    both = CompositeEmbedding(words, [custom, mine])
    assert both.vec_len == 6
    expected = custom.get_vecs_by_tokens(["?", "?", "a", "?"]).asnumpy()
    np.testing.assert_array_equal(both.idx_to_vec.asnumpy(), np.concatenate([expected, expected], 1))
    assert CompositeEmbedding(words, custom).vec_len == 3
    assert message(AssertionError, CompositeEmbedding, words, ["glove"]) == (
        "CompositeEmbedding: token_embeddings contains a str, expected embeddings such as GloVe or CustomEmbedding")
    assert message(AssertionError, CompositeEmbedding, ["a"], custom) == \
        "CompositeEmbedding: vocabulary is a list, expected a Vocabulary"


def test_an_unknown_token_that_a_part_knows(vectors):
    """The numbers are those of MXNet 1.9.1."""
    first, second = CustomEmbedding(vectors("a 1 2\nb 3 4\n<unk> 9 9\n")), CustomEmbedding(vectors("a 5 6\nu 7 8\n"))
    words = Vocabulary(Counter(["a"]), unknown_token="b")
    assert CompositeEmbedding(words, first).idx_to_vec.asnumpy().tolist() == [[9, 9], [1, 2]]
    assert CompositeEmbedding(words, [first, second]).idx_to_vec.asnumpy().tolist() == [[9, 9, 0, 0], [1, 2, 5, 6]]
    mine = CustomEmbedding(vectors("a 1 2\nb 3 4\n<unk> 9 9\n"), vocabulary=words)
    assert mine.get_vecs_by_tokens(["b", "zz"]).asnumpy().tolist() == [[9, 9], [9, 9]]


@pytest.mark.parametrize(("content", "problem"), [
    ("a\n", ", line 1: expected a token and its numbers, separated by ' ', found 'a'"),
    ("", ": the file has no line with a token and its numbers"),
    ("7 1\n", ": the file has no line with a token and its numbers"),
    ("a 1 x\n", ", line 1: could not convert string to float: 'x'"),
    ("a 1 2\n\nb 1 2\n", ", line 2: expected a token and its numbers, separated by ' ', found ''"),
    ("a 1 2\nb 1 2 3\n", ", line 2: 'b' has 3 numbers, but earlier tokens have 2"),
    ("<unk> 1 2\nb 1 2 3\n", ", line 2: 'b' has 3 numbers, but earlier tokens have 2"),
])
@pytest.mark.filterwarnings("ignore:.*treated as a header")
def test_files_that_are_none_of_vectors(vectors, content, problem):
    path = vectors(content)
    assert message(mx.base.FileFormatError, CustomEmbedding, path) == path + problem
    assert message(AssertionError, CustomEmbedding, path) == path + problem


def test_files_that_cannot_be_read(tmp_path):
    assert message(ValueError, CustomEmbedding, "no_such_file") == \
        "cannot read the word vectors in 'no_such_file': No such file or directory"
    (tmp_path / "latin").write_bytes(b"\xe9t\xe9 1 2\n")
    assert message(mx.MXNetError, CustomEmbedding, str(tmp_path / "latin")) == (
        f"{tmp_path}/latin is not text in the encoding 'utf8', after line 0: invalid continuation byte. Convert the "
        "file, or name its encoding where the reader takes one.")
    assert CustomEmbedding(str(tmp_path / "latin"), encoding="latin1").idx_to_token[1] == "été"


# -- published files ------------------------------------------------------------------------------------------------


def test_names_of_published_files():
    names = text.embedding.get_pretrained_file_names()
    assert {kind: len(files) for kind, files in names.items()} == {"glove": 10, "fasttext": 327}
    assert text.embedding.get_pretrained_file_names("glove")[:2] == ["glove.42B.300d.txt", "glove.6B.50d.txt"]
    assert "wiki.simple.vec" in names["fasttext"]
    assert message(KeyError, text.embedding.get_pretrained_file_names, "glow") == (
        "no files are published for a token embedding 'glow'. Did you mean 'glove'? Published: glove, fasttext.")


@pytest.mark.parametrize(("kind", "name", "archive"), [
    ("glove", "glove.6B.50d.txt", "glove.6B.zip"), ("glove", "glove.840B.300d.txt", "glove.840B.300d.zip"),
    ("glove", "glove.twitter.27B.25d.txt", "glove.twitter.27B.zip"),
    ("fasttext", "wiki.simple.vec", "wiki.simple.vec.zip"),
])
def test_published_files(tmp_path, monkeypatch, kind, name, archive):
    monkeypatch.setenv("MXNET_HOME", str(tmp_path))
    folder = tmp_path / "embeddings" / kind
    assert message(mx.MXNetError, text.embedding.create, kind, pretrained_file_name=name) == (
        f"the vectors {name} are expected in {folder / name}, or in {folder / archive}, but neither exists. They are "
        "not downloaded. Put one of them there, or specify another folder with embedding_root.")
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / archive, "w") as packed:
        packed.writestr(name, "hello 1 2\nworld 3 4\n")
    made = text.embedding.create(kind, pretrained_file_name=name, embedding_root=str(tmp_path / "embeddings"))
    assert made.get_vecs_by_tokens(["world", "?"]).asnumpy().tolist() == [[3, 4], [0, 0]]
    assert (folder / name).exists()
    assert message(KeyError, text.embedding.create, kind, pretrained_file_name=name + "x").startswith(
        f"no {kind} file is called '{name}x'. Did you mean ")


def test_an_embedding_of_ones_own(vectors):
    @text.embedding.register
    class Mine(_TokenEmbedding):
        def __init__(self, path):
            super().__init__()
            self._load(path, " ", nd.zeros, "utf8", None)

    assert text.embedding.create("mine", path=vectors("a 1 2\n")).vec_len == 2
    with pytest.raises(AssertionError) as caught:
        text.embedding.create("gluve")
    assert str(caught.value) == (
        "no token embedding is called 'gluve'. Did you mean 'glove'? Registered: fasttext, glove, mine.")
    with pytest.raises(KeyError) as caught:
        text.embedding.get_pretrained_file_names("x")
    assert str(caught.value) == "no files are published for a token embedding 'x'. Published: glove, fasttext."
    del text.embedding._embeddings.classes["mine"]


# -- mx.contrib.autograd ----------------------------------------------------------------------------------------------


def test_older_names_of_automatic_differentiation():
    x = nd.array([1., 2])
    grads, loss = autograd.grad_and_loss(lambda a, b: a * b)(x, x + 1)
    assert [g.asnumpy().tolist() for g in [*grads, loss]] == [[2, 3], [1, 2], [2, 6]]
    assert [g.asnumpy().tolist() for g in autograd.grad(lambda a, b: a * b, [1, 0])(x, x + 1)] == [[1, 2], [2, 3]]
    assert autograd.grad(lambda a, b: a * b, 0)(x, x + 1)[0].asnumpy().tolist() == [2, 3]
    with autograd.train_section():
        assert (mx.autograd.is_training(), mx.autograd.is_recording()) == (True, True)
        with autograd.test_section():
            assert (mx.autograd.is_training(), mx.autograd.is_recording()) == (False, False)
    assert [autograd.set_is_training(state) for state in (True, False)] == [False, True]
    grad = nd.zeros(2)
    autograd.mark_variables([x], [grad])
    with autograd.train_section():
        y = x * x
    autograd.compute_gradient([y])
    assert grad.asnumpy().tolist() == [2, 4]


def test_mistakes_with_older_names():
    assert message(ValueError, autograd.backward, nd.ones(1)) == \
        "backward: outputs is a NDArray, expected a list of NDArrays"

    def loss(a, b):
        return a * b
    assert message(ValueError, autograd.grad(loss), nd.ones(1), 3) == (
        "argument 1 of loss is a int; only NDArrays have gradients. Select them with argnum.")
