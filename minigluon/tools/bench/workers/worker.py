"""A process that runs the programs of one library on request, so that the libraries take turns.

    python worker.py minigluon|reference|mxnet|torch|numpy SIZES [FILE.py ...]

SIZES is a JSON object for the programs. Each FILE adds programs to those in this folder. The first answer, before any
request, is the library's version, its modes and its programs. A request is a JSON list on one line, [method,
arguments...], which calls a method of `Worker`; the answer is {"result": ...} or {"error": text}.
"""

import importlib.util
import json
import pathlib
import sys
import time

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


class Worker:
    """The programs of one library, set up when they are first used."""

    def __init__(self, library, sizes, files):
        self.library, self.sizes = library, sizes
        self.module = importlib.import_module("minigluon" if library == "reference" else library)
        self.family = "gluon" if library in ("minigluon", "reference", "mxnet") else library
        self.files = [importlib.import_module(f"workers.programs_{self.family}"), *map(load, files)]
        self.modes = self.files[0].MODES[library]
        self.makers = self.makers_of(sizes)
        self.ready = {}

    def makers_of(self, sizes):
        arguments = (self.module, sizes) if self.family == "gluon" else (sizes,)
        return {name: maker for file in self.files for name, maker in file.makers(*arguments).items()}

    def hello(self):
        version = f"{self.module.__name__} {self.module.__version__}"
        if self.library == "torch":
            threads = self.module.get_num_threads()
            version += f", {threads} thread{'s' * (threads != 1)}"
        if self.library == "minigluon":
            version += backends(self.module)
        return {"version": version, "modes": self.modes, "programs": list(self.makers)}

    def seconds(self, name, mode, count, clock):
        """Return the average number of seconds per run, measured by a CLOCK, over `count` runs. An untimed run comes
        first, to wake up the threads.
        """
        run = self.run(name, mode)
        if count > 1:
            run()
        now = CLOCKS[clock]
        start = now()
        for _ in range(count):
            run()
        return (now() - start) / count

    def examine(self, name, mode):
        probes = importlib.import_module("workers.probes")
        return probes.examine(self.module, lambda: self.makers[name](mode))

    def resident(self, name, mode, small):
        """Return the memory of a run, measured by `resident.py`. small: sizes for a run before the measured one."""
        probe = importlib.import_module("workers.resident")
        empty_cache = self.module.cpu().empty_cache if self.module.__name__ == "minigluon" else int
        return probe.resident_bytes(lambda: self.makers_of(small)[name](mode), lambda: self.makers[name](mode), runner,
                                    empty_cache)

    def more(self, name, *arguments):
        """Return the result of a function of the last FILE: name(worker, *arguments)."""
        return getattr(self.files[-1], name)(self, *arguments)

    def forget(self):
        """Free the programs that have been set up."""
        self.ready.clear()

    def run(self, name, mode):
        if (name, mode) not in self.ready:
            self.ready[name, mode] = runner(self.makers[name](mode))
        return self.ready[name, mode]


def runner(program):
    """Return the function that runs a program once. program: this function, or a Program that contains it."""
    return getattr(program, "run", program)


def backends(mx):
    """Return a string such as ' on accel (avx512, 2 threads)', or '' if only the reference runs."""
    serving = mx.backend.backend_for(mx.cpu())
    if serving.name == "numpy":
        return ""
    engine = sys.modules.get("minigluon_accel.engine")
    return f" on {serving.name}" + (f" ({engine.isa()}, {engine.threads()} threads)" if engine else "")


def load(path):
    """Return the module loaded from a file."""
    path = pathlib.Path(path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    sys.path[0] = str(pathlib.Path(__file__).parents[1])    # the folder with the package `workers`
    answers = sys.stdout
    sys.stdout = sys.stderr         # a library's output must not mix with the answers

    def answer(value):
        print(json.dumps(value), file=answers, flush=True)

    library, sizes, files = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]
    worker = Worker(library, sizes, files)
    answer(worker.hello())
    for line in sys.stdin:
        what, *arguments = json.loads(line)
        try:
            answer({"result": getattr(worker, what)(*arguments)})
        except Exception as error:          # any error of a library; the caller decides how to treat it
            answer({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
