"""GluonCV's networks as ONNX files: results and times of onnxruntime and OpenVINO compared with minigluon's.

    PYTHON tests/libraries/gluoncv_onnx.py [NAMES ...] [--groups detection,classification] [--minutes M] [--size N]
                                           [--results FILE]

Each network is built, exported and run in a separate process, with random weights, small images and one thread. For
each runtime a line shows the largest difference, relative to the largest number of an output, and the ratio of
processor time to that of a hybridized call here. At the end, counts for each group. The exit status is 1 if a network
is not exported, not run, differs by more than 1e-3, or, in the group of detectors, takes more than 3 times as long.
Families of networks take turns; with --minutes, the networks that are not reached in that time are counted as such.
With --results, results are added to a file of lines, and networks that have a line there are not run again.

A detector's rows are ordered by score. Rows whose scores are equal up to rounding have an order that depends on the
rounding, so the rows of a runtime are compared in the order in which they agree best; "N rows moved" says how many.
Needs GluonCV and minigluon as in `gluoncv_zoo.py`, and `onnx`, `onnxruntime` and `openvino`.
"""

import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import sys
import tempfile
import time
import traceback
import warnings

import numpy as np

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

from both import learned, set_parameters
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

TOLERANCE, MOST_RATIO = 1e-3, 3.0
SAME_SCORE = 1e-5                       # of the largest score


def prepared(mx, gluoncv, name, size):
    """A hybridized network with parameters, and its inputs."""
    make = gluoncv.model_zoo.model_zoo._models[name]
    net = gluoncv.model_zoo.get_model(name, **arguments_of(name, make))
    draws = np.random.RandomState(7)
    shapes = [(*shape[:-2], size, size) if size else shape for shape in input_shapes_of(name)]
    inputs = [mx.nd.array(draws.uniform(-1, 1, shape).astype("float32")) for shape in shapes]
    for _, _, parameter in learned(net):
        parameter.init = mx.init.Zero()
    net.initialize(mx.init.Zero())
    if hasattr(net, "rpn"):                 # fewer regions than in training, as in gluoncv_zoo.py
        net.rpn._test_post_nms = net._rpn_test_post_nms = net._rcnn_max_dets = 32
    try:
        net.infer_shape(*inputs)
    except Exception:                       # a layer that the input does not reach, or that no graph can be made of
        flat(net(*inputs))
    set_parameters(mx, net, is_head)
    net.hybridize()
    if hasattr(net, "box_predictors"):
        scale_predictors(net, inputs)
    return net, inputs


def scale_predictors(net, inputs):
    """Scale the weights of each of SSD's predictors so that its largest number is 2.

    Infinite boxes have no overlap that runtimes agree on, and among equal scores each runtime keeps another box.
    """
    for features, *predictors in zip(net.features(*inputs), net.class_predictors, net.box_predictors, strict=True):
        for predictor in predictors:
            factor = 2 / np.abs(predictor(features).asnumpy()).max()
            for _, _, parameter in learned(predictor):
                parameter.set_data(parameter.data() * factor)


def ratio_of_times(call, other, times=4, seconds=0.3):
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


def with_onnxruntime(path):
    """A function from arrays to the outputs that onnxruntime computes on one thread."""
    import onnxruntime
    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options)
    names = [value.name for value in session.get_inputs()]
    return lambda arrays: session.run(None, dict(zip(names, arrays, strict=True)))


def with_openvino(path):
    """The same with OpenVINO, in float32."""
    import openvino
    compiled = openvino.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32",
                                                           "INFERENCE_NUM_THREADS": 1})

    def run(arrays):
        results = compiled(list(arrays))
        return [np.array(results[output]) for output in compiled.outputs]
    return run


def matching_rows(wanted, actual):
    """For each row of a detector's output, the row of another run that is compared with it.

    wanted, actual: lists of arrays (rows, numbers); the second has the scores. Among the rows with the same score up to
    rounding, the nearest one is taken. A row without such a partner is compared with the row at its own position.
    """
    wanted = [array.reshape(len(array), -1).astype("float64") for array in wanted]
    actual = [array.reshape(len(array), -1).astype("float64") for array in actual]
    allowed = SAME_SCORE * np.abs(wanted[1]).max()
    near = np.abs(wanted[1] - actual[1].T) <= allowed
    far = np.max([np.abs(w[:, None] - a[None]).max(-1) for w, a in zip(wanted, actual, strict=True)], axis=0)
    order, free = np.full(len(near), -1), set(range(len(near)))
    for row in range(len(near)):
        candidates = [other for other in free if near[row, other]]
        if candidates:
            order[row] = min(candidates, key=lambda other: (far[row, other], abs(row - other)))
            free.remove(order[row])
    for row in np.flatnonzero(order < 0):
        order[row] = row if row in free else min(free)
        free.remove(order[row])
    return order


