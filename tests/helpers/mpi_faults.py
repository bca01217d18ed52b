"""A job of several processes in which one of them does something else: `mpirun -n 3 python mpi_faults.py CASE`.

CASE is JSON: {"fault": a name in FAULTS, "rank": of the faulty process, "at": the place among its pushes}. All
processes make the same moves, but for the faulty one's. Sums are compared with what they must be.
"""

import contextlib
import ctypes
import json
import os
import signal
import sys
import threading
import time

import numpy as np

KEYS = {"a": ((2, 3), "float32"), "b": ((2, 3), "float32"), "c": ((40,), "float16"), "d": ((5,), "float64")}
STEPS = 3


def usual_moves():
    """What each process does: [verb, arguments]."""
    moves = [["init", key, *KEYS[key]] for key in KEYS]
    for step in range(STEPS):
        moves += [["push", key, step, KEYS[key][1]] for key in KEYS] + [["barrier"]]
    return [*moves, ["sums", ["x", "y", "z"], [3, 3, 3]], ["train", 4, 2]]


class Worker:
    """The process, and its verbs."""

    def __init__(self, case):
        import minigluon
        self.mx, self.nd = minigluon, minigluon.nd
        self.case = case
        self.store = minigluon.kv.create("dist_sync")
        self.second = minigluon.kv.create("dist_sync")

    def moves(self):
        moves = usual_moves()
        return FAULTS[self.case["fault"]](moves, self.case) if self.store.rank == self.case["rank"] else moves

    def run(self):
        for verb, *arguments in self.moves():
            getattr(self, verb)(*arguments)
        print("done", flush=True)

    # -- what all do --------------------------------------------------------------------------------------------

    def init(self, key, shape, dtype):
        self.store.init(key, self.nd.zeros(shape, dtype=dtype))

    def push(self, key, step, dtype, store=None):
        store, shape = store or self.store, KEYS[key][0]
        store.push(key, self.nd.ones(shape, dtype=dtype) * ((step + 1) * 2**store.rank))
        out = self.nd.zeros(shape, dtype=KEYS[key][1])
        store.pull(key, out)
        self.compare(key, out, (step + 1) * (2**store.num_workers - 1))

    def sums(self, keys, sizes):
        values = [self.nd.ones((size,)) for size in sizes]
        self.store.pushpull(keys, values)
        for key, value in zip(keys, values, strict=True):
            self.compare(key, value, self.store.num_workers)

    def barrier(self):
        self.store.barrier()

    def train(self, units, steps):
        """A layer, and steps of a Trainer."""
        layer = self.mx.gluon.nn.Dense(units, in_units=3)
        layer.initialize()
        trainer = self.mx.gluon.Trainer(layer.collect_params(), "sgd", kvstore="dist_sync")
        for _ in range(steps):
            with self.mx.autograd.record():
                loss = layer(self.nd.ones((2, 3))).sum()
            loss.backward()
            trainer.step(2)

    def compare(self, key, found, expected):
        if (found.asnumpy() != expected).any():
            print(f"wrong sum: key {key} has {np.unique(found.asnumpy())}, not {expected}", flush=True)

    # -- what only a faulty one does ----------------------------------------------------------------------------

    def signal(self, number):
        os.kill(os.getpid(), number)
        time.sleep(0.1)             # for the handler of SIGINT

    def crash(self):
        ctypes.string_at(0)

    def error(self):
        raise ValueError("the data of this process is damaged")

    def exit(self, status):
        sys.exit(status)

    def vanish(self, status):
        os._exit(status)

    def sleep(self):
        time.sleep(1000)

    def spin(self):
        sum(x for x in iter(int, 1))            # zeros without end

    def stop_before_numbers(self):
        """Stop when all have agreed and wait for the numbers of this process."""
        agreed = self.store._link.call

        @contextlib.contextmanager
        def call(*arguments, **options):
            with agreed(*arguments, **options) as comm:
                os.kill(os.getpid(), signal.SIGSTOP)
                yield comm

        self.store._link.call = call

    def push_none(self, catch):
        try:
            self.store.push("a", None)
        except self.mx.MXNetError:
            if not catch:
                raise

    def optimizer(self, name):
        self.store.set_optimizer(self.mx.optimizer.create(name))

    def compress(self):
        self.store.set_gradient_compression({"type": "2bit", "threshold": 0.5})

    def second_store(self):
        self.second.pushpull("a", self.nd.ones(KEYS["a"][0]))

    def in_thread(self, verb, *arguments):
        thread = threading.Thread(target=lambda: getattr(self, verb)(*arguments))
        thread.start()
        thread.join()

    def error_in_thread(self):
        """A thread that pushes fails; the program would go on without it."""
        def work():
            self.push("a", 0, "float32")
            self.error()

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        self.sleep()

    def end_beside_thread(self):
        """The program ends while one of its threads waits in a push."""
        threading.Thread(target=lambda: self.sums(["only here"], [2]), daemon=True).start()
        time.sleep(0.3)
        sys.exit(0)

    def other_collective(self):
        from mpi4py import MPI
        MPI.COMM_WORLD.Barrier()

    def catch_and_end(self, *move):
        with contextlib.suppress(self.mx.MXNetError):
            getattr(self, move[0])(*move[1:])
        sys.exit(0)


