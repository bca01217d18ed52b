"""Run ONNX's own tests (onnx.backend.test) through mx.onnx.import_model, and list what does not pass, by reason.

    python tests/scripts/onnx_import.py                    all: some minutes, most of them until ONNX has made its tests
    python tests/scripts/onnx_import.py --write            and write the table into docs/onnx-import.md
    python tests/scripts/onnx_import.py -k lstm gru        those with such names, with each problem in full

Inputs that decide shapes are given when a file is read, as its error asks for. A test counts if all its inputs and
outputs are arrays of NumPy's numbers, and all operators are of ONNX's own domain. "Last digits" are results that ONNX's
tests, with their 1e-3 and 1e-7, do not accept, and that differ by at most 4 last digits of the largest number.
"""

import argparse
import collections
import os
import pickle
import re
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
warnings.simplefilter("ignore")

import onnx  # noqa: E402
import onnx.backend.test  # noqa: E402
from helpers.onnx_cases import array_of, difference, is_ordinary, run_model  # noqa: E402
from minigluon.onnx.importer import ImportProblems  # noqa: E402
from onnx import numpy_helper  # noqa: E402

from minigluon.base import MXNetError  # noqa: E402

KINDS = "node", "simple", "pytorch-converted", "pytorch-operator", "light"
DATA = Path(onnx.backend.test.__file__).parent / "data"
PAGE = ROOT / "docs" / "onnx-import.md"
BEGIN, END = "<!-- table of tests: written by tests/scripts/onnx_import.py -->", "<!-- end of the table -->"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-k", nargs="+", default=[], metavar="TEXT", help="tests with one of these in their names")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    options = parser.parse_args()
    counts, reasons, given = {}, collections.defaultdict(list), 0
    for kind in options.kinds:
        counts[kind] = collections.Counter()
        for name, content, sets, rtol, atol in cases(kind):
            if options.k and not any(text in name for text in options.k):
                continue
            result, reason, constants = judge(content, sets, rtol, atol)
            counts[kind][result] += 1
            given += result == "passed" and bool(constants)
            if result != "passed":
                reasons[result, shortened(reason)].append(name)
                if options.k:
                    print(f"{name}: {result}\n{reason}\n")
    text = table(counts, reasons, given)
    print(text)
    if options.write:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        PAGE.write_text(before + BEGIN + "\n" + text + END + rest.partition(END)[2])
    return any(result["wrong"] for result in counts.values())


# -- the tests --------------------------------------------------------------------------------------------------------


def cases(kind):
    """(name, serialized model, [(inputs, outputs)], rtol, atol) of each test."""
    if kind == "node":
        yield from node_cases()
        return
    for path in sorted((DATA / kind).iterdir()):
        if kind == "light" and path.suffix == ".onnx":
            yield path.stem, path.read_bytes(), [light_set(path)], 1e-3, 1e-7
        elif (path / "model.onnx").exists():
            sets = [([tensor(file) for file in numbered(folder, "input")],
                     [tensor(file) for file in numbered(folder, "output")])
                    for folder in sorted(path.glob("test_data_set*"))]
            yield path.name, (path / "model.onnx").read_bytes(), sets, 1e-3, 1e-7


def node_cases():
    """ONNX makes these when its module is imported, which takes a minute or two; so they are kept."""
    kept = Path(tempfile.gettempdir()) / f"onnx-{onnx.__version__}-node-tests-{os.getuid()}.pickle"
    if not kept.exists():
        from onnx.backend.test.loader import load_model_tests
        made = [(case.name, case.model.SerializeToString(), case.data_sets, case.rtol, case.atol)
                for case in load_model_tests(kind="node")]
        kept.write_bytes(pickle.dumps(made))
    return pickle.loads(kept.read_bytes())


def numbered(folder, name):
    return sorted(folder.glob(f"{name}_*.pb"), key=lambda path: int(path.stem.rpartition("_")[2]))


def tensor(path):
    """An array, or None for what is none."""
    found = onnx.TensorProto()
    found.ParseFromString(path.read_bytes())
    try:
        return numpy_helper.to_array(found)
    except (TypeError, ValueError):
        return None


def light_set(path):
    """A net without its weights: 0, 1/n, 2/n, ... go in, and what came out in onnxruntime is there."""
    graph = onnx.load(path).graph
    given = {entry.name for entry in graph.initializer}
    entry = next(entry for entry in graph.input if entry.name not in given)
    shape = [dim.dim_value for dim in entry.type.tensor_type.shape.dim]
    count = int(np.prod(shape))
    x = (np.arange(count).reshape(shape) / count).astype(np.float32)
    return [x], [tensor(path.with_name(f"{path.stem}_output_0.pb"))]


# -- running and telling ----------------------------------------------------------------------------------------------


def judge(content, sets, rtol, atol):
    """(result, reason, names of the inputs that were given as constants)."""
    if not is_ordinary(onnx.load_model_from_string(content)):
        return "not counted", "other types than NumPy's numbers, or operators of other domains", []
    constants = []
    try:
        for inputs, outputs in sets:
            with np.errstate(all="ignore"):
                found, constants = run_model(content, [np.asarray(array_of(x)) for x in inputs])
            for out, expected in zip(found, outputs, strict=True):
                problem = difference(out, array_of(expected), rtol, atol)
                if problem:
                    return "last digits" if nearly(out, array_of(expected)) else "wrong", problem, constants
    except ImportProblems as error:
        return "refused", error.problems[0], constants
    except MXNetError as error:
        return "refused", str(error), constants
    return "passed", "", constants


def nearly(found, expected):
    """Do they differ by 4 last digits of the largest number?"""
    if found.shape != expected.shape or found.dtype != expected.dtype or expected.dtype.kind != "f":
        return False
    found, wide = found.astype(np.float64), expected.astype(np.float64)
    return np.abs(found - wide).max() <= 4 * np.finfo(expected.dtype).eps * np.abs(wide).max()


def shortened(reason):
    """Without the names of a test, so that equal reasons are one."""
    reason = re.sub(r"node '[^']*' \(([\w.]+)\), opset \d+: ", r"\1: ", reason.splitlines()[0] if reason else "")
    reason = re.sub(r"^(numbers|dtype|shape)\b.*", r"other \1", reason)
    reason = re.sub(r"input '[^']*'", "an input", reason).replace("its an input", "an input")
    return re.sub(r"(?<=Type unknown for ).*", "...", reason)[:140].replace("|", "\\|")


def table(counts, reasons, given):
    """The page's two tables, as Markdown."""
    lines = ["", f"ONNX {onnx.__version__}:", "", "| tests | passed | last digits | refused | wrong | not counted |",
             "|---|---|---|---|---|---|"]
    lines += [f"| {kind} | {c['passed']:,} | {c['last digits']:,} | {c['refused']:,} | {c['wrong']:,} | "
              f"{c['not counted']:,} |"
              for kind, c in counts.items()]
    lines += ["", f"For {given:,} of the tests that passed, inputs that determine shapes were given when the file was "
              "read.", "",
              "| what did not pass | tests | for example |", "|---|---|---|"]
    ordered = sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0]))
    lines += [f"| {result}: {reason} | {len(names)} | `{names[0]}` |" for (result, reason), names in ordered
              if result != "not counted"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
