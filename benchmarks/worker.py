"""Runs the programs of one library when told to, so that the libraries take turns within one run.

    python worker.py minigluon|mxnet|torch|numpy

Reads lines 'count<TAB>program' and answers each with the seconds that one of `count` runs took. The first answer,
before any question, is the library's version.
"""

import importlib
import json
import sys
import time


def programs(library):
    """(version, {name: function that sets the program up})."""
    if library == "torch":
        import operators_torch
        import programs_torch
        import torch
        table = {**programs_torch.makers(), **operators_torch.makers()}
        return f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads", table
    if library == "numpy":
        import numpy
        import programs_numpy
        return f"NumPy {numpy.__version__}", programs_numpy.makers()
    import operators_gluon
    import programs_gluon
    mx = importlib.import_module(library)
    return f"{library} {mx.__version__}", {**programs_gluon.makers(mx), **operators_gluon.makers(mx)}


def main():
    answers = sys.stdout
    sys.stdout = sys.stderr         # whatever a library prints must not mix with the answers
    version, table = programs(sys.argv[1])
    ready = {}
    print(json.dumps({"version": version, "programs": list(table)}), file=answers, flush=True)
    for line in sys.stdin:
        count, name = line.rstrip("\n").split("\t")
        if name not in ready:
            ready[name] = table[name]()
        run = ready[name]
        start = time.perf_counter()
        for _ in range(int(count)):
            run()
        print((time.perf_counter() - start) / int(count), file=answers, flush=True)


if __name__ == "__main__":
    main()
