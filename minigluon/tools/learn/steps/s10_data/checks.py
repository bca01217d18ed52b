"""The checks of step 10."""

from contextlib import suppress
from threading import Event

import numpy as np

from ..... import autograd, random
from ..... import ndarray as nd
from .....base import ArgumentError, MXNetError, ShapeError
from .....context import cpu
from .....gluon.data import ArrayDataset, BatchSampler, DataLoader, RandomSampler, SequentialSampler, SimpleDataset
from .....gluon.data.batches import read_batch
from .....gluon.data.batchify import Pad, _stack, default_batchify_fn
from .....gluon.data.dataloader import _batch_sampler
from ...checking import check, expect, same, wrong


def _lists(sampler):
    """Return copies of a batch sampler's lists, because the sampler might change the originals."""
    return [list(batch) for batch in list(sampler)]


@check("RandomSampler.__iter__", "a random sampler yields each index once, in a new order")
def shuffles() -> None:
    random.seed(5)
    sampler = RandomSampler(40)
    first, second = list(sampler), list(sampler)
    same("RandomSampler(40): the indices, sorted", sorted(first), list(range(40)), "each index once")
    expect(all(type(i) is int for i in first), "RandomSampler yields indices of type {found}; expected int, which any "
           "sequence accepts", found=type(first[0]).__name__)
    expect(first != list(range(40)), "RandomSampler(40) yields 0, 1, 2, ...; expected a shuffled order")
    expect(first != second, "RandomSampler(40) yields the same order twice; expected a new one for each iteration")
    random.seed(5)
    np.random.seed(1)
    same("mx.random.seed(5) once more: order == first order", list(sampler) == first, True,
         "after mx.random.seed, rng.host() shuffles")


@check("BatchSampler.__iter__", "indices come in lists")
def cuts() -> None:
    batches = list(BatchSampler(SequentialSampler(4), 2))
    expect(len(batches) < 2 or batches[0] is not batches[1], "BatchSampler yields the same list again and again; start "
           "a new one after each yield, because the caller may keep the first one")
    for last_batch, expected, why in [
        ("keep", [[0, 1, 2], [3, 4, 5], [6]], "the last list is yielded although it is shorter"),
        ("discard", [[0, 1, 2], [3, 4, 5]], "indices that do not fill a list are left out"),
        ("rollover", [[0, 1, 2], [3, 4, 5]], "indices that do not fill a list wait for the next iteration"),
    ]:
        same(f"BatchSampler of 0 ... 6 with batch size 3 and {last_batch!r}",
             _lists(BatchSampler(SequentialSampler(7), 3, last_batch)), expected, why)
        same(f"BatchSampler of 0 ... 5 with batch size 3 and {last_batch!r}",
             _lists(BatchSampler(SequentialSampler(6), 3, last_batch)), expected[:2],
             "all lists are full, and there is no empty one after them")


@check("BatchSampler.__iter__", "rolled-over indices come first")
def rolls_over() -> None:
    sampler = BatchSampler(SequentialSampler(5), 3, "rollover")
    actual = [_lists(sampler) for _ in range(3)]
    same("BatchSampler of 0 ... 4 with batch size 3 and 'rollover', three iterations", actual,
         [[[0, 1, 2]], [[3, 4, 0], [1, 2, 3]], [[4, 0, 1], [2, 3, 4]]], "3 and 4 are left over from the first "
         "iteration, and start the second")
    for last_batch in ("keep", "discard"):
        sampler = BatchSampler(SequentialSampler(5), 3, last_batch)
        _lists(sampler)
        same(f"with {last_batch!r}, the second iteration begins with", _lists(sampler)[0], [0, 1, 2],
             "only 'rollover' leaves something for later")


@check("BatchSampler.__len__", "a batch sampler knows how many lists it yields")
def has_length() -> None:
    for last_batch in ("keep", "discard", "rollover"):
        for count in (0, 5, 6, 7):
            sampler = BatchSampler(SequentialSampler(count), 3, last_batch)
            for iteration in (1, 2, 3):
                length = len(sampler)
                same(f"BatchSampler of {count} indices, batch size 3, {last_batch!r}: len() before iteration "
                     f"{iteration}", length, len(_lists(sampler)), "as many lists as the iteration yields")


@check("_stack", "samples are stacked")
def stacks() -> None:
    batch = _stack([np.array([1, 2, 3], "int32"), np.array([4, 5, 6], "int32")])
    same("_stack of [1, 2, 3] and [4, 5, 6]", batch, np.array([[1, 2, 3], [4, 5, 6]], "int32"),
         "a new first axis, and the dtype of the samples")
    same("_stack of three numbers", _stack([np.asarray(7), np.asarray(8), np.asarray(9)]), np.array([7, 8, 9]),
         "samples without axes become an array with one")
    try:
        _stack([np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 1))])
    except ShapeError as error:
        expect("(2, 3)" in str(error) and "(2, 1)" in str(error) and "2" in str(error), "samples of shapes (2, 3), "
               "(2, 3) and (2, 1): the error says {error}; expected both shapes in it", error=error)
    else:
        wrong("samples of shapes (2, 3), (2, 3) and (2, 1): nothing is raised; expected a ShapeError. NumPy would "
              "silently stretch the last one")


