"""What is cut out of the engine."""

from ...step import Hole, Part, Step

SAMPLER = "minigluon.gluon.data.sampler"
BATCHIFY = "minigluon.gluon.data.batchify"
LOADER = "minigluon.gluon.data.dataloader"

STEP = Step(
    title="The DataLoader: from samples to batches",
    parts=[
        Part(SAMPLER, "RandomSampler.__iter__", (Hole(
            "an iterator over 0, 1, ... self._length - 1 as Python's integers, in a random order that is new each "
            "time. Shuffle with rng.host() where rng.seeded() says that mx.random.seed was called, otherwise with "
            "np.random.",),), in_lenet=False),
        Part(SAMPLER, "BatchSampler.__iter__", (Hole(
            "yield lists of self._batch_size indices from self._sampler, each a list of its own. self._last_batch is "
            "'keep', 'discard' or 'rollover' and says what becomes of the last ones where they fill no list. What is "
            "rolled over waits in self._left, and comes first in the next iteration.",),)),
        Part(SAMPLER, "BatchSampler.__len__", (Hole(
            "how many lists the next iteration gives; len(self._sampler) is the number of indices.",),),
             in_lenet=False),
        Part(BATCHIFY, "_buffer"),
        Part(BATCHIFY, "_wrap"),
        Part(BATCHIFY, "_stack", (Hole(
            "arrays is a list of NumPy's arrays of one shape and dtype. Return an array with one more axis in front, "
            "in which they lie one behind the other. Raise a ShapeError that names the first sample of another shape "
            "than sample 0.",),), in_lenet=False),
        Part(BATCHIFY, "default_batchify_fn", (Hole(
            "the docstring says it all. _wrap(array, context) makes an NDArray, _stack a batch; _buffer makes a sample "
            "that is an NDArray one of NumPy's, np.asarray all others. The batch of NDArrays is on the context of the "
            "first one, any other on current_context().",),), in_lenet=False),
        Part(BATCHIFY, "Pad.__call__", (Hole(
            "longest is the greatest length along each axis, rounded up to a multiple of self._round_to where that is "
            "set. The batch is an array of self._val, (number of samples, *longest), of dtype self._dtype, or that of "
            "the first sample where it is None; each sample is written into the beginning of its row.",
            "longest = [max", "for row"),), in_lenet=False),
        Part("minigluon.gluon.data.dataset", "ArrayDataset.rows", (Hole(
            "rows_of(array, indices) gives the rows of one array of self._data, or None where it cannot. The batch of "
            "one array is these rows, that of several a list of them; None where one of them is None.",
            "parts =", "return"),)),
        Part("minigluon.gluon.data.batches", "read_batch", (Hole(
            "where batchify_fn is default_batchify_fn, nothing is being recorded and there are indices, ask the "
            "dataset for its rows(indices), if it has such a method. In all other cases, and where that gives None, it "
            "is batchify_fn of the list of samples.",),)),
        Part(LOADER, "_batch_sampler", (Hole(
            "without a batch_size raise an ArgumentError. Without a sampler take a RandomSampler of this length if "
            "shuffle is true, else a SequentialSampler; a sampler and shuffle together are an ArgumentError. Return a "
            "BatchSampler, which keeps the last batch unless last_batch says something else.",
            "if batch_size is None", "return BatchSampler"),)),
        Part(LOADER, "DataLoader._batches_here", (Hole(
            "for each list of indices of self._batch_sampler yield the batch, which read_batch makes.",),)),
        Part(LOADER, "DataLoader._batches_ahead", (
            Hole("a deque with the futures of the first self._prefetch tasks; workers.submit(task) gives a future. "
                 "tasks is an iterator: a task that is taken from it and not submitted is lost.", "under_way ="),
            Hole("`batch` has come. Take its future out of the queue, add 1 to count, and submit one more task, if "
                 "there is one.", "under_way.popleft()", "for task in tasks")), in_lenet=False),
    ],
    hints={
        "RandomSampler.__iter__": [
            "np.arange makes the numbers, and both generators have a method shuffle, which works in place.",
            "array.tolist() gives Python's integers; iter(list) an iterator.",
        ],
        "BatchSampler.__iter__": [
            "Collect indices in a list. Is it full, yield it and begin a new one.",
            "Begin with what was left over, and forget that it is left over: self._left = [].",
            "Behind the loop the list may have something in it. Three cases; `discard` has nothing to do.",
        ],
        "BatchSampler.__len__": [
            "keep: the quotient rounded up; -(-a // b) does that with integers.",
            "discard and rollover: rounded down. What was rolled over counts, too, and is empty with discard.",
        ],
        "_stack": [
            "np.empty makes the batch, batch[i] = a fills a row. Or np.stack, after the shapes were compared.",
        ],
        "default_batchify_fn": [
            "Three cases, by the type of data[0]: a tuple, an NDArray, anything else.",
            "zip(*data) turns samples of several parts into one group for each part; the function calls itself on "
            "each.",
        ],
        "Pad.__call__": [
            "zip(*(a.shape for a in arrays)) gives the lengths along each axis.",
            "row[tuple(slice(n) for n in a.shape)] is the beginning of a row, along all axes.",
        ],
        "ArrayDataset.rows": ["any(part is None for part in parts) tells whether one of them could not."],
        "read_batch": [
            "getattr(dataset, 'rows', None) is the method, or None.",
            "An empty batch is None's brother in an if: compare with `is None`.",
        ],
        "_batch_sampler": ["`last_batch or 'keep'` is 'keep' where last_batch is None."],
        "DataLoader._batches_here": ["read_batch takes the dataset, the indices and self._batchify_fn."],
        "DataLoader._batches_ahead": [
            "zip of range(self._prefetch) and tasks ends when the first of the two does. It asks the left one first: "
            "put range on the left, or a task is taken that nobody submits.",
            "A for loop that breaks after its first task takes one task, if there is one.",
        ],
    },
    equivalent={
        "_batch_sampler: if batch_size is None: raise ArgumentError('DataLoader needs a batch_size (or a "
        "batch_sampler)')  ->  pass": "BatchSampler refuses None with an ArgumentError, too",
        "_batch_sampler: raise ArgumentError('DataLoader needs a batch_size (or a batch_sampler)')  ->  pass":
            "BatchSampler refuses None with an ArgumentError, too",
        "DataLoader._batches_ahead: for task in tasks: under_way.append(workers.submit(task)) break  ->  for task in "
        "tasks: under_way.append(workers.submit(task)) break return": "nothing behind a break runs",
    },
)
