"""Runs the programs of one library when told to, so that the libraries take turns within one run.

    python worker.py minigluon|mxnet|torch|numpy SIZES [FILE.py ...]

SIZES is a JSON object that the programs get. Each FILE adds programs to those of this folder. The first answer, before
any question, is the library's version, its modes and its programs. A question is a JSON list on a line,
[what, arguments...], and calls a method of `Worker`; the answer is {"result": ...} or {"error": text}.
"""

import importlib.util
import json
import pathlib
import sys
import time

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


class Worker:
    """The programs of one library, set up when they are first asked for."""

    def __init__(self, library, sizes, files):
        self.library = library
        self.module = importlib.import_module(library)
        self.files = [load(path) for path in files]
        self.modes = self.files[0].MODES[library]
        arguments = (self.module, sizes) if library in ("minigluon", "mxnet") else (sizes,)
        self.makers = {name: maker for file in self.files for name, maker in file.makers(*arguments).items()}
        self.ready = {}

    def hello(self):
        version = f"{self.library} {self.module.__version__}"
        if self.library == "torch":
            threads = self.module.get_num_threads()
            version += f", {threads} thread{'s' * (threads != 1)}"
        return {"version": version, "modes": self.modes, "programs": list(self.makers)}

    def seconds(self, name, mode, count, clock):
        """Seconds of a CLOCK that one of `count` runs took. A run that is not timed goes before, to wake up threads."""
        run = self.run(name, mode)
        if count > 1:
            run()
        now = CLOCKS[clock]
        start = now()
        for _ in range(count):
            run()
        return (now() - start) / count

    def examine(self, name, mode):
        probes = load(pathlib.Path(__file__).parent / "probes.py")
        return probes.examine(self.module, lambda: self.makers[name](mode))

    def forget(self):
        """Free what is set up."""
        self.ready.clear()

    def run(self, name, mode):
        if (name, mode) not in self.ready:
            made = self.makers[name](mode)
            self.ready[name, mode] = getattr(made, "run", made)
        return self.ready[name, mode]


def load(path):
    """The module in a file."""
    path = pathlib.Path(path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    answers = sys.stdout
    sys.stdout = sys.stderr         # whatever a library prints must not mix with the answers

    def answer(value):
        print(json.dumps(value), file=answers, flush=True)

    library, sizes, files = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]
    family = "gluon" if library in ("minigluon", "mxnet") else library
    worker = Worker(library, sizes, [pathlib.Path(__file__).parent / f"programs_{family}.py", *files])
    answer(worker.hello())
    for line in sys.stdin:
        what, *arguments = json.loads(line)
        try:
            answer({"result": getattr(worker, what)(*arguments)})
        except Exception as error:          # whatever a library raises; who asked decides what it means
            answer({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
