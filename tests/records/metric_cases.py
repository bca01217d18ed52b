"""What `record_mxnet_metrics.py` runs in MXNet and `test_metric.py` runs here. NumPy alone."""

import numpy as np

N, BATCHES = 9, 3

CASES = {
    "accuracy": ("accuracy", {}, "classes"),
    "accuracy of class numbers": ("acc", {}, "same shape"),
    "accuracy axis": ("accuracy", {"axis": 2}, "sequence"),
    "top_k": ("top_k_acc", {"top_k": 2}, "classes"),
    "f1 macro": ("f1", {}, "binary"),
    "f1 micro": ("f1", {"average": "micro"}, "binary"),
    "mcc macro": ("mcc", {}, "binary"),
    "mcc micro": ("mcc", {"average": "micro"}, "binary"),
    "pcc": ("pcc", {}, "classes"),
    "perplexity": ("perplexity", {"ignore_label": None}, "classes"),
    "perplexity ignore": ("perplexity", {"ignore_label": 1}, "classes"),
    "mae": ("mae", {}, "vector"),
    "mse": ("mse", {}, "matrix"),
    "rmse": ("rmse", {}, "matrix"),
    "cross-entropy": ("ce", {}, "classes"),
    "cross-entropy eps": ("ce", {"eps": 0.1}, "classes"),
    "nll": ("nll_loss", {}, "classes"),
    "pearson macro": ("pearsonr", {}, "matrix"),
    "pearson micro": ("pearsonr", {"average": "micro"}, "matrix"),
    "loss": ("loss", {}, "matrix"),
}


def batches(name, kind):
    """[(labels, predictions)] in float32."""
    rng = np.random.default_rng(len(name))
    for _ in range(BATCHES):
        scores = rng.uniform(0.05, 1, {"classes": (N, 4), "binary": (N, 2), "sequence": (3, 5, 4)}.get(kind, (N, 3)))
        if kind in ("classes", "sequence", "binary"):
            pred = scores / scores.sum(axis=-1, keepdims=True)
            label = rng.integers(0, pred.shape[-1], pred.shape[:-1])
        elif kind == "same shape":
            pred, label = rng.integers(0, 2, N), rng.integers(0, 2, N)
        elif kind == "vector":
            pred, label = rng.uniform(-1, 1, N), rng.uniform(-1, 1, N)
        else:
            pred, label = scores, scores + rng.uniform(-1, 1, scores.shape)
        yield label.astype("float32"), pred.astype("float32")


def run(mx, case):
    """[name, value] after each batch, then the local and global values after a `reset_local` and one more batch."""
    kind, options, data = CASES[case]
    metric = mx.metric.create(kind, **options)
    results = []
    for label, pred in batches(case, data):
        metric.update([mx.nd.array(label)], [mx.nd.array(pred)])
        name, value = metric.get()
        results.append([name, float(value)])
    if case == "pearson micro":
        return results              # MXNet's reset_local does not reset it
    metric.reset_local()
    metric.update([mx.nd.array(label)], [mx.nd.array(pred)])
    results.append([metric.get()[0], float(metric.get()[1])])
    if "micro" not in case and "macro" not in case:
        results.append([metric.get_global()[0], float(metric.get_global()[1])])
    return results