@check("default_batchify_fn", "a list of samples becomes a batch")
def batchifies() -> None:
    batch = default_batchify_fn([np.array([1, 2], "float32"), np.array([3, 4], "float32")])
    expect(isinstance(batch, nd.NDArray), "the batch of two NumPy arrays is a {found}; expected an NDArray",
           found=type(batch).__name__)
    same("the batch of [1, 2] and [3, 4]", batch, np.array([[1, 2], [3, 4]], "float32"), "stacked")
    same("the batch of the numbers 5 and 6", default_batchify_fn([5, 6]), np.array([5, 6]),
         "np.asarray converts other samples to arrays")
    batch = default_batchify_fn([(nd.array([1, 2]), 7), (nd.array([3, 4]), 8)])
    expect(isinstance(batch, list) and len(batch) == 2, "samples (data, label): the batch is {found}; expected a list "
           "of two: the batch of all data and the batch of all labels", found=type(batch).__name__)
    same("samples ([1, 2], 7) and ([3, 4], 8): the data", batch[0], np.array([[1, 2], [3, 4]], "float32"), "part 0 of "
         "all samples")
    same("the labels", batch[1], np.array([7, 8]), "part 1 of all samples")
    same("the batch of NDArrays on cpu(1): its device", str(default_batchify_fn([nd.ones(2, ctx=cpu(1))]).context),
         "cpu(1)", "the device of its samples")
    with cpu(1):
        same("the batch of numbers, with cpu(1) current: its device", str(default_batchify_fn([1]).context), "cpu(1)",
             "current_context()")


@check("Pad.__call__", "short samples are padded")
def pads() -> None:
    samples = [np.array([1, 2], "int32"), np.array([3], "int32")]
    same("Pad(val=9) of [1, 2] and [3]", Pad(val=9)(samples), np.array([[1, 2], [3, 9]], "int32"),
         "each is padded to the length of the longest, in the dtype of the first")
    same("Pad(dtype='float64', round_to=3) of [1, 2] and [3]", Pad(dtype="float64", round_to=3)(samples),
         np.array([[1, 2, 0], [3, 0, 0]], "float64"), "lengths become multiples of 3")
    same("Pad(round_to=2) of [1, 2] and [3]", Pad(round_to=2)(samples), np.array([[1, 2], [3, 0]], "int32"),
         "2 is already a multiple of 2")
    same("Pad() of an int32 and a float64 sample", Pad()([np.array([1], "int32"), np.array([2.0])]),
         np.array([[1], [2]], "int32"), "without dtype=, the dtype of the first sample")
    same("Pad() of samples of shapes (2, 1) and (1, 3)", Pad()([np.ones((2, 1)), np.ones((1, 3))]),
         np.array([[[1, 0, 0], [1, 0, 0]], [[1, 1, 1], [0, 0, 0]]], "float64"), "each axis has its own longest length")


@check("ArrayDataset.rows", "a batch is taken from arrays at once")
def takes_rows() -> None:
    images, labels = np.arange(8.0).reshape(4, 2), np.arange(4)
    batch = ArrayDataset(images, labels).rows([2, 0])
    expect(isinstance(batch, list) and len(batch) == 2, "rows of two arrays returns {found}; expected a list of two "
           "batches", found=type(batch).__name__)
    same("rows([2, 0]) of images and labels: the images", batch[0], images[[2, 0]], "in the order of the indices")
    same("the labels", batch[1], labels[[2, 0]], "in the order of the indices")
    batch = ArrayDataset(images).rows([1])
    expect(isinstance(batch, nd.NDArray), "rows of one array returns {found}; expected the batch itself, because then "
           "a sample is not a tuple", found=type(batch).__name__)
    same("rows([1]) of only images", batch, images[[1]], "the batch")
    same("rows of an array and a list", ArrayDataset(images, ["a", "b", "c", "d"]).rows([1]), None,
         "rows_of returns None for a list, so everything is read sample by sample")


class _Speaking(SimpleDataset):
    """A dataset that records the calls to its `rows`."""

    def __init__(self, answer):
        super().__init__([1, 2, 3])
        self.answer, self.asked = answer, []

    def rows(self, indices):
        self.asked.append(list(indices))
        return self.answer


