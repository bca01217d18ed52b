"""GPT-2, Llama and BERT of the package transformers: the same parameters, the same logits. Nothing is downloaded.

    python tests/libraries/transformers_logits.py --python /tmp/engines/bin/python

Its models are made from their configurations, with random parameters, in the published sizes; Llama's have the widths
of TinyLlama, but only three layers, except for the last one. GPT-2 and Llama read the words in one call, in halves, and
one by one with the states of those before. Llama also decodes them with caches.
"""

import sys

import numpy as np
from runner import main

from minigluon import nd
from minigluon.gluon.model_zoo import text

LENGTH, BATCH = 128, 2
LARGEST = 1e-4          # what logits may differ by


def drawn(module):
    """The module with other parameters than its own start, where layer norms are 1 and 0, and biases 0."""
    import torch
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.ndim == 1:
                parameter.add_(0.1 * torch.randn(parameter.shape))
    return module.eval()


def compare(pairs):
    found = max(float(np.abs(ours.asnumpy() - theirs.numpy()).max()) for ours, theirs in pairs)
    largest = max(float(theirs.abs().max()) for _, theirs in pairs)
    assert found < LARGEST, f"differ by {found:.2g}"
    return f"differ by {found:.2g}, the largest is {largest:.3g}"


def gpt2(name, hybrid):
    import torch
    import transformers
    net = getattr(text, name)()
    config = transformers.GPT2Config(n_embd=net._units, n_layer=len(net._ffn_layers), n_head=net._num_heads)
    model = drawn(transformers.GPT2LMHeadModel(config))
    text.load_transformers(net, model.state_dict())
    net.hybridize(hybrid)
    words = np.random.RandomState(0).randint(0, 50257, (BATCH, LENGTH))
    with torch.no_grad():
        whole = model(torch.tensor(words)).logits
    words = nd.array(words)
    return compare([(net(words)[0], whole), (in_pieces(net, words, LENGTH // 2), whole),
                    (in_pieces(net, words, 1), whole)])


LLAMA = {"llama_tiny": {}, "llama_tiny, one head of keys": {"num_kv_heads": 1},
         "llama_tiny, other constants": {"theta": 500000.0, "epsilon": 1e-6, "tie_weights": True},
         "llama_1b, 3 layers": {"num_layers": 3}, "llama_1b": {}}


def llama(title, hybrid):
    import torch
    import transformers
    arguments = {**text.llama._SIZES[title.split(",")[0]], "max_length": LENGTH, **LLAMA[title]}
    net = text.LlamaModel(**arguments)
    config = transformers.LlamaConfig(
        hidden_size=arguments["units"], intermediate_size=arguments["hidden_size"], vocab_size=arguments["vocab_size"],
        num_hidden_layers=arguments["num_layers"], num_attention_heads=arguments["num_heads"],
        num_key_value_heads=arguments["num_kv_heads"], max_position_embeddings=LENGTH,
        rms_norm_eps=arguments.get("epsilon", 1e-5), tie_word_embeddings=arguments.get("tie_weights", False),
        rope_parameters={"rope_type": "default", "rope_theta": arguments.get("theta", 10000.0)})
    model = drawn(transformers.LlamaForCausalLM(config))
    text.load_transformers(net, model.state_dict())
    net.hybridize(hybrid)
    words = np.random.RandomState(0).randint(0, arguments["vocab_size"], (BATCH, LENGTH))
    with torch.no_grad():
        whole = model(torch.tensor(words)).logits
    words, decoder = nd.array(words), text.LlamaDecoder(net)
    decoder.hybridize(hybrid)
    scores, states = decoder(words[:, :LENGTH // 2], decoder.begin_state(BATCH, LENGTH))
    steps = [scores]
    for i in range(LENGTH // 2, LENGTH):
        scores, states = decoder(words[:, i], states)
        steps.append(scores)
    return compare([(net(words)[0], whole), (in_pieces(net, words, LENGTH // 2), whole),
                    (in_pieces(net, words, 1), whole), (nd.stack(*steps, axis=1), whole[:, LENGTH // 2 - 1:])])


def in_pieces(net, words, length):
    """Logits of pieces of that many words, each after the states of those before it, as text is written."""
    states, logits = None, []
    for start in range(0, LENGTH, length):
        piece, states = net(words[:, start:start + length], states)
        logits.append(piece)
    return nd.concat(*logits, dim=1)


def bert(name, hybrid):
    import torch
    import transformers
    net = getattr(text, name)()
    layers, units, heads = map(int, name.split("_")[1:])
    config = transformers.BertConfig(hidden_size=units, num_hidden_layers=layers, num_attention_heads=heads,
                                     intermediate_size=4 * units)
    model = drawn(transformers.BertForPreTraining(config))
    text.load_transformers(net, model.state_dict())
    net.hybridize(hybrid)
    rng = np.random.RandomState(0)
    words, types = rng.randint(0, 30522, (BATCH, LENGTH)), rng.randint(0, 2, (BATCH, LENGTH))
    lengths, masked = np.array([LENGTH, LENGTH - 9]), np.array([[3, 5], [1, 0]])
    valid = np.arange(LENGTH) < lengths[:, None]
    with torch.no_grad():
        theirs = model(*map(torch.tensor, (words, valid.astype("int64"), types)))
        hidden = model.bert(*map(torch.tensor, (words, valid.astype("int64"), types))).last_hidden_state
    sequence, _, follows, decoded = net(*map(nd.array, (words, types, lengths, masked)))
    rows = np.arange(BATCH)[:, None]
    return compare([(sequence, hidden * torch.tensor(valid)[..., None]), (follows, theirs.seq_relationship_logits),
                    (decoded, theirs.prediction_logits[rows, masked])])


CASES = {f"{name}, {'hybridized' if hybrid else 'imperative'}": lambda run=run, name=name, hybrid=hybrid:
         run(name, hybrid)
         for run, names in ((gpt2, ("gpt2_117m", "gpt2_345m")), (llama, LLAMA),
                            (bert, ("bert_12_768_12", "bert_24_1024_16")))
         for name in names for hybrid in (False, True)}

if __name__ == "__main__":
    sys.exit(main(__file__, CASES))
