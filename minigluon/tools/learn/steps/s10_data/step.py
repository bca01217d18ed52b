"""The parts of the engine that the learner writes, with tasks and hints."""

from ...step import Hole, Part, Step

SAMPLER = "minigluon.gluon.data.sampler"
BATCHIFY = "minigluon.gluon.data.batchify"
LOADER = "minigluon.gluon.data.dataloader"

STEP = Step(
    title="The DataLoader: from samples to batches",
    parts=[
        Part(SAMPLER, "RandomSampler.__iter__", (Hole(
            "return an iterator over 0, 1, ... self._length - 1 as Python integers, in a random order that is new each "
            "time. Shuffle with rng.host() if rng.seeded() says that mx.random.seed was called, otherwise with "
            "np.random.",),), in_lenet=False),
        Part(SAMPLER, "BatchSampler.__iter__", (Hole(
            "yield lists of self._batch_size indices from self._sampler, a new list each time. self._last_batch is "
            "'keep', 'discard' or 'rollover', and says what happens to the last indices if they do not fill a list. "
            "Rolled-over indices wait in self._left, and come first in the next iteration.",),)),
        Part(SAMPLER, "BatchSampler.__len__", (Hole(
            "return the number of lists in the next iteration; len(self._sampler) is the number of indices.",),),
             in_lenet=False),
        Part(BATCHIFY, "_buffer"),
        Part(BATCHIFY, "_wrap"),
        Part(BATCHIFY, "_stack", (Hole(
            "arrays is a list of NumPy arrays of the same shape and dtype. Return an array that stacks them along a "
            "new first axis. Raise a ShapeError that names the first sample whose shape differs from sample "
            "0.",),), in_lenet=False),
        Part(BATCHIFY, "default_batchify_fn", (Hole(
            "see the docstring. _wrap(array, context) creates an NDArray, _stack a batch; _buffer converts a sample "
            "that is an NDArray to NumPy, np.asarray all others. The batch of NDArrays is on the context of the first "
            "one, any other batch on current_context().",),), in_lenet=False),
        Part(BATCHIFY, "Pad.__call__", (Hole(
            "longest is the greatest length along each axis, rounded up to a multiple of self._round_to if that is "
            "set. The batch is an array filled with self._val, of shape (number of samples, *longest) and dtype "
            "self._dtype, or if that is None, the dtype of the first sample; write each sample to the beginning of its "
            "row.",
            "longest = [max", "for row"),), in_lenet=False),
        Part("minigluon.gluon.data.dataset", "ArrayDataset.rows", (Hole(
            "rows_of(array, indices) returns the rows of one array of self._data, or None if it cannot. The batch of "
            "one array is these rows, the batch of several is a list of them, or None if one of them is None.",
            "parts =", "return"),)),
        Part("minigluon.gluon.data.batches", "read_batch", (Hole(
            "if batchify_fn is default_batchify_fn, nothing is being recorded and there are indices, call the "
            "dataset's rows(indices), if it has this method. In all other cases, and if that returns None, return "
            "batchify_fn of the list of samples.",),)),
        Part(LOADER, "_batch_sampler", (Hole(
            "without a batch_size, raise an ArgumentError. Without a sampler, use a RandomSampler of this length if "
            "shuffle is true, else a SequentialSampler; for a sampler together with shuffle, raise an ArgumentError. "
            "Return a BatchSampler, which keeps the last batch unless last_batch says otherwise.",
            "if batch_size is None", "return BatchSampler"),)),
        Part(LOADER, "DataLoader._batches_here", (Hole(
            "for each list of indices of self._batch_sampler, yield the batch that read_batch returns.",),)),
        Part(LOADER, "DataLoader._batches_ahead", (
            Hole("create a deque with the futures of the first self._prefetch tasks; workers.submit(task) returns a "
                 "future. tasks is an iterator: a task that is taken from it but not submitted is "
                 "lost.", "under_way ="),
            Hole("`batch` has arrived. Remove its future from the queue, add 1 to count, and submit one more task, if "
                 "there is one.", "under_way.popleft()", "for task in tasks")), in_lenet=False),
    ],
    hints={
        "RandomSampler.__iter__": [
            "np.arange creates the numbers, and both generators have a method shuffle, which works in place.",
            "array.tolist() returns Python integers; iter(list) returns an iterator.",
        ],
        "BatchSampler.__iter__": [
            "Collect indices in a list. When it is full, yield it and start a new one.",
            "Start with the indices left over from last time, and clear them: self._left = [].",
            "After the loop, the list may not be empty. There are three cases; `discard` has nothing to do.",
        ],
        "BatchSampler.__len__": [
            "keep: the quotient rounded up; -(-a // b) does that with integers.",
            "discard and rollover: rounded down. Rolled-over indices also count; with discard there are none.",
        ],
        "_stack": [
            "np.empty creates the batch, and batch[i] = a fills a row. Or use np.stack, after comparing the shapes.",
        ],
        "default_batchify_fn": [
            "Three cases, by the type of data[0]: a tuple, an NDArray, anything else.",
            "zip(*data) turns samples with several parts into one group per part; the function calls itself on each "
            "group.",
        ],
        "Pad.__call__": [
            "zip(*(a.shape for a in arrays)) yields the lengths along each axis.",
            "row[tuple(slice(n) for n in a.shape)] is the beginning of a row, along all axes.",
        ],
        "ArrayDataset.rows": ["any(part is None for part in parts) is true if one of them has no rows."],
        "read_batch": [
            "getattr(dataset, 'rows', None) is the method, or None.",
            "In an if, an empty batch looks the same as None: compare with `is None`.",
        ],
        "_batch_sampler": ["`last_batch or 'keep'` is 'keep' if last_batch is None."],
        "DataLoader._batches_here": ["read_batch takes the dataset, the indices and self._batchify_fn."],
        "DataLoader._batches_ahead": [
            "zip of range(self._prefetch) and tasks ends when either of the two does. It reads the left one first: put "
            "range on the left, or a task would be taken but not submitted.",
            "A for loop that breaks after its first task takes one task, if there is one.",
        ],
    },
    equivalent={
        "_batch_sampler: if batch_size is None: raise ArgumentError('DataLoader needs a batch_size (or a "
        "batch_sampler)')  ->  pass": "BatchSampler also refuses None with an ArgumentError",
        "_batch_sampler: raise ArgumentError('DataLoader needs a batch_size (or a batch_sampler)')  ->  pass":
            "BatchSampler also refuses None with an ArgumentError",
        "DataLoader._batches_ahead: for task in tasks: under_way.append(workers.submit(task)) break  ->  for task in "
        "tasks: under_way.append(workers.submit(task)) break return": "nothing after a break runs",
    },
)
