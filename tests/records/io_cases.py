"""What `record_mxnet_io.py` runs in MXNet and `test_io.py` runs here: the text of every batch of some passes."""

import os
import struct

import numpy as np

PASSES = 3


def batch_text(batch):
    values = [x.asnumpy().tolist() for x in [*batch.data, *(batch.label or [])]]
    index = None if batch.index is None else batch.index.tolist()
    return f"{batch} {values} pad={batch.pad} index={index} {batch.provide_data} {batch.provide_label}"


def passes(it):
    lines = [f"{it.provide_data} {it.provide_label} {it.batch_size}"]
    for number in range(PASSES):
        lines += [f"{number}: {batch_text(batch)}" for batch in it]
        it.reset()
    return lines


def array_iterators(mx):
    """{name: function that makes an iterator}"""
    def make(n, size, how, **options):
        np.random.seed(3)
        data = {"b": np.arange(2 * n).reshape(n, 2), "a": mx.nd.arange(n, dtype="int32")}
        return mx.io.NDArrayIter(data, np.arange(n), size, last_batch_handle=how, **options)
    cases = {}
    for how in ("pad", "discard", "roll_over"):
        for n, size in ((5, 2), (6, 3), (7, 7), (8, 5)):
            cases[f"{how} {n} {size}"] = lambda n=n, size=size, how=how: make(n, size, how)
        cases[f"{how} shuffled"] = lambda how=how: make(5, 2, how, shuffle=True)
    cases["pad many times"] = lambda: make(3, 8, "pad")
    cases["list"] = lambda: mx.io.NDArrayIter([np.ones(3), mx.nd.zeros((3, 1))], batch_size=2, data_name="x")
    cases["resized"] = lambda: mx.io.ResizeIter(make(5, 2, "pad"), 4)
    cases["resized, going on"] = lambda: mx.io.ResizeIter(make(5, 2, "pad"), 4, reset_internal=False)
    cases["prefetched"] = lambda: mx.io.PrefetchingIter(make(5, 2, "pad"))
    cases["prefetched and renamed"] = lambda: mx.io.PrefetchingIter(
        [mx.io.NDArrayIter(np.arange(5), np.arange(5), 2), mx.io.NDArrayIter(np.ones(5), np.ones(5), 2)],
        [{"data": "x"}, {"data": "y"}], [{"softmax_label": "u"}, {"softmax_label": "v"}])
    return cases


def file_iterators(mx, folder):
    files = write_files(folder)
    rows = {"data_csv": files["d.csv"], "data_shape": (2,), "batch_size": 3}
    mnist = {"image": files["images"], "label": files["labels"], "batch_size": 2, "silent": True, "shuffle": False}
    return {
        "csv": lambda: mx.io.CSVIter(**rows),
        "csv with labels": lambda: mx.io.CSVIter(**rows, label_csv=files["l.csv"], data_name="x", label_name="y"),
        "csv, not round": lambda: mx.io.CSVIter(**rows, round_batch=False),
        "csv in two axes": lambda: mx.io.CSVIter(data_csv=files["d.csv"], data_shape=(1, 2), batch_size=4,
                                                 label_csv=files["d.csv"], label_shape=(2,), dtype="int32"),
        "csv in one batch": lambda: mx.io.CSVIter(data_csv=files["d.csv"], data_shape=(2,), batch_size=7),
        "mnist": lambda: mx.io.MNISTIter(**mnist),
        "mnist, flat": lambda: mx.io.MNISTIter(**mnist, flat=True),
        "mnist, second half": lambda: mx.io.MNISTIter(**mnist, num_parts=2, part_index=1),
    }


def write_files(folder):
    """Small files in the formats that are read. Returns {name: path}."""
    image = np.arange(30, dtype=np.uint8).reshape(5, 2, 3) * 8
    contents = {
        "d.csv": "".join(f"{2 * i},{2 * i + 1}\n" for i in range(7)).encode(),
        "l.csv": "".join(f"{i}\n" for i in range(7)).encode(),
        "rows.svm": b"1 0:1.5 3:2\n0 1:1\n2 0:.5 2:3 3:4\n",
        "images": struct.pack(">4i", 2051, 5, 2, 3) + image.tobytes(),
        "labels": struct.pack(">2i", 2049, 5) + bytes(range(5)),
    }
    paths = {name: os.path.join(folder, name) for name in contents}
    for name, path in paths.items():
        with open(path, "wb") as file:
            file.write(contents[name])
    return paths
