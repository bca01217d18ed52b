"""GluonCV's networks as ONNX files: results and times of onnxruntime and OpenVINO compared with minigluon's.

    PYTHON tests/libraries/gluoncv_onnx.py [--nets "yolo3_*,alexnet"] [--groups detection,pose] [--minutes M]
                                           [--size N] [--results FILE] [--write]

Each network is built, exported and run in a separate process, with random weights, small images and one thread. For
each runtime a line shows the largest difference, relative to the largest number of an output, and the ratio of
processor time to that of a hybridized call here. At the end, counts for each group, and the reasons of what differs.
The exit status is 1 if there is a network, without an entry in ANALYSED, that is not exported, not run, differs by more
than 1e-3, or, in the group of detectors, takes more than 3 times as long. Families of networks take turns; with
--minutes, the networks that are not reached in that time are counted as such. With --results, results are added to a
file of lines, and networks that have a line there are not run again. --write keeps the counts, of which
`python docs/make_onnx.py` makes the table in docs/onnx.md.

If a runtime differs, the network here is run again with an input that is larger by 1e-6. The line says how much the
output changes: a network that magnifies rounding has no digits that two runtimes could agree on.

A detector's rows are ordered by score. Rows whose scores are equal up to rounding have an order that depends on the
rounding, so the rows of a runtime are compared in the order in which they agree best; "N rows moved" says how many.
Needs GluonCV and minigluon as in `gluoncv_zoo.py`, and `onnx`, `onnxruntime` and `openvino`.
"""

import argparse
import collections
import fnmatch
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", os.environ["OMP_NUM_THREADS"])

import numpy as np
import onnx
from both import learned, set_parameters
from detections import aligned
from gluoncv_zoo import (
    arguments_of,
    difference,
    flat,
    group_of,
    in_turn,
    input_shapes_of,
    is_head,
    load_library,
    stand_in_files,
)
from runtimes import RUNTIMES, run_limited

TOLERANCE, CLOSE, MOST_RATIO = 1e-3, 1e-5, 3.0
MEASURED = pathlib.Path(__file__).parents[1] / "records" / "data" / "gluoncv_onnx.json"
# Exceptions whose cause is known and is not in the export: (networks, the beginning of what is wrong, the reason).
ANALYSED = (
    ("*_int8", "not exported: TranslationError", "quantized operators are not translated"),
    ("custom_faster_rcnn_fpn", "not built", "GluonCV reads a variable before it is set, with MXNet as well"),
)


# -- one network

def prepared(mx, gluoncv, name, size, regions=32, scaled=True):
    """A hybridized network with parameters, and its inputs. size: None, or height and width of its images. regions:
    of a detector with two stages; None leaves its own number. scaled: whether predictors are scaled.
    """
    make = gluoncv.model_zoo.model_zoo._models[name]
    net = gluoncv.model_zoo.get_model(name, **arguments_of(name, make))
    draws = np.random.RandomState(7)
    shapes = [(*shape[:-2], *np.broadcast_to(size, 2)) if size else shape for shape in input_shapes_of(name)]
    inputs = [mx.nd.array(draws.uniform(-1, 1, shape).astype("float32")) for shape in shapes]
    for _, _, parameter in learned(net):
        parameter.init = mx.init.Zero()
    net.initialize(mx.init.Zero())
    if hasattr(net, "rpn") and regions:     # fewer regions than in training, as in gluoncv_zoo.py
        net.rpn._test_post_nms = net._rpn_test_post_nms = net._rcnn_max_dets = regions
    try:
        net.infer_shape(*inputs)
    except Exception:                       # a layer that the input does not reach, or that no graph can be made of
        flat(net(*inputs))
    set_parameters(mx, net, is_head)
    if scaled:
        scale_predictors(net, inputs)
    net.hybridize()
    return net, inputs


