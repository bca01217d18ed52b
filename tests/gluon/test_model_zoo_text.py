"""BERT, GPT-2 and Llama: files and answers of GluonNLP's (records/record_gluonnlp.py), states, errors."""

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
        "load_transformers supports GPT2Model, LlamaModel and BERTModel, found Dense")
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
            ((1, 3, 7), "data has shape (1, 3, 7), expected a last axis of (heads + 2 · kv_heads) · d, with heads=2 "
                        "and kv_heads=2")):
        assert message(mx.base.ShapeError, nd.contrib.cached_attention, nd.zeros(shape), nd.zeros((1, 2, 2, 1)),
                       nd.zeros((1, 2, 2, 1)), nd.zeros(1), heads=2) == (
            f"_contrib_cached_attention: {problem}\n  inputs: data {shape} float32, {others}\n  attributes: heads=2, "
            "kv_heads=None")


# -- Llama ------------------------------------------------------------------------------------------------------------


def drawn_llama(**kwargs):
    net = text.llama_tiny(**kwargs)
    net.initialize(mx.init.Normal(0.3))
    for parameter in net.collect_params(".*norm.*").values():
        parameter.set_data(1 + 0.3 * nd.random.normal(shape=parameter.shape))
    return net


def llama_by_hand(net, words):
    """The scores, one position, head and pair of features at a time, in float64."""
    params = {name: p.data().asnumpy().astype("float64") for name, p in net._collect_params_with_prefix().items()}
    size, heads, shared, eps = 16, 4, net._num_kv_heads, 1e-5

    def norm(x, name):
        return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps) * params[name + ".weight"]

    def turned(x, position):
        out = np.empty_like(x)
        for i in range(size // 2):
            angle = position * 10000.0 ** (-2 * i / size)
            a, b = x[i], x[i + size // 2]
            out[i], out[i + size // 2] = (a * np.cos(angle) - b * np.sin(angle), b * np.cos(angle) + a * np.sin(angle))
        return out

    x = params["embed_tokens.weight"][words]
    for layer in range(2):
        at = f"layers.{layer}."
        y = norm(x, at + "input_layernorm")
        q, k, v = (y @ params[at + f"self_attn.{part}_proj.weight"].T for part in "qkv")
        context = np.zeros_like(q)
        for t in range(len(words)):
            for h in range(heads):
                mine = slice(h * size, (h + 1) * size)
                g = h * shared // heads
                other = slice(g * size, (g + 1) * size)
                scores = [turned(q[t, mine], t) @ turned(k[s, other], s) / np.sqrt(size) for s in range(t + 1)]
                weights = np.exp(scores - np.max(scores))
                context[t, mine] = weights / weights.sum() @ v[:t + 1, other]
        x = x + context @ params[at + "self_attn.o_proj.weight"].T
        y = norm(x, at + "post_attention_layernorm")
        gate, up = (y @ params[at + f"mlp.{part}_proj.weight"].T for part in ("gate", "up"))
        x = x + (gate / (1 + np.exp(-gate)) * up) @ params[at + "mlp.down_proj.weight"].T
    return norm(x, "norm") @ params["lm_head.weight"].T


@pytest.mark.parametrize("shared", [1, 2, 4])
@pytest.mark.parametrize("hybrid", [False, True])
def test_llama_by_its_definition_and_in_steps(hybrid, shared):
    net = drawn_llama(num_kv_heads=shared)
    words = np.random.RandomState(1).randint(0, 100, (2, 9))
    net.hybridize(hybrid)
    whole, _ = net(nd.array(words))
    expected = np.stack([llama_by_hand(net, row) for row in words])
    np.testing.assert_allclose(whole.asnumpy(), expected, rtol=0, atol=1e-5 * abs(expected).max())
    first, states = net(nd.array(words[:, :4]))
    rest, states = net(nd.array(words[:, 4:]), states)
    np.testing.assert_allclose(rest.asnumpy(), expected[:, 4:], rtol=0, atol=1e-5 * abs(expected).max())
    assert states[0].shape == (2, shared, 9, 16)
    decoder = text.LlamaDecoder(net)
    decoder.hybridize(hybrid)
    scores, states = decoder(nd.array(words[:, :3]), decoder.begin_state(2, 9))
    for i in range(3, 9):
        np.testing.assert_allclose(scores.asnumpy(), expected[:, i - 1], rtol=0, atol=1e-5 * abs(expected).max())
        scores, states = decoder(nd.array(words[:, i]), states)


def test_llama_of_transformers():
    """The names of a whole model, as transformers 5 has them; tests/libraries/transformers_logits.py has values."""
    layer = {"self_attn.q_proj": (64, 64), "self_attn.k_proj": (32, 64), "self_attn.v_proj": (32, 64),
             "self_attn.o_proj": (64, 64), "mlp.gate_proj": (160, 64), "mlp.up_proj": (160, 64),
             "mlp.down_proj": (64, 160), "input_layernorm": (64,), "post_attention_layernorm": (64,)}
    shapes = {"model.embed_tokens": (100, 64), "model.norm": (64,), "lm_head": (100, 64),
              **{f"model.layers.{i}.{name}": shape for i in range(2) for name, shape in layer.items()}}
    rng = np.random.RandomState(0)
    state = {f"{name}.weight": rng.randn(*shape) for name, shape in shapes.items()}
    state["model.layers.0.self_attn.rotary_emb.inv_freq"] = np.ones(8)        # in old files
    for tied in (False, True):
        net = text.llama_tiny(tie_weights=tied)
        text.load_transformers(net, state)
        params = net._collect_params_with_prefix()
        np.testing.assert_allclose(params["layers.1.mlp.up_proj.weight"].data().asnumpy(),
                                   state["model.layers.1.mlp.up_proj.weight"], rtol=1e-6)
        head = state["model.embed_tokens.weight" if tied else "lm_head.weight"]
        np.testing.assert_allclose(net.lm_head.weight.data().asnumpy(), head, rtol=1e-6)
    missing = {name: value for name, value in state.items() if name != "lm_head.weight"}
    text.load_transformers(net, missing)
    assert "'lm_head.weight'" in message(mx.MXNetError, text.load_transformers, text.llama_tiny(), missing)


def test_errors_of_llama():
    assert message(mx.base.ArgumentError, text.LlamaSelfAttentionLayer, 10, 3, 1) == (
        "LlamaSelfAttentionLayer: units is 10, num_heads 3 and num_kv_heads 1; expected units to be a multiple of "
        "2 · num_heads, and num_heads of num_kv_heads")
    net = drawn_llama(prefix="llama_")
    assert message(mx.base.ShapeError, net, nd.zeros((1, 65))) == (
        "LlamaModel 'llama' has 64 positions (max_length), found 65")
    decoder = text.LlamaDecoder(net)
    assert message(mx.base.ShapeError, decoder, nd.array(WORDS), decoder.begin_state(2, 5)) == (
        "LlamaDecoder: the states have room for 5 positions, found 6. Give begin_state a larger capacity.")
    others = "key_cache (1, 2, 2, 1) float32, value_cache (1, 2, 2, 1) float32, filled (1,) float32"
    assert message(mx.base.ShapeError, nd.contrib.cached_attention, nd.zeros((1, 1, 7)), nd.zeros((1, 2, 2, 1)),
                   nd.zeros((1, 2, 2, 1)), nd.zeros(1), heads=3, kv_heads=2) == (
        "_contrib_cached_attention: heads=3 and kv_heads=2, expected heads to be a multiple of kv_heads, both at least "
        f"1\n  inputs: data (1, 1, 7) float32, {others}\n  attributes: heads=3, kv_heads=2")
