"""GluonNLP 0.10: BERT, Transformer and AWD-LSTM train, and lose what they lose in MXNet.

    python tests/libraries/gluonnlp_steps.py --python /tmp/mxnlp/bin/python --real --answers /tmp/answers
    python tests/libraries/gluonnlp_steps.py --python /tmp/nlp/bin/python --answers /tmp/answers

The first command writes what MXNet lost at each step into a folder, the second compares. The data are drawn.
"""

import sys

import numpy as np
from both import compare_or_write, old_numpy_names, processor_time, set_parameters
from runner import main

STEPS, TIMED = 5, 20


def losses(net, trainer, step):
    """The loss of each step, and the processor's seconds of one: `step()` computes it, under `record`."""
    from mxnet import autograd

    def train():
        with autograd.record():
            loss = step()
        loss.backward()
        trainer.step(1)
        return float(loss.asscalar())

    return [train() for _ in range(STEPS)], processor_time(train, TIMED)


def bert(hybridize):
    """Masked words and next sentences, with the library's own optimizer."""
    import gluonnlp
    import mxnet as mx
    encoder = gluonnlp.model.BERTEncoder(units=32, hidden_size=64, num_layers=2, num_heads=4, dropout=0.0,
                                         max_length=16)
    net = gluonnlp.model.BERTModel(encoder, vocab_size=60, token_type_vocab_size=2, units=32, embed_size=32)
    net.initialize()
    rng = np.random.RandomState(0)
    words, types = mx.nd.array(rng.randint(0, 60, (4, 12))), mx.nd.array(rng.randint(0, 2, (4, 12)))
    lengths, masked = mx.nd.array([12, 9, 5, 7]), mx.nd.array(rng.randint(0, 5, (4, 2)))
    next_one, hidden = mx.nd.array([0, 1, 1, 0]), mx.nd.array(rng.randint(0, 60, (4, 2)))
    net(words, types, lengths, masked)
    set_parameters(mx, net)
    if hybridize:
        net.hybridize()
    cross_entropy = mx.gluon.loss.SoftmaxCELoss()

    def step():
        _, _, follows, decoded = net(words, types, lengths, masked)
        return cross_entropy(follows, next_one).mean() + cross_entropy(decoded, hidden).mean()

    return losses(net, mx.gluon.Trainer(net.collect_params(), "bertadam", {"learning_rate": 0.01, "wd": 0.01}), step)


def transformer(hybridize):
    """Translation of drawn sentences, with smoothed labels."""
    import gluonnlp
    import mxnet as mx
    vocab = gluonnlp.Vocab(gluonnlp.data.count_tokens([f"word{i}" for i in range(40)]))
    encoder, decoder, one_step = gluonnlp.model.transformer.get_transformer_encoder_decoder(
        num_layers=2, units=32, hidden_size=64, num_heads=4, dropout=0.0, max_src_length=16, max_tgt_length=16)
    net = gluonnlp.model.translation.NMTModel(vocab, vocab, encoder, decoder, one_step, embed_size=32, share_embed=True,
                                  tie_weights=True)
    net.initialize()
    rng = np.random.RandomState(0)
    source, target = (mx.nd.array(rng.randint(4, len(vocab), (4, length))) for length in (9, 7))
    source_lengths, target_lengths = mx.nd.array([9, 8, 5, 6]), mx.nd.array([7, 3, 5, 6])
    net(source, target[:, :-1], source_lengths, target_lengths - 1)
    set_parameters(mx, net)
    smooth = gluonnlp.loss.LabelSmoothing(epsilon=0.1, units=len(vocab))
    masked_loss = gluonnlp.loss.MaskedSoftmaxCELoss(sparse_label=False)
    for block in (net, smooth, masked_loss) if hybridize else ():
        block.hybridize()

    def step():
        decoded, _ = net(source, target[:, :-1], source_lengths, target_lengths - 1)
        return masked_loss(decoded, smooth(target[:, 1:]), target_lengths - 1).mean()

    return losses(net, mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01}), step)


def awd_lstm(hybridize, weight_drop=0.0):
    """A language model with activation regularization, its state carried from step to step, gradients clipped."""
    import gluonnlp
    import mxnet as mx
    net = gluonnlp.model.train.AWDRNN("lstm", 50, embed_size=16, hidden_size=24, num_layers=2, tie_weights=True,
                                      dropout=0.0, weight_drop=weight_drop, drop_h=0.0, drop_i=0.0, drop_e=0.0)
    net.initialize()
    words = mx.nd.array(np.random.RandomState(0).randint(0, 50, (8, 4)))
    net(words, net.begin_state(batch_size=4))
    set_parameters(mx, net)
    if hybridize:
        net.hybridize()
    cross_entropy = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    activation = gluonnlp.loss.ActivationRegularizationLoss(2)
    temporal = gluonnlp.loss.TemporalActivationRegularizationLoss(1)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1})
    state = net.begin_state(batch_size=4)

    def train():
        nonlocal state
        state = [[part.detach() for part in layer] for layer in state]
        with mx.autograd.record():
            output, state, raw, dropped = net(words[:-1], state)
            loss = cross_entropy(output.reshape((-3, -1)), words[1:].reshape((-1,))).mean()
            loss = loss + activation(*dropped) + temporal(*raw)
        loss.backward()
        mx.gluon.utils.clip_global_norm([p.grad() for p in net.collect_params().values()], 0.25)
        trainer.step(1)
        return float(loss.mean().asscalar())

    return [train() for _ in range(STEPS)], processor_time(train, TIMED)


def weight_drop():
    found, _ = awd_lstm(True, weight_drop=0.5)
    if not np.isfinite(found).all():
        raise AssertionError(f"losses {found}")
    return f"{np.round(found, 4)}, drawn, so not compared"


def cases(args):
    old_numpy_names()
    found = {f"{make.__name__}, {'hybridized' if hybridize else 'imperative'}": lambda make=make, hybridize=hybridize:
             compare_or_write(args.answers, f"{make.__name__}_{hybridize}", *make(hybridize), tolerance=1e-4)
             for make in (bert, transformer, awd_lstm) for hybridize in (False, True)}
    return {**found, "awd_lstm with dropped weights": weight_drop}


if __name__ == "__main__":
    sys.exit(main(__file__, cases, lambda parser: parser.add_argument("--answers", required=True, metavar="FOLDER")))
