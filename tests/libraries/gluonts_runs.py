"""GluonTS 0.17: each estimator of `gluonts.mx` trains, predicts and comes back from its files; its own tests; times.

    python tests/libraries/gluonts_runs.py --python /tmp/ts/bin/python --tests FOLDER

FOLDER is the unpacked source of GluonTS, for its tests. Without it the estimators and the times are run alone.
"""

import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from runner import NotHere, main, time_limit

LENGTH, HISTORY = 4, 120            # steps to predict, steps that are known
COUNTS = dict.fromkeys(["tried", "trained", "predicted", "predicted the same from files"], 0)

# Estimators that GluonTS 0.17 itself cannot train, with the real MXNet neither.
TWO_AXES = "its network hands the encoder a target (N, T), and the encoder takes (N, T, 1)"
CANNOT_TRAIN = {
    "DeepTPPEstimator": "it makes its ContinuousTimeInstanceSplitter without the freq that this requires",
    "RNN2QRForecaster": TWO_AXES,
    "Seq2SeqEstimator": TWO_AXES,
}
# Tests that cannot pass: the beginning of the name, and why.
CANNOT = {
    "test_deepstate_on_tsf_dataset": "downloads a data set",
    "test_callbacks": "downloads a data set",
    "test_zero_feature": "calls np.float, which NumPy has not had since 1.24",
    "test_log_likelihood": "expects the weights that MXNet's own generator draws from the seed 1234",
}
# Tests of drawn numbers that fail now and then with the real MXNet, too, are run once more.
TRIES = 2


# -- data --------------------------------------------------------------------------------------------------------------


def daily_curves(rng):
    """Six hourly series, each with a class."""
    hours = np.arange(HISTORY)
    return [{"start": "2020-01-01", "feat_static_cat": [k % 3], "item_id": str(k),
             "target": 10 + 3 * np.sin(hours * 2 * np.pi / 24 + k) + rng.normal(0, 0.3, HISTORY)} for k in range(6)]


def demands(rng):
    """Series that are mostly zero."""
    return [{"start": "2020-01-01", "target": rng.poisson(3, HISTORY) * (rng.rand(HISTORY) < 0.2)} for _ in range(6)]


def several_at_once(rng, sums=None):
    """One series of vectors; with `sums`, of these sums of them."""
    target = np.stack([item["target"] for item in daily_curves(rng)[:4]])
    return [{"start": "2020-01-01", "target": target if sums is None else sums @ target}]


def events(rng):
    """Times between events, and the kind of each."""
    import pandas as pd
    return [{"start": pd.Timestamp("2020-01-01"), "end": pd.Timestamp("2020-01-01 09:00"),
             "target": np.stack([rng.exponential(0.3, 20), rng.randint(0, 3, 20)])} for _ in range(4)]


def data_sets():
    from gluonts.dataset.common import ListDataset
    rng = np.random.RandomState(0)
    sums = np.vstack([[1, 1, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1], np.eye(4)])
    return {
        "curves": ListDataset(daily_curves(rng), freq="H"),
        "demands": ListDataset(demands(rng), freq="H"),
        "vectors": ListDataset(several_at_once(rng), freq="H", one_dim_target=False),
        "sums": ListDataset(several_at_once(rng, sums), freq="H", one_dim_target=False),
        "events": ListDataset(events(rng), freq="H", one_dim_target=False, use_timestamp=True),
    }, sums


# -- the estimators ----------------------------------------------------------------------------------------------------


def estimators(sums):
    """{name: (data set, arguments besides freq, prediction_length and trainer)}"""
    from gluonts.mx.block.encoder import RNNEncoder
    classes, window = {"cardinality": [3]}, {"context_length": 24}
    short = {"lags_seq": [1, 2, 24], **window}
    decoder = {"decoder_mlp_layer": [8], "decoder_mlp_static_dim": 4, "embedding_dimension": 2, **classes, **window}
    return {
        "CanonicalRNNEstimator": ("curves", {**classes, **window}),
        "DeepAREstimator": ("curves", {"use_feat_static_cat": True, **classes, **window}),
        "DeepFactorEstimator": ("curves", {**classes, **window}),
        "DeepRenewalProcessEstimator": ("demands", {"num_cells": 8, "num_layers": 1, "freq": None, **window}),
        "DeepStateEstimator": ("curves", {"past_length": 24, **classes}),
        "DeepTPPEstimator": ("events", {"num_marks": 3, "prediction_interval_length": 2, "context_interval_length": 3,
                                        "prediction_length": None}),
        "DeepVAREstimator": ("vectors", {"target_dim": 4, **short}),
        "DeepVARHierarchicalEstimator": ("sums", {"S": sums, **short}),
        "GPVAREstimator": ("vectors", {"target_dim": 4, **short}),
        "GaussianProcessEstimator": ("curves", {"cardinality": 3, **window}),
        "LSTNetEstimator": ("vectors", {"num_series": 4, "skip_size": 2, "ar_window": 4, "channels": 6, "freq": None,
                                        **window}),
        "MQCNNEstimator": ("curves", window),
        "MQRNNEstimator": ("curves", window),
        "NBEATSEnsembleEstimator": ("curves", {"meta_context_length": [8], "meta_loss_function": ["MAPE"],
                                               "meta_bagging_size": 2, "num_stacks": 2}),
        "NBEATSEstimator": ("curves", {"num_stacks": 2, **window}),
        "RNN2QRForecaster": ("curves", {"encoder_rnn_layer": 1, "encoder_rnn_num_hidden": 8, **decoder}),
        "Seq2SeqEstimator": ("curves", {"encoder": RNNEncoder("lstm", 8, 1, bidirectional=False), **decoder}),
        "SimpleFeedForwardEstimator": ("curves", {"freq": None, **window}),
        "TemporalFusionTransformerEstimator": ("curves", window),
        "TransformerEstimator": ("curves", window),
        "WaveNetEstimator": ("curves", {}),
    }


