"""Libraries that are built on NumPy take NDArrays, and give them: pandas, scikit-learn, datasets, PyTorch.

    python tests/libraries/numpy_friends.py --python /tmp/friends/bin/python
"""

import sys

import numpy as np
from runner import main

import minigluon as mx
from minigluon import autograd, gluon, nd

X = np.arange(6, dtype="float32").reshape(3, 2)


def frame_and_back():
    import pandas
    frame = pandas.DataFrame(nd.array(X), columns=["a", "b"])
    assert frame["b"].sum() == 9
    np.testing.assert_array_equal(nd.array(frame).asnumpy(), X)
    np.testing.assert_array_equal(nd.array(frame["a"]).asnumpy(), X[:, 0])
    frame["c"] = nd.array([7, 8, 9])
    assert frame["c"].tolist() == [7, 8, 9]
    return f"pandas {pandas.__version__}"


def frame_in_a_loader():
    import pandas
    frame = pandas.DataFrame(X, columns=["a", "b"])
    data = gluon.data.ArrayDataset(frame[["a"]].to_numpy(), frame["b"].to_numpy())
    batches = list(gluon.data.DataLoader(data, batch_size=2))
    assert [b[0].shape for b in batches] == [(2, 1), (1, 1)]


def estimators():
    import sklearn
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler
    x, y = nd.array(X), nd.array([1, 3, 5])
    assert np.allclose(LinearRegression().fit(x, y).predict(x), y.asnumpy())
    assert np.allclose(StandardScaler().fit_transform(x).mean(axis=0), 0)
    parts = train_test_split(x, y, test_size=1, random_state=0)
    assert [len(part) for part in parts] == [2, 1, 2, 1]
    return f"scikit-learn {sklearn.__version__}"


def scores():
    from sklearn.metrics import accuracy_score, f1_score, mean_squared_error, roc_auc_score
    labels, scores = nd.array([0, 1, 1, 0], dtype="int32"), nd.array([0.1, 0.9, 0.8, 0.4])
    assert roc_auc_score(labels, scores) == 1
    assert accuracy_score(labels, (scores > 0.5).astype("int32")) == 1
    assert f1_score(labels, labels) == 1
    assert mean_squared_error(scores, scores) == 0


def rows_of_dictionaries(workers):
    def run():
        import datasets
        rows = datasets.Dataset.from_dict({"text": ["a", "b", "c"], "label": [0, 1, 0], "pixels": X.tolist()})
        loader = gluon.data.DataLoader(rows.with_format("numpy"), batch_size=2, num_workers=workers)
        batches = list(loader)
        assert [list(b["text"]) for b in batches] == [["a", "b"], ["c"]]
        np.testing.assert_array_equal(np.concatenate([b["pixels"].asnumpy() for b in batches]), X)
        assert batches[0]["label"].asnumpy().tolist() == [0, 1]
        assert isinstance(batches[0]["label"], nd.NDArray)
        return f"datasets {datasets.__version__}"
    return run


def training_on_dictionaries():
    import datasets
    points = np.random.RandomState(0).randn(64, 2).astype("float32")
    rows = datasets.Dataset.from_dict({"x": points.tolist(), "y": (points[:, 0] > 0).astype(int).tolist()})
    net, loss = gluon.nn.Dense(2), gluon.loss.SoftmaxCrossEntropyLoss()
    net.initialize(mx.init.Xavier())
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    for _ in range(5):
        for batch in gluon.data.DataLoader(rows.with_format("numpy"), batch_size=16):
            with autograd.record():
                value = loss(net(batch["x"]), batch["y"])
            value.backward()
            trainer.step(16)
    assert value.mean().asscalar() < 0.3
    return f"loss {value.mean().asscalar():.3f}"


def tensors_share_memory():
    import torch
    x = nd.array(X)
    tensor = torch.from_dlpack(x)
    tensor[0, 0] = 42
    assert x[0, 0].asscalar() == 42
    back = nd.from_dlpack(torch.ones(2, 2))
    assert back.asnumpy().tolist() == [[1, 1], [1, 1]]
    np.testing.assert_array_equal(nd.array(torch.arange(3)).asnumpy(), [0, 1, 2])
    return f"torch {torch.__version__}"


def tensors_as_samples():
    import torch
    data = [(torch.full((2,), float(i)), i) for i in range(3)]
    batch, label = next(iter(gluon.data.DataLoader(data, batch_size=3)))
    assert batch.asnumpy().tolist() == [[0, 0], [1, 1], [2, 2]]
    assert label.asnumpy().tolist() == [0, 1, 2]


CASES = {
    "pandas: frames and back": frame_and_back, "pandas: a frame in a loader": frame_in_a_loader,
    "scikit-learn: estimators": estimators, "scikit-learn: scores": scores,
    "datasets: rows, here": rows_of_dictionaries(0), "datasets: rows, two processes": rows_of_dictionaries(2),
    "datasets: training": training_on_dictionaries,
    "torch: memory": tensors_share_memory, "torch: samples": tensors_as_samples,
}

if __name__ == "__main__":
    sys.exit(main(__file__, CASES))
