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
        "file 'transformers state dict' has arrays that are not parameters of this block:\n"
        "  'transformer.score.weight'.\n"
        "  Pass ignore_extra=True to skip them.")


def test_errors():
    assert message(mx.base.ArgumentError, text.load_transformers, mx.gluon.nn.Dense(2), {}) == (
        "load_transformers supports GPT2Model and BERTModel, found Dense")
    assert message(mx.base.ArgumentError, text.GPT2SelfAttentionLayer, 10, 3) == (
        "GPT2SelfAttentionLayer: units is 10, expected a multiple of num_heads, which is 3")
    assert message(mx.base.ArgumentError, text.DotProductSelfAttentionCell, 10, 3) == (
        "DotProductSelfAttentionCell: units is 10, expected a multiple of num_heads, which is 3")
    assert message(mx.base.ArgumentError, small_bert, use_pooler=False) == (
        "BERTModel: use_classifier=True needs use_pooler=True; its input is what the pooler gives")
    net = small_bert(prefix="bert_")
    net.initialize()
    assert message(mx.base.ArgumentError, net, nd.array(WORDS), nd.array(TYPES)) == (
        "BERTModel 'bert' has a decoder for masked words: pass masked_positions, or create it with use_decoder=False")
    assert message(mx.base.ShapeError, net, nd.zeros((1, 8)), nd.zeros((1, 8))) == (
        "BERTModel 'bert' has 7 positions (max_length), found 8")
    net = text.GPT2Model(prefix="gpt2_", **GPT2)
    net.initialize()
    assert message(mx.base.ShapeError, net, nd.zeros((1, 9))) == (
        "GPT2Model 'gpt2' has 8 positions (max_length), found 9")
    assert message(mx.base.ArgumentError, text.get_model, "gpt2").startswith(
        "get_model: the model 'gpt2' is not known. Known: 'bert_12_768_12', ")


def drawn_gpt2(**kwargs):
    net = text.GPT2Model(**{**GPT2, **kwargs})
    net.initialize(mx.init.Normal(0.4))
    return net


@pytest.mark.parametrize("hybrid", [False, True])
def test_steps_with_caches_are_the_whole_at_once(hybrid):
    net = drawn_gpt2()
    decoder = text.GPT2Decoder(net)
    decoder.hybridize(hybrid)
    whole, _ = net(nd.array(WORDS))
    scores, states = decoder(nd.array(WORDS[:, :3]), decoder.begin_state(2, 7))
    for i in range(3, 6):
        close(scores, whole[:, i - 1].asnumpy())
        scores, states = decoder(nd.array(WORDS[:, i]), states)
    close(scores, whole[:, 5].asnumpy())
    assert states[0].asnumpy().tolist() == [6, 6]


def test_rows_may_hold_different_numbers_of_positions():
    net = drawn_gpt2()
    decoder = text.GPT2Decoder(net)
    _, states = decoder(nd.array(WORDS[:, :4]), decoder.begin_state(2, 8))
    states[0] = nd.array([4, 2], dtype="int32")             # the second row goes on after two
    scores, _ = decoder(nd.array(WORDS[:, 4]), states)
    for row, before in enumerate((4, 2)):
        alone, _ = net(nd.array([[*WORDS[row, :before], WORDS[row, 4]]]))
        close(scores[row], alone[0, -1].asnumpy())


@pytest.mark.parametrize("hybrid", [False, True])
def test_greedy_decoding_takes_what_the_whole_net_scores_best(hybrid):
    net = drawn_gpt2()
    expected = WORDS[:, :2]
    for _ in range(5):
        scores, _ = net(nd.array(expected))
        expected = np.hstack([expected, scores[:, -1:].argmax(axis=-1).asnumpy().astype(int)])
    decoder = text.GPT2Decoder(net)
    decoder.hybridize(hybrid)
    found = decoder.generate(nd.array(WORDS[:, :2]), 5, top_k=1)
    np.testing.assert_array_equal(found.asnumpy(), expected)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(decoder.generate(nd.array(WORDS[:, :1]), 1, top_k=1).shape, (2, 2))


def test_decoding_stops_behind_its_last_token():
    decoder = text.GPT2Decoder(drawn_gpt2())
    free = decoder.generate(nd.array([[3, 9]]), 6, top_k=1).asnumpy()[0]
    stop = int(free[4])
    end = 2 + list(free[2:]).index(stop)
    found = decoder.generate(nd.array([[3, 9], [3, 9]]), 6, eos_id=stop, top_k=1).asnumpy()
    np.testing.assert_array_equal(found, [free[:end + 1]] * 2)


