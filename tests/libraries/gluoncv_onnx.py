"""GluonCV's networks as ONNX files: results and times of onnxruntime and OpenVINO compared with minigluon's.

    PYTHON tests/libraries/gluoncv_onnx.py [NAMES ...] [--groups detection,classification] [--minutes M] [--size N]

Each network is built, exported and run in a separate process, with random weights, small images and one thread. For
each runtime a line shows the largest difference, relative to the largest number of an output, and the ratio of
processor time to that of a hybridized call here. At the end, counts for each group. The exit status is 1 if a network
is not exported, not run, differs by more than 1e-3, or, in the group of detectors, takes more than 3 times as long.
Families of networks take turns; with --minutes, the networks that are not reached in that time are counted as such.
Needs GluonCV and minigluon as in `gluoncv_zoo.py`, and `onnx`, `onnxruntime` and `openvino`.
"""

import argparse
import collections
import itertools
import multiprocessing
import os
import re
import sys
import tempfile
import time
import traceback
import warnings

import numpy as np

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

from both import learned, set_parameters
from gluoncv_zoo import arguments_of, difference, flat, input_shapes_of, is_head, load_library, stand_in_files

GROUPS = {"detection": ("yolo", "ssd", "rcnn", "center_net"),
          "segmentation": ("fcn", "pspnet", "deeplabv3", "deeplabv3_plus", "deeplabv3b_plus", "danet", "icnet",
                           "fastscnn"),
          "pose": ("simple_pose", "alpha_pose"),
          "other": ("action_recognition", "monodepthv2", "siamrpn", "quantized")}
TOLERANCE, MOST_RATIO = 1e-3, 3.0


def group_of(make):
    """The group of a network, by the module of the function that builds it."""
    parts = make.__module__.split(".")
    return next((group for group, modules in GROUPS.items() if any(part in modules for part in parts)),
                "classification")


def in_turn(made):
    """Names of networks, one of each module in turn, those with the smaller numbers in their names first."""
    modules = collections.defaultdict(list)
    for name in sorted(made, key=lambda name: ([int(n) for n in re.findall(r"\d+", name)], name)):
        modules[made[name].__module__].append(name)
    return [name for names in itertools.zip_longest(*modules.values()) for name in names if name is not None]


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
    return net, inputs


def least_time(call, times=4):
    """The least processor time of a call in seconds, after a first call. Other programs may run at the same time."""
    call()
    found = []
    for _ in range(times):
        begin = time.process_time()
        call()
        found.append(time.process_time() - begin)
    return min(found)


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
    return lambda arrays: [np.array(compiled(list(arrays))[output]) for output in compiled.outputs]


RUNTIMES = {"onnxruntime": with_onnxruntime, "OpenVINO": with_openvino}


def run_one(mx, gluoncv, name, size):
    """{"export": seconds, runtime: (difference or text, ratio of times)} of one network."""
    net, inputs = prepared(mx, gluoncv, name, size)
    wanted = flat(net(*inputs))
    seconds = least_time(lambda: flat(net(*inputs)))
    found = {"seconds": seconds}
    arrays = [x.asnumpy() for x in inputs]
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        path = net.export_onnx(os.path.join(folder, "net.onnx"), *inputs, dynamic=False)
        found["export"] = time.perf_counter() - begin
        for runtime, load in RUNTIMES.items():
            try:
                run = load(path)
                outputs = run(arrays)
                actual = dict(zip(wanted, outputs, strict=True))
                found[runtime] = difference(wanted, actual), least_time(lambda run=run: run(arrays)) / seconds
            except Exception as error:      # of C++, of any class
                found[runtime] = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}", float("nan")
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
    parts, wrong = [f"here {1000 * found['seconds']:.0f} ms, export {found['export']:.1f} s"], []
    for runtime in RUNTIMES:
        value, ratio = found[runtime]
        parts.append(f"{runtime} {value if isinstance(value, str) else f'{value:.1e}'}, {ratio:.2f} of the time")
        if isinstance(value, str) or not value <= TOLERANCE:
            wrong.append(f"{runtime}: differs")
        if group == "detection" and not ratio <= MOST_RATIO:
            wrong.append(f"{runtime}: too slow")
    return "; ".join(parts), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--groups", default="detection,classification,segmentation,pose")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--size", type=int, help="height and width of all images")
    parser.add_argument("--limit", type=float, default=180, help="seconds for each network")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")         # of GluonCV and of parameters that have a value already
    mx, gluoncv = load_library()
    stand_in_files(mx, gluoncv)
    made = gluoncv.model_zoo.model_zoo._models
    names = asked.names or in_turn({name: make for name, make in made.items()
                                    if group_of(make) in asked.groups.split(",")})
    end, counts, reasons = time.monotonic() + 60 * asked.minutes, collections.Counter(), []
    for name in names:
        group = group_of(made[name])
        if time.monotonic() > end:
            counts[group, "not reached"] += 1
            continue
        line, wrong = judged(group, run_limited(asked.limit, mx, gluoncv, name, asked.size))
        print(f"{name}: {line}", flush=True)
        counts[group, "wrong" if wrong else "right"] += 1
        reasons += [f"{name}: {', '.join(wrong)}"] if wrong else []
    print("\n".join(reasons))
    for group in sorted({group for group, _ in counts}):
        print(f"{group}: " + ", ".join(f"{counts[group, what]} {what}" for what in ("right", "wrong", "not reached")))
    return 1 if reasons else 0


if __name__ == "__main__":
    sys.exit(main())