def make(name, more, epochs=2, batches=3, more_callbacks=()):
    import gluonts.mx
    from gluonts.mx.trainer import Trainer
    from gluonts.mx.trainer.callback import TrainingHistory
    history = TrainingHistory()
    hybridize = name != "DeepTPPEstimator"          # it refuses to be
    trainer = Trainer(epochs=epochs, num_batches_per_epoch=batches, hybridize=hybridize,
                      callbacks=[history, *more_callbacks])
    given = {"freq": "H", "prediction_length": LENGTH, "trainer": trainer, **more}
    estimator = getattr(gluonts.mx, name)(**{key: value for key, value in given.items() if value is not None})
    return estimator, history


def forecasts(predictor, data):
    """What it predicts, as arrays; from the seed 3, so that two predictors can be compared."""
    import mxnet as mx
    mx.random.seed(3)
    np.random.seed(3)
    found = list(predictor.predict(data))
    arrays = [getattr(forecast, "samples", getattr(forecast, "forecast_array", None)) for forecast in found]
    if len(arrays) != len(data) or not all(np.isfinite(array).all() for array in arrays):
        raise AssertionError(f"{len(arrays)} forecasts of {len(data)}, or not all numbers")
    return arrays


def train_and_predict(name, data, more):
    from gluonts.model.predictor import Predictor
    COUNTS["tried"] += 1
    with time_limit(300):
        try:
            estimator, history = make(name, more)
            predictor = estimator.train(data)
        except Exception as error:
            if name in CANNOT_TRAIN:
                raise NotHere(CANNOT_TRAIN[name]) from error
            raise
        COUNTS["trained"] += 1
        before = forecasts(predictor, data)
        COUNTS["predicted"] += 1
        with tempfile.TemporaryDirectory() as folder:
            predictor.serialize(Path(folder))
            after = forecasts(Predictor.deserialize(Path(folder)), data)
        for one, other in zip(before, after):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)
        COUNTS["predicted the same from files"] += 1
    losses = ", ".join(f"{loss:.3g}" for loss in history.loss_history)
    return f"losses {losses}; forecasts of shape {before[0].shape}"


def event_networks(mx):
    """The two networks of DeepTPP, as its estimator would train and use them."""
    from gluonts.mx.model.tpp.deeptpp._network import DeepTPPPredictionNetwork, DeepTPPTrainingNetwork
    rng = np.random.RandomState(0)
    target = mx.nd.array(np.stack([rng.exponential(0.2, (8, 12)), rng.randint(0, 3, (8, 12))], axis=-1))
    lengths = mx.nd.array(rng.randint(4, 13, 8))
    net = DeepTPPTrainingNetwork(num_marks=3, interval_length=3.0)
    net.initialize()
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    losses = []
    for _ in range(20):
        with mx.autograd.record():
            loss = -net(target, lengths).mean()
        loss.backward()
        trainer.step(1)
        losses.append(loss.asscalar())
    if not losses[-1] < losses[0] - 0.5:
        raise AssertionError(f"losses {losses}")
    predicts = DeepTPPPredictionNetwork(prediction_interval_length=2.0, num_parallel_samples=5, num_marks=3,
                                        interval_length=3.0, params=net.collect_params())
    samples, counts = predicts(target, lengths)
    if samples.shape[:2] != (5, 8) or not np.isfinite(samples.asnumpy()).all():
        raise AssertionError(f"samples of shape {samples.shape}")
    return f"losses {losses[0]:.3g} to {losses[-1]:.3g}; {counts.mean().asscalar():.2f} events on the average"


def timed(name, data, more, runs=5, batches=40):
    """Seconds of the first batch, in which graphs are made, and of those that follow it; medians of the runs."""
    firsts, others = [], []
    for _ in range(runs):
        ends = batch_times(name, data, more, batches)
        firsts.append(ends[1] - ends[0])
        others.append((ends[-1] - ends[1]) / (batches - 1))
    return f"the first batch {_spread(firsts)} s, each of {batches - 1} after it {_spread(others)} s"


