"""An iterator or a loader that is dropped is gone at once, with its threads, processes and memory: without cycles.

Python looks for cycles only now and then, so a program that makes one iterator per epoch, and does not call `close()`,
would keep the memory and the threads of many.
"""

import gc
import multiprocessing
import threading
import time
import weakref

import numpy as np
import pytest

import minigluon as mx
from minigluon import gluon, nd, recordio
from minigluon.base import MXNetError

pytestmark = pytest.mark.once

COUNT, SIZE = 12, (3, 8, 8)


@pytest.fixture(autouse=True, scope="module")
def _collected_fast():
    """Each test collects, and would look at all that the other tests of a run have made: half a second each time."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("dropped")
    rng = np.random.default_rng(0)
    for name, label in ("images", 1), ("boxes", np.float32([2, 5, 0, 0.1, 0.1, 0.9, 0.9])):
        with recordio.MXIndexedRecordIO(str(place / f"{name}.idx"), str(place / f"{name}.rec"), "w") as file:
            for key in range(COUNT):
                header = recordio.IRHeader(0, label, key, 0)
                pixels = rng.integers(0, 255, (8, 8, 3)).astype("uint8")
                file.write_idx(key, recordio.pack_img(header, pixels, img_fmt=".png"))
    (place / "rows.csv").write_text("1\n2\n3\n4\n")
    (place / "rows.svm").write_text("1 0:1\n2 1:1\n3 0:2\n4 1:3\n")
    return place


def arrays():
    return mx.io.NDArrayIter(nd.ones((8, 2)), nd.ones(8), 2)


def loader(**options):
    return iter(gluon.data.DataLoader(gluon.data.ArrayDataset(np.ones((64, 2), "float32")), 2, **options))


ITERATORS = {
    "ImageRecordIter": lambda p: mx.io.ImageRecordIter(f"{p}/images.rec", SIZE, 2, preprocess_threads=3),
    "ImageRecordIter, shuffled": lambda p: mx.io.ImageRecordIter(f"{p}/images.rec", SIZE, 5, shuffle=True),
    "ImageRecordUInt8Iter": lambda p: mx.io.ImageRecordUInt8Iter(f"{p}/images.rec", SIZE, 2),
    "ImageDetRecordIter": lambda p: mx.io.ImageDetRecordIter(f"{p}/boxes.rec", SIZE, 2),
    "ImageIter": lambda p: mx.image.ImageIter(2, SIZE, path_imgrec=f"{p}/images.rec"),
    "ImageDetIter": lambda p: mx.image.ImageDetIter(2, SIZE, path_imgrec=f"{p}/boxes.rec"),
    "NDArrayIter": lambda p: arrays(),
    "CSVIter": lambda p: mx.io.CSVIter(data_csv=f"{p}/rows.csv", data_shape=(1,), batch_size=2),
    "LibSVMIter": lambda p: mx.io.LibSVMIter(data_libsvm=f"{p}/rows.svm", data_shape=(2,), batch_size=2),
    "ResizeIter": lambda p: mx.io.ResizeIter(arrays(), 3),
    "PrefetchingIter": lambda p: mx.io.PrefetchingIter(arrays()),
    "PrefetchingIter of images": lambda p: mx.io.PrefetchingIter(mx.io.ImageRecordIter(f"{p}/images.rec", SIZE, 2)),
    "DataLoaderIter": lambda p: mx.contrib.io.DataLoaderIter(
        gluon.data.DataLoader(gluon.data.ArrayDataset(np.ones((8, 2), "float32"), np.ones(8, "float32")), 2)),
    "DataLoader": lambda p: loader(),
    "DataLoader, threads": lambda p: loader(num_workers=2, thread_pool=True),
    "DataLoader, processes": lambda p: loader(num_workers=2),
}


@pytest.fixture
def without_gc():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def others():
    return set(threading.enumerate()) | set(multiprocessing.active_children())


@pytest.mark.parametrize("name", ITERATORS)
def test_a_dropped_iterator_is_gone(name, folder, without_gc):
    before = others()
    iterator = ITERATORS[name](folder)
    batch = next(iterator)
    dropped = weakref.ref(iterator)
    if name.startswith(("ImageRecordIter", "DataLoader, ")):
        assert others() - before                # there are threads or processes to be stopped
    del iterator
    assert dropped() is None
    del batch
    end = time.monotonic() + 10
    while others() - before and time.monotonic() < end:
        time.sleep(0.01)
    assert not others() - before


@pytest.mark.parametrize("name", [name for name in ITERATORS if "Record" in name])
def test_the_memory_of_a_dropped_iterator_is_free(name, folder, without_gc):
    iterator = ITERATORS[name](folder)
    next(iterator)
    memory = weakref.ref(iterator._memory)
    del iterator
    end = time.monotonic() + 10
    while memory() is not None and time.monotonic() < end:
        time.sleep(0.01)                        # a thread may be in the middle of an image
    assert memory() is None


def test_passes_are_as_before(folder):
    """The threads read with a copy of the iterator; a new pass, an abandoned one and a changed order still count."""
    iterator = mx.io.ImageRecordIter(f"{folder}/images.rec", SIZE, 5, shuffle=True, seed=3)
    passes = []
    for _ in range(3):
        passes.append([index for batch in iterator for index in batch.index.tolist()])
        iterator.reset()
    assert sorted(set(passes[0])) == list(range(COUNT))
    assert passes[0] != passes[1]
    next(iterator)
    iterator.close()
    with pytest.raises(MXNetError, match=r"^ImageRecordIter is closed\. Call reset\(\) to start a new pass\.$"):
        next(iterator)
    iterator.reset()
    assert len(list(iterator)) == 2         # the last pass had three, with samples of this one