def test_what_is_drawn_follows_the_probabilities():
    mx.random.seed(3)
    scores = np.log([0.5, 0.3, 0.15, 0.05]) + 2
    draws = 4000

    def shares(**kwargs):
        sampler = text.TokenSampler(**kwargs)
        sampler.hybridize()
        tokens, logarithms = sampler(nd.array(np.tile(scores, (draws, 1))))
        np.testing.assert_allclose(logarithms.asnumpy(), np.log([0.5, 0.3, 0.15, 0.05])[tokens.asnumpy()], rtol=1e-4)
        return np.bincount(tokens.asnumpy(), minlength=4) / draws

    def close_to(found, expected):
        expected = np.array(expected) / sum(expected)
        assert (found[expected == 0] == 0).all()
        np.testing.assert_allclose(found, expected, atol=0.04)

    close_to(shares(), [0.5, 0.3, 0.15, 0.05])
    close_to(shares(temperature=0.5), [0.25, 0.09, 0.0225, 0.0025])
    close_to(shares(top_k=2), [0.5, 0.3, 0, 0])
    close_to(shares(top_p=0.6), [0.5, 0.3, 0, 0])
    close_to(shares(top_p=0.81), [0.5, 0.3, 0.15, 0])
    close_to(shares(top_k=3, top_p=0.5), [1, 0, 0, 0])      # the best of three has 0.53
    close_to(shares(top_k=1), [1, 0, 0, 0])


def test_sequences_of_several_beams():
    net = drawn_gpt2()
    decoder = text.GPT2Decoder(net)
    _, states = decoder(nd.array(WORDS[:, :2]), decoder.begin_state(2, 8))
    sampler = text.SequenceSampler(3, decoder, eos_id=None, max_length=4)
    samples, scores, lengths = sampler(nd.array(WORDS[:, 2]), states)
    assert samples.shape == (2, 3, 5)
    assert lengths.asnumpy().tolist() == [[5] * 3] * 2
    whole = np.concatenate([np.repeat(WORDS[:, :2], 3, axis=0), samples.asnumpy().reshape(6, 5)], axis=1)
    logarithms = nd.pick(nd.log_softmax(net(nd.array(whole[:, :-1]))[0]), nd.array(whole[:, 1:]))
    np.testing.assert_allclose(scores.asnumpy().ravel(), logarithms.asnumpy()[:, 2:].sum(axis=1), rtol=1e-4)


def test_errors_of_decoding():
    argument = mx.base.ArgumentError
    assert message(argument, text.TokenSampler, temperature=0) == (
        "temperature is 0, expected a number above 0; top_k=1 always takes the best token")
    assert message(argument, text.TokenSampler, top_k=0) == "top_k is 0, expected None or at least 1"
    assert message(argument, text.TokenSampler, top_p=1.5) == (
        "top_p is 1.5, expected None or a number above 0 and up to 1")
    assert message(argument, text.SequenceSampler, 0, None, 1) == "SequenceSampler: beam_size is 0, expected at least 1"
    decoder = text.GPT2Decoder(drawn_gpt2(prefix="gpt2_"))
    assert message(mx.base.ShapeError, decoder.begin_state, 1, 9) == (
        "GPT2Model 'gpt2' has 8 positions (max_length), found 9")
    assert message(mx.base.ShapeError, decoder, nd.array(WORDS), decoder.begin_state(2, 5)) == (
        "GPT2Decoder: the states have room for 5 positions, found 6. Give begin_state a larger capacity.")
    others = "key_cache (1, 2, 2, 1) float32, value_cache (1, 2, 2, 1) float32, filled (1,) float32"
    for shape, problem in (
            ((1, 3, 6), "the caches have shape (1, 2, 2, 1), of 2 positions, and data has 3"),
            ((1, 3, 7), "data has shape (1, 3, 7), expected a last axis of 3 · heads · d, with heads=2")):
        assert message(mx.base.ShapeError, nd.contrib.cached_attention, nd.zeros(shape), nd.zeros((1, 2, 2, 1)),
                       nd.zeros((1, 2, 2, 1)), nd.zeros(1), heads=2) == (
            f"_contrib_cached_attention: {problem}\n  inputs: data {shape} float32, {others}\n  attributes: heads=2")
