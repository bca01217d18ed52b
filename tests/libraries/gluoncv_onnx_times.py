"""Times of GluonCV's detectors in onnxruntime and OpenVINO next to minigluon's, for images of the usual sizes.

    OMP_NUM_THREADS=2 PYTHON tests/libraries/gluoncv_onnx_times.py [NAMES ...] [--rounds N] [--nodes] [--write]

The three take turns; the medians of the rounds are printed, in milliseconds, and the medians of the ratios in a round.
Networks with masks have 100 regions, not 1,000. --nodes also prints the nodes that take most of onnxruntime's time.
--write keeps the times, of which `python docs/make_onnx.py` makes the table in docs/onnx.md. Environment as for
`gluoncv_onnx.py`.
"""

import argparse
import collections
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

import onnxruntime
from detections import aligned
from gluoncv_onnx import prepared
from gluoncv_zoo import difference, flat, load_library
from runtimes import RUNTIMES, threads

SIZES = {"ssd_300_vgg16_atrous_coco": (300, 300), "ssd_512_mobilenet1.0_coco": (512, 512),
         "ssd_512_resnet50_v1_coco": (512, 512), "yolo3_mobilenet1.0_coco": (416, 416),
         "yolo3_darknet53_coco": (416, 416), "center_net_resnet18_v1b_coco": (512, 512),
         "center_net_dla34_coco": (512, 512), "faster_rcnn_resnet50_v1b_coco": (600, 800),
         "faster_rcnn_fpn_resnet50_v1b_coco": (608, 800), "mask_rcnn_fpn_resnet50_v1b_coco": (608, 800)}
PAUSE = 0.2             # seconds, in which the threads of a runtime that still wait in a loop go to sleep
MEASURED = pathlib.Path(__file__).parents[1] / "records" / "data" / "gluoncv_onnx_times.json"


def times_of(calls, rounds):
    """{name: seconds of each round} of calls that take turns."""
    found = collections.defaultdict(list)
    for number in range(rounds + 1):
        for name, call in calls.items():
            time.sleep(PAUSE)
            begin = time.perf_counter()
            call()
            if number:                      # the first round is not counted
                found[name].append(time.perf_counter() - begin)
    return found


def measured(mx, gluoncv, name, rounds, nodes):
    """{"minigluon": ms, runtime: [ms, ratio, difference, rows moved]} of a detector."""
    net, inputs = prepared(mx, gluoncv, name, SIZES[name], regions=100 if name.startswith("mask") else None)
    wanted, arrays = flat(net(*inputs)), [x.asnumpy() for x in inputs]
    calls, compared = {"minigluon": lambda: flat(net(*inputs))}, {}
    with tempfile.TemporaryDirectory() as folder:
        path = net.export_onnx(os.path.join(folder, "net.onnx"), *inputs, dynamic=False)
        for runtime, load in RUNTIMES.items():
            run = load(path)
            calls[runtime] = lambda run=run: run(arrays)
            actual, moved = aligned(wanted, dict(zip(wanted, run(arrays), strict=True)))
            compared[runtime] = difference(wanted, actual), moved
        if nodes:
            print_nodes(path, arrays)
        seconds = times_of(calls, rounds)
    row = {"size": SIZES[name], "minigluon": round(1000 * statistics.median(seconds["minigluon"]), 1)}
    for runtime in RUNTIMES:
        ratios = [other / ours for other, ours in zip(seconds[runtime], seconds["minigluon"], strict=True)]
        value, moved = compared[runtime]
        row[runtime] = [round(1000 * statistics.median(seconds[runtime]), 1), round(statistics.median(ratios), 2),
                        value if isinstance(value, str) else float(f"{value:.1e}"), moved]
    return row


def print_nodes(path, arrays, times=3, most=12):
    """Print the nodes, and the kinds of nodes, that take most of onnxruntime's time."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.enable_profiling = threads(), True
    options.profile_file_prefix = path
    session = onnxruntime.InferenceSession(path, options)
    for _ in range(times):
        session.run(None, {value.name: array for value, array in zip(session.get_inputs(), arrays, strict=True)})
    events = json.loads(pathlib.Path(session.end_profiling()).read_text())
    by_node, by_kind = collections.Counter(), collections.Counter()
    for event in events:
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            by_node[event["name"].removesuffix("_kernel_time")] += event["dur"]
            by_kind[event["args"]["op_name"]] += event["dur"]
    for counts in (by_kind, by_node):
        total = sum(counts.values())
        print(f"  {total / times / 1000:.1f} ms in nodes: " + ", ".join(
            f"{name} {duration / total:.0%}" for name, duration in counts.most_common(most)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--nodes", action="store_true")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    mx, gluoncv = load_library()
    rows = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
    for name in asked.names or SIZES:
        row = measured(mx, gluoncv, name, asked.rounds, asked.nodes)
        others = "; ".join("{} {:.1f} ms, {:.2f} of the time, differs by {}, {} rows moved".format(
            runtime, *row[runtime]) for runtime in RUNTIMES)
        print(f"{name}: here {row['minigluon']:.1f} ms; {others}", flush=True)
        rows[name] = {**row, "threads": threads()}
        if asked.write:
            lines = [f" {json.dumps(name)}: {json.dumps(rows[name])}" for name in sorted(rows)]
            MEASURED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