def instead(*move):
    """At the place of a push, another move."""
    return lambda moves, case: [*moves[:_place(moves, case)], list(move), *moves[_place(moves, case) + 1:]]


def before(*more):
    """Before a push, more moves."""
    return lambda moves, case: [*moves[:_place(moves, case)], *map(list, more), *moves[_place(moves, case):]]


def replaced(old, *new):
    """Other moves at the place of one."""
    return lambda moves, case: [*moves[:moves.index(old)], *map(list, new), *moves[moves.index(old) + 1:]]


def _place(moves, case):
    return [i for i, move in enumerate(moves) if move[0] == "push"][case["at"] % (STEPS * len(KEYS))]


def _other_push(change):
    """The push with other arguments: change(key, step, dtype) -> the same."""
    def faulty(moves, case):
        place = _place(moves, case)
        return [*moves[:place], ["push", *change(*moves[place][1:])], *moves[place + 1:]]
    return faulty


SUMS, TRAIN = usual_moves()[-2:]
FAULTS = {
    # Other calls.
    "order": replaced(["push", "a", 0, "float32"], ["push", "b", 0, "float32"], ["push", "a", 0, "float32"]),
    "key": _other_push(lambda key, step, dtype: ("b" if key == "a" else "a", step, "float32")),
    "dtype": _other_push(lambda key, step, dtype: (key, step, "int32" if dtype == "float32" else "float32")),
    "missing push": _other_push(lambda key, step, dtype: ("abcda"["abcd".index(key) + 1], step, "float32")),
    "extra push": before(["push", "d", 1, "float64"], ["push", "d", 1, "float64"]),
    "shape": replaced(SUMS, ["sums", ["x", "y", "z"], [3, 4, 3]]),
    "many rows": replaced(SUMS, ["sums", ["x", "y", "z"], [3, 300_000, 3]]),
    "order of a list": replaced(SUMS, ["sums", ["x", "z", "y"], [3, 3, 3]]),
    "fewer keys": replaced(SUMS, ["sums", ["x", "y"], [3, 3]]),
    "more keys": replaced(SUMS, ["sums", ["x", "y", "z", "w"], [3, 3, 3, 3]]),
    "kind of keys": replaced(SUMS, ["sums", [1, 2, 3], [3, 3, 3]]),
    "init of another shape": replaced(["init", "c", *KEYS["c"]], ["init", "c", (41,), "float16"]),
    "init of another type": replaced(["init", "c", *KEYS["c"]], ["init", "c", (40,), "float32"]),
    "init of another key": replaced(["init", "c", *KEYS["c"]], ["init", "e", *KEYS["c"]]),
    "no init": replaced(["init", "d", *KEYS["d"]]),
    "barrier": before(["barrier"]),
    "no barrier": replaced(["barrier"]),
    "optimizer": before(["optimizer", "sgd"]),
    "compression": before(["compress"]),
    "second store": before(["second_store"]),
    "threads in another order": replaced(["push", "a", 0, "float32"], ["in_thread", "push", "b", 0, "float32"],
                                         ["in_thread", "push", "a", 0, "float32"]),
    "another layer": replaced(TRAIN, ["train", 5, 2]),
    "a failed push": before(["push_none", True]),
    # The others wait for one that has ended.
    "exit 0": before(["exit", 0]),
    "exit 3": before(["exit", 3]),
    "fewer steps": replaced(TRAIN, ["train", 4, 1]),
    "end beside a thread": before(["end_beside_thread"]),
    "caught and ended": replaced(SUMS, ["catch_and_end", "sums", ["x"], [3]]),
    # An error.
    "error": before(["error"]),
    "none": before(["push_none", False]),
    "interrupt": before(["signal", signal.SIGINT]),
    "error in a thread": replaced(["push", "a", 0, "float32"], ["error_in_thread"]),
    # One hangs.
    "sleep": before(["sleep"]),
    "spin": before(["spin"]),
    "stopped": before(["signal", signal.SIGSTOP]),
    "stopped before numbers": before(["stop_before_numbers"]),
    "another collective": before(["other_collective"]),
    # mpirun itself says who it was.
    "killed": before(["signal", signal.SIGKILL]),
    "crash": before(["crash"]),
    "vanished": before(["vanish", 0]),
    "vanished with 3": before(["vanish", 3]),
    "none at all": lambda moves, case: moves,
}

if __name__ == "__main__":
    Worker(json.loads(sys.argv[1])).run()