def aligned(wanted, actual):
    """(`actual` with the rows of detections in the order of `wanted`, the number of rows that moved)."""
    scores = wanted.get("out.1")
    if scores is None or scores.ndim != 3 or scores.shape[-1] != 1 or any(
            array.shape != wanted[path].shape or array.shape[:2] != scores.shape[:2] for path, array in actual.items()):
        return actual, 0
    found, moved = {path: array.copy() for path, array in actual.items()}, 0
    for item in range(len(scores)):
        order = matching_rows([array[item] for array in wanted.values()], [actual[path][item] for path in wanted])
        moved += int((order != np.arange(len(order))).sum())
        for path in found:
            found[path][item] = actual[path][item][order]
    return found, moved


RUNTIMES = {"onnxruntime": with_onnxruntime, "OpenVINO": with_openvino}


def run_one(mx, gluoncv, name, size):
    """{"export": seconds, runtime: (difference or text, ratio of times, rows moved)} of one network."""
    net, inputs = prepared(mx, gluoncv, name, size)
    wanted = flat(net(*inputs))
    found = {}
    arrays = [x.asnumpy() for x in inputs]
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        path = net.export_onnx(os.path.join(folder, "net.onnx"), *inputs, dynamic=False)
        found["export"] = time.perf_counter() - begin
        for runtime, load in RUNTIMES.items():
            try:
                run = load(path)
                outputs = run(arrays)
                actual, moved = aligned(wanted, dict(zip(wanted, outputs, strict=True)))
                ratio, found["seconds"] = ratio_of_times(lambda run=run: run(arrays), lambda: flat(net(*inputs)))
                found[runtime] = difference(wanted, actual), ratio, moved
            except Exception as error:      # of C++, of any class
                found[runtime] = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}", float("nan"), 0
    return found


def _child(connection, *arguments):
    try:
        connection.send(run_one(*arguments))
    except Exception as error:
        connection.send({"error": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()})


def run_limited(limit, *arguments):
    """run_one in a separate process; {"error": ...} if it fails, dies or takes longer than `limit` seconds."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_child, args=(there, *arguments))
    process.start()
    there.close()
    try:
        return here.recv() if here.poll(limit) else {"error": f"not ready within {limit:g} seconds"}
    except EOFError:
        process.join()
        return {"error": f"the process ended with {process.exitcode}"}
    finally:
        process.kill()
        process.join()


def judged(group, found):
    """(the line to print, [what is wrong])."""
    if "error" in found:
        return " ".join(found["error"].split())[:300], ["not exported"]
    parts, wrong = [f"here {1000 * found.get('seconds', np.nan):.0f} ms, export {found['export']:.1f} s"], []
    for runtime in RUNTIMES:
        value, ratio, moved = found[runtime]
        parts.append(f"{runtime} {value if isinstance(value, str) else f'{value:.1e}'}, {ratio:.2f} of the time"
                     + (f", {moved} rows moved" if moved else ""))
        if isinstance(value, str) or not value <= TOLERANCE:
            wrong.append(f"{runtime}: differs")
        if group == "detection" and not ratio <= MOST_RATIO:
            wrong.append(f"{runtime}: too slow")
    return "; ".join(parts), wrong


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--groups", default="detection,classification,segmentation,pose")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--size", type=int, help="height and width of all images")
    parser.add_argument("--limit", type=float, default=180, help="seconds for each network")
    parser.add_argument("--results", type=pathlib.Path, help="a file of results, which a further run continues")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")         # of GluonCV and of parameters that have a value already
    mx, gluoncv = load_library()
    stand_in_files(mx, gluoncv)
    made = gluoncv.model_zoo.model_zoo._models
    names = asked.names or in_turn({name: make for name, make in made.items()
                                    if group_of(make) in asked.groups.split(",")})
    known = known_results(asked.results)
    end, counts, reasons = time.monotonic() + 60 * asked.minutes, collections.Counter(), []
    for name in names:
        group = group_of(made[name])
        if name not in known and time.monotonic() > end:
            counts[group, "not reached"] += 1
            continue
        if name not in known:
            known[name] = run_limited(asked.limit, mx, gluoncv, name, asked.size)
            write_result(asked.results, name, known[name])
        line, wrong = judged(group, known[name])
        print(f"{name}: {line}", flush=True)
        counts[group, "wrong" if wrong else "right"] += 1
        reasons += [f"{name}: {', '.join(wrong)}"] if wrong else []
    print("\n".join(reasons))
    for group in sorted({group for group, _ in counts}):
        print(f"{group}: " + ", ".join(f"{counts[group, what]} {what}" for what in ("right", "wrong", "not reached")))
    return 1 if reasons else 0


if __name__ == "__main__":
    sys.exit(main())