def batch_times(name, data, more, batches):
    """When training began, and when each batch had ended."""
    from gluonts.mx.trainer.callback import Callback
    ends = []

    class Watch(Callback):
        def on_train_start(self, max_epochs):
            ends.append(time.perf_counter())

        def on_train_batch_end(self, training_network):
            ends.append(time.perf_counter())
            return True

    estimator, _ = make(name, more, epochs=1, batches=batches, more_callbacks=[Watch()])
    estimator.train(data)
    return ends


def _spread(seconds):
    return f"{statistics.median(seconds):.3g} ({min(seconds):.3g} to {max(seconds):.3g})"


# -- its own tests -----------------------------------------------------------------------------------------------------


def run_tests(folder, ids):
    """{id: (outcome, reason)} of pytest's run of these tests."""
    with tempfile.TemporaryDirectory() as made:
        report = Path(made) / "report.xml"
        # in a process of its own, which finds the mxnet that this one has
        subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore",
                        "-o", "junit_family=xunit1", f"--junitxml={report}", *ids],
                       cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=3600,
                       env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        if not report.exists():
            raise AssertionError(f"pytest wrote no report of {ids}")
        return dict(map(_outcome, ElementTree.parse(report).iter("testcase")))


def _outcome(case):
    name = f"{case.get('file')}::{case.get('name')}" if case.get("file") else case.get("name")
    for word in ("failure", "error", "skipped"):
        found = case.find(word)
        if found is not None:
            kind = "failed" if word != "skipped" else "xfailed" if "xfail" in found.get("type", "") else "skipped"
            return name, (kind, found.get("message", "").partition("\n")[0])
    return name, ("passed", "")


def library_tests(folder, paths):
    found = run_tests(folder, paths)
    failed = [name for name, (outcome, _) in found.items() if outcome == "failed"]
    explained = {name: why for name in failed for word, why in CANNOT.items() if f"::{word}" in name}
    again = [name for name in failed if name not in explained]
    for _ in range(TRIES - 1):
        if again:
            found.update(run_tests(folder, again))
            again = [name for name in again if found[name][0] == "failed"]
    for name in failed:
        found[name] = ("cannot pass", explained[name]) if name in explained else found[name]
        reason = found[name][1] if found[name][0] != "passed" else "passed when it was run again"
        print(f"         {name}: {reason}")
    counts = {}
    for outcome, _ in found.values():
        counts[outcome] = counts.get(outcome, 0) + 1
        TESTS[outcome] = TESTS.get(outcome, 0) + 1
    text = ", ".join(f"{count} {word}" for word, count in sorted(counts.items()))
    if again:
        raise AssertionError(text)
    return text


TESTS = {}


def parts(folder):
    """{name: paths}: the folders of tests, each for a process, and the files beside them, which count on each other."""
    tests = Path(folder) / "test" / "mx"
    if not tests.is_dir():
        raise NotHere("--tests names no folder with test/mx in it")
    places = [path for path in [*tests.iterdir(), *(tests / "model").iterdir()]
              if path.is_dir() and path.name != "model" and not path.name.startswith("__")]
    found = {str(path.relative_to(folder)): [str(path.relative_to(folder))] for path in sorted(places)}
    for around in (tests, tests / "model"):
        files = [str(path.relative_to(folder)) for path in sorted(around.glob("test_*.py"))]
        found[f"{around.relative_to(folder)}/test_*.py"] = files
    return found


def quiet():
    """Without progress bars, and what pandas and GluonTS have to say about each other."""
    os.environ["TQDM_DISABLE"] = "1"
    warnings.simplefilter("ignore", FutureWarning)
    logging.disable(logging.WARNING)


def cases(args):
    quiet()
    import mxnet as mx
    mx.random.seed(1)
    data, sums = data_sets()
    found = estimators(sums)
    table = {name: lambda name=name, where=where, more=more: train_and_predict(name, data[where], more)
             for name, (where, more) in found.items()}
    table["DeepTPP, its networks"] = lambda: event_networks(mx)
    for name in ("DeepAREstimator", "SimpleFeedForwardEstimator"):
        where, more = found[name]
        table[f"time of {name}"] = lambda name=name, where=where, more=more: timed(name, data[where], more)
    if args.tests:
        folder = Path(args.tests).resolve()
        table |= {part: lambda paths=paths: library_tests(folder, paths) for part, paths in parts(folder).items()}
    return table


if __name__ == "__main__":
    status = main(__file__, cases, lambda parser: parser.add_argument("--tests", metavar="FOLDER"))
    if COUNTS["tried"]:
        print("estimators: " + ", ".join(f"{count} {word}" for word, count in COUNTS.items()))
    if TESTS:
        print("tests: " + ", ".join(f"{count} {word}" for word, count in sorted(TESTS.items())))
    sys.exit(status)