@check("read_batch", "a batch is read at once if the result is the same")
def reads() -> None:
    batch = nd.zeros((1,))
    dataset = _Speaking(batch)
    expect(read_batch(dataset, [2, 1], default_batchify_fn) is batch, "a dataset whose rows returns a batch: "
           "read_batch returns something else; expected that batch, although its only number is 0")
    same("the indices that rows was called with", dataset.asked, [[2, 1]], "once, with all indices")
    same("a custom batchify_fn: the batch", read_batch(dataset, [2, 1], sum), 5,
         "only default_batchify_fn is known to return the same as rows; here it is the sum of the samples 3 and 2")
    with autograd.record():
        same("while recording: the batch", read_batch(dataset, [2, 1], default_batchify_fn), np.array([3, 2]),
             "sample by sample, so that the computations of transforms are recorded on the tape")
    same("how often rows was called in total", len(dataset.asked), 1, "it is not called in these cases")
    dataset = _Speaking(None)
    same("rows returns None: the batch", read_batch(dataset, [2, 1], default_batchify_fn), np.array([3, 2]),
         "sample by sample")
    same("a list has no rows: the batch", read_batch([1, 2, 3], [2, 1], default_batchify_fn), np.array([3, 2]),
         "sample by sample")
    dataset = _Speaking(batch)
    with suppress(IndexError):          # an empty list cannot become a batch
        read_batch(dataset, [], default_batchify_fn)
    same("no indices: how often rows was called", len(dataset.asked), 0, "it is not called for an empty batch")


@check("_batch_sampler", "a loader's arguments define its batch sampler")
def chooses() -> None:
    same("batch_size 2, nothing else, 5 samples", _lists(_batch_sampler(5, 2, False, None, None, None)),
         [[0, 1], [2, 3], [4]], "in order, and the last batch is kept")
    same("last_batch='discard'", _lists(_batch_sampler(5, 2, False, None, "discard", None)), [[0, 1], [2, 3]],
         "it goes to BatchSampler")
    random.seed(1)
    indices = sum(_lists(_batch_sampler(30, 7, True, None, None, None)), [])
    expect(sorted(indices) == list(range(30)) and indices != list(range(30)), "shuffle=True: the indices are {found}; "
           "expected all of them, in a random order", found=indices)
    same("sampler=[4, 2, 0]", _lists(_batch_sampler(5, 2, False, [4, 2, 0], None, None)), [[4, 2], [0]],
         "the sampler defines the order")
    for case, arguments in [
        ("no batch_size", (5, None, False, None, None, None)),
        ("a sampler and shuffle=True", (5, 2, True, [4, 2, 0], None, None)),
    ]:
        try:
            _batch_sampler(*arguments)
        except ArgumentError:
            continue
        wrong("{given}: nothing is raised; expected an ArgumentError", given=case)


@check("DataLoader._batches_here", "a loader hands out batches")
def hands_out() -> None:
    loader = DataLoader(ArrayDataset(np.arange(5) * 10, np.arange(5)), batch_size=2)
    for iteration in ("first", "second"):
        same(f"five samples in batches of two, the {iteration} pass: the labels",
             [label.asnumpy().tolist() for _, label in loader], [[0, 1], [2, 3], [4]], "each `for` is a new pass")
    batches = []
    loader = DataLoader(["a", "b", "c"], batch_size=2, batchify_fn=lambda samples: batches.append(samples) or samples)
    same("the first batch with a batchify_fn", next(iter(loader)), ["a", "b"], "self._batchify_fn makes it")
    same("the number of batches created so far", len(batches), 1, "a batch is created when it is requested")


class _Watched:
    """A batch sampler that counts the lists it has yielded."""

    def __init__(self, count):
        self.count, self.given = count, 0

    def __iter__(self):
        for number in range(self.count):
            self.given += 1
            yield [number]


def _ahead(dataset, sampler, **how):
    return DataLoader(dataset, batch_sampler=sampler, num_workers=2, thread_pool=True, batchify_fn=list, **how)


@check("DataLoader._batches_ahead", "prefetched batches arrive completely and in order")
def queues() -> None:
    sampler = _Watched(9)
    loader = _ahead(range(9), sampler, prefetch=3)
    same("nine batches by two threads, prefetch=3: the batches", list(loader), [[n] for n in range(9)],
         "the oldest is at the front of the queue; every task taken is submitted")
    same("two batches, prefetch=5", list(_ahead(range(9), _Watched(2), prefetch=5)), [[0], [1]],
         "there may be fewer than prefetch")
    same("no batches at all", list(_ahead(range(9), _Watched(0), prefetch=5)), [], "nothing to wait for")
    sampler = _Watched(9)
    batches = iter(_ahead(range(9), sampler, prefetch=3))
    for number in range(3):
        next(batches)
        same(f"prefetch=3, batch {number} was yielded: the number of submitted tasks", sampler.given, 4 + number,
             "three at first, and one more for each batch that has arrived")
    batches.close()


@check("DataLoader._batches_ahead", "a batch that is late is named")
def names_the_late() -> None:
    go = Event()

    class Slow:
        def __getitem__(self, index):
            if index == 2:
                go.wait(5)
            return index

    batches = iter(_ahead(Slow(), _Watched(4), timeout=0.05))
    same("the first two batches", [next(batches), next(batches)], [[0], [1]], "these are in time")
    try:
        next(batches)
    except MXNetError as error:
        expect("batch 2 was not ready" in str(error), "batch 2 is late, and the error says: {error}; count is the "
               "number of batches that have arrived", error=str(error).split(".")[0])
    else:
        wrong("batch 2 is late: nothing is raised")
    finally:
        go.set()
