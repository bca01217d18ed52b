"""Nets with functions of `mx.np`, exported here and by the real MXNet 1.9.1, each run by the other one.

    python tests/scripts/np_graphs.py MXNET_PYTHON [--show]

MXNET_PYTHON is an interpreter with MXNet 1.9.1. The nets are those of `tests/records/np_graph_cases.py`: nearly every
function of `mx.sym.np` and `mx.sym.npx` with several arguments, and some whole networks. For both directions it prints
how many nets compute the same types, shapes and elements; --show lists the others with the reason.
"""

import argparse
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

import numpy as onp  # noqa: E402
from records import DATA  # noqa: E402
from records import np_graph_cases as cases  # noqa: E402

import minigluon as mx  # noqa: E402
from minigluon import gluon, np, npx, sym  # noqa: E402


def flat(outputs):
    return [y for part in outputs for y in flat(part)] if isinstance(outputs, (list, tuple)) else [outputs]


def difference(name, found, expected):
    """Return what differs between outputs as [type, shape, elements], or None."""
    if isinstance(found, str):
        return found
    for (dtype, shape, elements), (other_dtype, other_shape, other) in zip(found, expected, strict=True):
        if (dtype, shape) != (other_dtype, other_shape):
            return f"{dtype} {shape}, expected {other_dtype} {other_shape}"
        if name not in cases.DRAWN and not onp.allclose(elements, other, 2e-5, 2e-6, equal_nan=True):
            return f"elements {elements[:4]}, expected {other[:4]}"
    return None


def as_lists(outputs):
    return [[str(y.dtype), list(y.shape), y.asnumpy().ravel().tolist()] for y in flat(outputs)]


def made(name):
    """Return a net of this project, its inputs and its outputs."""
    net = cases.build(mx, name)
    net.initialize()
    net.hybridize()
    inputs = [np.array(x) for x in cases.inputs_of(name)]
    net(*inputs)
    for key, parameter in net.collect_params().items():
        parameter.set_data(np.array(cases.values(key, parameter.shape)))
    return net, inputs, as_lists(net(*inputs))


def read_here(recorded):
    """Return {name: what differs} for the files of MXNet."""
    problems = {}
    for name, (text, expected) in recorded.items():
        try:
            symbol = sym.load_json(text)
            inputs = [np.array(x) for x in cases.inputs_of(name)]
            parameters = made(name)[0].collect_params()
            names = sorted(key for key in symbol.list_inputs() if key not in parameters)
            block = gluon.SymbolBlock(symbol, [sym.var(key) for key in names], params=parameters)
            problem = difference(name, as_lists(block(*inputs)), expected)
        except mx.MXNetError as error:
            problem = str(error)
        if problem is not None:
            problems[name] = problem
    return problems


def read_there(python):
    """Return ({name: what differs} for files of this project, the number of them)."""
    expected, names = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for number, name in enumerate(cases.NAMES):
            try:
                net, inputs, expected[name] = made(name)
            except mx.MXNetError as error:
                print(f"{name}: {str(error).splitlines()[0]}")
                continue
            names[number] = name
            net.export(str(folder / str(number)))
            keys = ["data"] if len(inputs) == 1 else [f"data{i}" for i in range(len(inputs))]
            (folder / f"{number}-inputs.json").write_text(json.dumps(keys))
        (folder / "NAMES.json").write_text(json.dumps(names))
        subprocess.run([python, "-m", "records.record_mxnet_np_graphs", "check", str(folder)], cwd=TESTS, check=True)
        answers = json.loads((folder / "ANSWERS.json").read_text())
    problems = {name: difference(name, answers[name], expected[name]) for name in expected}
    return {name: problem for name, problem in problems.items() if problem is not None}, len(expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("python", help="an interpreter with MXNet 1.9.1")
    parser.add_argument("--show", action="store_true", help="list the nets that differ")
    options = parser.parse_args()
    npx.set_np()
    recorded = json.loads(gzip.decompress((DATA / "mxnet_np_graphs.json.gz").read_bytes()))
    here = read_here(recorded)
    there, count = read_there(options.python)
    for title, problems, total in (("MXNet's files, run here", here, len(recorded)),
                                   ("files of this project, run by MXNet", there, count)):
        print(f"{title}: {total - len(problems)} of {total} nets compute the same")
        if options.show:
            for name, problem in problems.items():
                print(f"    {name}: {problem.splitlines()[0][:200]}")


if __name__ == "__main__":
    main()
