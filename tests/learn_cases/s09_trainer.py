"""Wrong answers to step 9, and what the course says to them."""

WRONG = [
    ("(1 - lr * wd)", "(1 - wd)",
     "the same with wd 0.5 is [-1.5, 5. ]; expected [-1.25, 5.5 ]: wd · weight is added to g, and both are multiplied "
     "by lr"),
    ("    mom = mom * op.momentum\n", "    mom *= op.momentum\n",
     "after sgd_momentum: the array mom that it was given is [-1., 6.]; expected [2., 4.]"),
    ("        self.num_update = newest\n", "        self.num_update = count\n",
     "then num_update is 11; expected 12: the highest of all counts, not the count of the last weight"),
    ("            if index not in self.states:\n", "            if True:\n",
     "states_of([7, 4], ...) after that returns other states, or another order"),
    ("        for of_device, (ctx, value) in zip(rows, param._data.items(), strict=False):\n"
     "            of_device.append((index, value, param._grad[ctx]))",
     "        for of_device, (ctx, value) in zip(rows, param._data.items(), strict=False):\n"
     "            of_device.append((len(of_device), value, param._grad[ctx]))",
     "the indices in a replica is (0, 1); expected (0, 2): it is skipped, and the others keep their indices"),
    ("            self.step(updater).run()\n            self.mark_stale()", "            self.step(updater).run()",
     "entry.fresh afterwards is True; expected False: it was used: mark_stale()"),
    ("self._scale / batch_size", "self._optimizer.rescale_grad / batch_size",
     "then rescale(2) is 0.375; expected 1.5: self._scale keeps its initial value"),
    ("        if self._kvstore is not None:\n            self._sum_gradients()\n", "",
     "step(8) with a store: the calls is ["),
]
