"""BERT and GPT-2: files and answers of GluonNLP's (records/record_gluonnlp.py), states, errors."""

import io
import json
import zipfile

import numpy as np
import pytest
from helpers.errors import message
from records import DATA
from records.gluonnlp_cases import BERT, CUT, ENCODER, GPT2, LENGTHS, MASKED, TYPES, WORDS

import minigluon as mx
from minigluon import nd
from minigluon.gluon.model_zoo import text


def recorded(name, net, tmp_path):
    """The answers; the net has the parameters of GluonNLP's file, whose names it must have."""
    with zipfile.ZipFile(DATA / "gluonnlp.zip") as file:
        assert sorted(net.collect_params()) == sorted(json.loads(file.read(f"{name}.json")))
        (tmp_path / name).write_bytes(file.read(f"{name}.params"))
        net.load_parameters(str(tmp_path / name))
        return dict(np.load(io.BytesIO(file.read(f"{name}.npz"))))


def small_bert(**kwargs):
    return text.BERTModel(text.BERTEncoder(prefix="bertencoder0_", **ENCODER), **{**BERT, **kwargs})


def close(found, expected):
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=0, atol=3e-6)


@pytest.mark.parametrize("hybrid", [False, True])
def test_bert_answers_as_gluonnlps_from_its_file(hybrid, tmp_path):
    net = small_bert(prefix="bert_")
    expected = recorded("bert", net, tmp_path)
    net.hybridize(hybrid)
    arrays = [nd.array(x) for x in (WORDS, TYPES, LENGTHS, MASKED)]
    for name, found in zip(("sequence", "pooled", "follows", "words"), net(*arrays)):
        close(found, expected[name])
    close(net(*arrays[:2], None, arrays[3])[0], expected["no_length"])


@pytest.mark.parametrize("hybrid", [False, True])
def test_gpt2_answers_as_gluonnlps_from_its_file(hybrid, tmp_path):
    net = text.GPT2Model(prefix="gpt2_", **GPT2)
    expected = recorded("gpt2", net, tmp_path)
    net.hybridize(hybrid)
    close(net(nd.array(WORDS))[0], expected["whole"])
    _, states = net(nd.array(WORDS[:, :CUT]))
    rest, states = net(nd.array(WORDS[:, CUT:]), states)
    close(rest, expected["rest"])
    for i, state in enumerate(states):
        close(state, expected[f"state{i}"])


def test_parts_of_bert_that_are_not_used_are_not_there():
    net = small_bert(use_decoder=False, use_classifier=False)
    net.initialize()
    assert [out.shape for out in net(nd.array(WORDS), nd.array(TYPES))] == [(2, 6, 8), (2, 8)]
    net = small_bert(use_decoder=False, use_classifier=False, use_pooler=False)
    net.initialize()
    assert net(nd.array(WORDS), nd.array(TYPES)).shape == (2, 6, 8)


def test_what_is_behind_the_valid_length_changes_nothing():
    net = small_bert(use_decoder=False)
    net.initialize(mx.init.Normal(0.3))
    other = np.where(np.arange(6) < LENGTHS[:, None], WORDS, 9)
    for found, again in zip(*(net(nd.array(words), nd.array(TYPES), nd.array(LENGTHS)) for words in (WORDS, other))):
        np.testing.assert_array_equal(found.asnumpy(), again.asnumpy())


def test_transformers_names():
    """The names of a whole model, as transformers 5.23 has them; tests/libraries/transformers_logits.py has values."""
    net = text.GPT2Model(**GPT2)
    net.initialize()
    rng = np.random.RandomState(0)
    layer = {"ln_1": (8,), "attn.c_attn": (8, 24), "attn.c_proj": (8, 8), "ln_2": (8,), "mlp.c_fc": (8, 32),
             "mlp.c_proj": (32, 8)}
    state = {"transformer.wte.weight": (10, 8), "transformer.wpe.weight": (8, 8),
             **{f"transformer.h.{i}.{name}.weight": shape for i in range(2) for name, shape in layer.items()},
             **{f"transformer.h.{i}.{name}.bias": shape[-1:] for i in range(2) for name, shape in layer.items()},
             "transformer.ln_f.weight": (8,), "transformer.ln_f.bias": (8,), "lm_head.weight": (10, 8)}
    state = {name: rng.randn(*shape) for name, shape in state.items()}
    text.load_transformers(net, state)
    params = net._collect_params_with_prefix()
    np.testing.assert_allclose(params["_ffn_layers.1._out_map.weight"].data().asnumpy(),
                               state["transformer.h.1.mlp.c_proj.weight"].T, rtol=1e-6)
    np.testing.assert_allclose(params["_attn_ln.1.beta"].data().asnumpy(), state["transformer.h.1.ln_1.bias"],
                               rtol=1e-6)
    assert message(mx.MXNetError, text.load_transformers, net, {**state, "transformer.score.weight": 1.0}) == (
        "file 'transformers state dict' has arrays that are no parameters of this block:\n"
        "  'transformer.score.weight'.\n"
        "  Pass ignore_extra=True to skip them.")


def test_errors():
    assert message(mx.base.ArgumentError, text.load_transformers, mx.gluon.nn.Dense(2), {}) == (
        "load_transformers knows GPT2Model and BERTModel, found Dense")
    assert message(mx.base.ArgumentError, text.GPT2SelfAttentionLayer, 10, 3) == (
        "GPT2SelfAttentionLayer: units is 10, expected a multiple of num_heads, which is 3")
    assert message(mx.base.ArgumentError, text.DotProductSelfAttentionCell, 10, 3) == (
        "DotProductSelfAttentionCell: units is 10, expected a multiple of num_heads, which is 3")
    assert message(mx.base.ArgumentError, small_bert, use_pooler=False) == (
        "BERTModel: use_classifier=True needs use_pooler=True; its input is what the pooler gives")
    net = small_bert(prefix="bert_")
    net.initialize()
    assert message(mx.base.ArgumentError, net, nd.array(WORDS), nd.array(TYPES)) == (
        "BERTModel 'bert' has a decoder for masked words: give masked_positions, or make it with use_decoder=False")
    assert message(mx.base.ShapeError, net, nd.zeros((1, 8)), nd.zeros((1, 8))) == (
        "BERTModel 'bert' has 7 positions (max_length), found 8")
    net = text.GPT2Model(prefix="gpt2_", **GPT2)
    net.initialize()
    assert message(mx.base.ShapeError, net, nd.zeros((1, 9))) == (
        "GPT2Model 'gpt2' has 8 positions (max_length), found 9")
    assert message(mx.base.ArgumentError, text.get_model, "gpt2").startswith(
        "get_model: the model 'gpt2' is not known. Known: 'bert_12_768_12', ")
