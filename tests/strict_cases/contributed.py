"""Contributed parts."""

from collections import Counter

import minigluon as mx
from minigluon import gluon, nd

from .table import ERROR, case

VOCABULARY = mx.contrib.text.vocab.Vocabulary(Counter("aabbbc"))
TOKEN = ("ArgumentError: token index {} is invalid: expected an integer from 0 to 3, the indices of this vocabulary of "
         "4 tokens")


@case("`Vocabulary.to_tokens(-1)`", TOKEN.format(-1), ["c", "<unk>"])
def token():
    return VOCABULARY.to_tokens([-1, -4])


@case("`Vocabulary.to_tokens(-1)`", TOKEN.format(-5), ERROR)
def token_that_is_not_there():
    return VOCABULARY.to_tokens(-5)


def early_stopping(metric, **kwargs):
    return gluon.contrib.estimator.EarlyStoppingHandler(metric, patience=0, **kwargs)


@case("an `EarlyStoppingHandler` metric", "ArgumentError: EarlyStoppingHandler has the metric 'other', which is not "
      "one of the estimator's. Take it from estimator.train_metrics or estimator.val_metrics.", False)
def metric_of_nobody():
    net = gluon.nn.Dense(2)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0})
    estimator = gluon.contrib.estimator.Estimator(net, gluon.loss.L2Loss(), mx.metric.MSE(), trainer=trainer)
    estimator.logger.setLevel("ERROR")
    handler = early_stopping(mx.metric.MSE(name="other"))
    data = gluon.data.DataLoader(gluon.data.ArrayDataset(nd.ones((4, 3)), nd.ones((4, 2))), 2)
    estimator.fit(data, epochs=3, event_handlers=[handler])
    return handler.stop_training


@case("an unknown `mode`", "ArgumentError: mode is 'most', expected 'min' or 'max', whichever is better, or 'auto'", 1)
def mode():
    return early_stopping(mx.metric.Accuracy(), mode="most").sign
