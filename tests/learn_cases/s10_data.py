"""Wrong answers to step 10, and what the course says to them."""

WRONG = [
    ("        batch, self._left = self._left, []\n", "        batch = []\n",
     "3 and 4 are left over from the first iteration, and start the second"),
    ("                yield batch\n                batch = []\n",
     "                yield batch\n                batch.clear()\n", "BatchSampler yields the same list again and "
                                                                     "again"),
    ("return -(-count // self._batch_size)", "return count // self._batch_size",
     "BatchSampler of 5 indices, batch size 3, 'keep': len() before iteration 1 is 1; expected 2"),
    ("        if a.shape != first.shape:\n", "        if a.ndim != first.ndim:\n",
     "nothing is raised; expected a ShapeError. NumPy would silently stretch the last one"),
    ("        return [default_batchify_fn(part) for part in zip(*data, strict=True)]",
     "        return [default_batchify_fn(list(part)) for part in data]",
     "cannot batch samples of different shapes: sample 0 has (2,), sample 1 has ()"),
    ("for _, task in zip(range(self._prefetch), tasks)", "for task, _ in zip(tasks, range(self._prefetch))",
     "every task taken is submitted"),
    ("                    under_way.append(workers.submit(task))\n                    break",
     "                    under_way.append(workers.submit(task))",
     "prefetch=3, batch 0 was yielded: the number of submitted tasks is 9; expected 4"),
    ("        if batch is not None:\n            return batch\n", "        if batch:\n            return batch\n",
     "expected that batch, although its only number is 0"),
]
