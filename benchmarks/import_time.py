"""What `import minigluon` costs: time, memory and modules, on the NumPy backend.

    python benchmarks/import_time.py                            # this checkout
    python benchmarks/import_time.py --root . ../before         # two checkouts, in turns

One column for each checkout. The rows:

- modules: of minigluon, and all that the import loads in addition to NumPy's.
- processor time: of the import after NumPy's, the median and the least of fresh processes.
- the modules' own times: for each module of minigluon, the least time that `python -X importtime` attributes to it
  without the modules that it imports, and the sum over all modules. "With the standard library's": also those modules
  that the import loads in addition to NumPy's.
- memory: how much the largest resident size of a process grows with the import, the median.

Bytecode is written first. Modules that have been loaded before, such as NumPy's, count nowhere.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

PROGRAM = """
import json, resource, sys, time, numpy
loaded = set(sys.modules)
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began = time.process_time()
import minigluon
seconds = time.process_time() - began
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
print(json.dumps({"modules": sorted(set(sys.modules) - loaded), "seconds": seconds, "kilobytes": memory}))
"""


def run(root, *options):
    """Return (what PROGRAM prints, {module: its own time in microseconds}) from a fresh process."""
    env = {**os.environ, "PYTHONPATH": str(root), "MINIGLUON_BACKEND": "numpy", "MINIGLUON_GPU": "off"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run([sys.executable, *options, "-c", PROGRAM], cwd=root, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{root}: import minigluon fails:\n{done.stderr}")
    lines = [line.removeprefix("import time:").split("|") for line in done.stderr.splitlines()]
    return json.loads(done.stdout), {line[2].strip(): int(line[0]) for line in lines if line[0].strip().isdigit()}


def rows(results, times):
    """Return {what: figure} of one checkout. results: PROGRAM's. times: those of runs with -X importtime."""
    loaded = results[0]["modules"]
    least = {name: min(run[name] for run in times if name in run) for name in set().union(*times) & set(loaded)}
    own = [name for name in loaded if name.partition(".")[0] == "minigluon"]
    seconds = [result["seconds"] for result in results]
    return {"modules of minigluon": len(own), "modules": len(loaded),
            "processor time, median": f"{1000 * statistics.median(seconds):.1f} ms",
            "processor time, least": f"{1000 * min(seconds):.1f} ms",
            "the modules' own times": f"{sum(least.get(name, 0) for name in own) / 1000:.1f} ms",
            "with the standard library's": f"{sum(least.values()) / 1000:.1f} ms",
            "memory": f"{statistics.median(result['kilobytes'] for result in results) / 1024:.1f} MB"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", nargs="+", type=Path, default=[HERE.parent], metavar="CHECKOUT")
    parser.add_argument("--runs", type=int, default=12, help="processes for each checkout and kind of measurement")
    chosen = parser.parse_args()
    roots = [root.resolve() for root in chosen.root]
    for root in roots:
        run(root)                               # writes bytecode
    results, times = {root: [] for root in roots}, {root: [] for root in roots}
    for _ in range(chosen.runs):
        for root in roots:
            results[root].append(run(root)[0])
            times[root].append(run(root, "-X", "importtime")[1])
    columns = {root.name: rows(results[root], times[root]) for root in roots}
    for what in ["", *next(iter(columns.values()))]:
        print(what.ljust(30), *(str(column.get(what, name)).rjust(16) for name, column in columns.items()))


if __name__ == "__main__":
    main()