def scale_predictors(net, inputs):
    """Scale the weights of each predictor of SSD and YOLO so that its largest number is 2.

    Infinite boxes have no overlap that runtimes agree on. Among equal scores each runtime keeps another box: with the
    small weights of `set_parameters`, all scores of YOLO are 0.27, and many differ only by their rounding.
    """
    predictors = [*getattr(net, "class_predictors", ()), *getattr(net, "box_predictors", ()),
                  *(output.prediction for output in getattr(net, "yolo_outputs", ()))]
    largest = {}

    def note(block, _, output):
        largest[block] = float(output.abs().max().asscalar())
    hooks = [predictor.register_forward_hook(note) for predictor in predictors]
    if predictors:
        flat(net(*inputs))
    for hook in hooks:
        hook.detach()
    for predictor, number in largest.items():
        for _, _, parameter in learned(predictor):
            parameter.set_data(parameter.data() * (2 / number))


def ratio_of_times(call, other, times=2, seconds=0.05):
    """(ratio, seconds of the second): of the least processor times of two calls, which take turns.

    Other programs may run at the same time. Fast calls are repeated, since runtimes that learn lengths need some calls.
    """
    found = [], []
    while len(found[0]) <= times or sum(found[1]) < seconds:
        for one, seen in zip((call, other), found, strict=True):
            begin = time.process_time()
            one()
            seen.append(time.process_time() - begin)
    return min(found[0]) / min(found[1]), min(found[1])


def run_one(mx, gluoncv, name, size):
    """{"export": seconds, "nodes": their number, runtime: (difference or text, ratio of times, rows moved)}."""
    try:
        net, inputs = prepared(mx, gluoncv, name, size)
        wanted = flat(net(*inputs))
    except Exception as error:
        return {"error": f"not built: {type(error).__name__}: {error}"}
    found = {}
    arrays = [x.asnumpy() for x in inputs]
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        path = net.export_onnx(os.path.join(folder, "net.onnx"), *inputs, dynamic=False)
        found["export"] = time.perf_counter() - begin
        found["nodes"] = len(onnx.load(path, load_external_data=False).graph.node)
        for runtime, load in RUNTIMES.items():
            try:
                run = load(path)
                outputs = run(arrays)
                actual, moved = aligned(wanted, dict(zip(wanted, outputs, strict=True)))
                ratio, found["seconds"] = ratio_of_times(lambda run=run: run(arrays), lambda: flat(net(*inputs)))
                found[runtime] = difference(wanted, actual), ratio, moved
            except Exception as error:      # of C++, of any class
                found[runtime] = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}", float("nan"), 0
    if any(isinstance(found[runtime][0], str) or not found[runtime][0] <= TOLERANCE for runtime in RUNTIMES):
        changed = flat(net(*[x * (1 + 1e-6) for x in inputs]))
        found["magnified"] = difference(wanted, aligned(wanted, changed)[0])
    return found


def judged(group, found):
    """(the line to print, [what is wrong])."""
    if "error" in found:
        text = " ".join(found["error"].split())[:300]
        return text, [text if text.startswith("not built") else f"not exported: {text}"]
    parts, wrong = [f"{found['nodes']} nodes, here {1000 * found.get('seconds', np.nan):.0f} ms, "
                    f"export {found['export']:.1f} s"], []
    for runtime in RUNTIMES:
        value, ratio, moved = found[runtime]
        parts.append(f"{runtime} {value if isinstance(value, str) else f'{value:.1e}'}, {ratio:.2f} of the time"
                     + (f", {moved} rows moved" if moved else ""))
        if isinstance(value, str) or not value <= TOLERANCE:
            wrong.append(f"{runtime}: {value if isinstance(value, str) else f'differs by {value:.1e}'}")
        if group == "detection" and not ratio <= MOST_RATIO:
            wrong.append(f"{runtime}: {ratio:.1f} times as long")
    if "magnified" in found:
        value = found["magnified"]
        parts.append(f"1e-6 of the input changes {value if isinstance(value, str) else f'{value:.1e}'}")
    return "; ".join(parts), wrong


def reason_of(name, what):
    """The entry of ANALYSED for what is wrong with a network, or None."""
    return next((reason for pattern, beginning, reason in ANALYSED
                 if fnmatch.fnmatch(name, pattern) and what.startswith(beginning)), None)


# -- all of them

def known_results(file):
    """{network: result} of a file of results."""
    if file is None or not file.exists():
        return {}
    return dict(json.loads(line) for line in file.read_text().splitlines())


def write_result(file, name, found):
    """Add the result of a network to a file of results, if there is one."""
    if file is not None:
        with open(file, "a") as lines:
            print(json.dumps([name, found]), file=lines)


def counted(groups, known):
    """{group: counts} of the results. groups: {network: group} of all networks.

    A runtime's counts are the networks that agree to CLOSE, those that agree to TOLERANCE, the largest difference
    among them, and the median ratio of times.
    """
    rows = {}
    for group in sorted(set(groups.values())):
        results = {name: known[name] for name in groups if groups[name] == group and name in known}
        exported = [found for found in results.values() if "error" not in found]
        built = sum(not found.get("error", "").startswith("not built") for found in results.values())
        row = rows[group] = {"networks": sum(other == group for other in groups.values()), "run": len(results),
                             "built": built, "exported": len(exported)}
        for runtime in RUNTIMES:
            agree = [found[runtime][0] for found in exported
                     if not isinstance(found[runtime][0], str) and found[runtime][0] <= TOLERANCE]
            ratios = [found[runtime][1] for found in exported if not isinstance(found[runtime][0], str)]
            row[runtime] = [sum(value <= CLOSE for value in agree), len(agree),
                            float(f"{max(agree, default=0):.1e}"),
                            round(statistics.median(ratios), 2) if ratios else None]
    return rows


def explained(groups, known):
    """({reason: networks}, [what is wrong without a reason])."""
    reasons, others = collections.defaultdict(list), []
    for name in groups:
        for what in judged(groups[name], known[name])[1] if name in known else ():
            reason = reason_of(name, what)
            if reason is None:
                others.append(f"{name}: {what}")
            elif name not in reasons[reason]:
                reasons[reason].append(name)
    return dict(reasons), others


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nets", default="*", help="names or patterns, with commas between them")
    parser.add_argument("--groups", default="", help="all by default")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--size", type=int, help="height and width of all images")
    parser.add_argument("--limit", type=float, default=180, help="seconds of the processor for each network")
    parser.add_argument("--memory", type=float, default=8, help="gigabytes for each network")
    parser.add_argument("--results", type=pathlib.Path, help="a file of results, which a further run continues")
    parser.add_argument("--write", action="store_true", help="keep the counts for docs/onnx.md")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")         # of GluonCV and of parameters that have a value already
    mx, gluoncv = load_library()
    stand_in_files(mx, gluoncv)
    made = {name: make for name, make in gluoncv.model_zoo.model_zoo._models.items()
            if any(fnmatch.fnmatch(name, pattern) for pattern in asked.nets.split(","))}
    groups = {name: group_of(made[name]) for name in in_turn(made)}
    groups = {name: group for name, group in groups.items() if not asked.groups or group in asked.groups.split(",")}
    known = known_results(asked.results)
    end = time.monotonic() + 60 * asked.minutes
    for name, group in groups.items():
        if name not in known and time.monotonic() > end:
            continue
        if name not in known:
            known[name] = run_limited(run_one, (mx, gluoncv, name, asked.size), asked.limit, asked.memory)
            write_result(asked.results, name, known[name])
        print(f"{name}: {judged(group, known[name])[0]}", flush=True)
    return report(groups, known, asked.write)


def report(groups, known, write):
    """Print the counts and the reasons; the exit status."""
    rows, (reasons, others) = counted(groups, known), explained(groups, known)
    print("\nFor each runtime: agree to 1e-5, agree to 1e-3, the largest difference, the median ratio of times")
    print("| group | networks | run | built | exported | onnxruntime | OpenVINO |")
    print("|---|---|---|---|---|---|---|")
    for group, row in rows.items():
        cells = [group, *(row[column] for column in ("networks", "run", "built", "exported")),
                 *(", ".join(map(str, row[runtime])) for runtime in RUNTIMES)]
        print(f"| {' | '.join(map(str, cells))} |")
    for reason, names in reasons.items():
        print(f"{len(names)} networks: {reason}: {', '.join(names)}")
    print("\n".join(["", f"{len(others)} without a reason", *others]))
    if write:
        MEASURED.write_text(json.dumps({"groups": rows, "reasons": reasons}, indent=1) + "\n", encoding="utf-8")
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main())
