"""Inference of nets of the model zoo, compared with inference engines: onnxruntime and OpenVINO. Prints Markdown.

    python benchmarks/engines.py --engines-python PYTHON [--torch-python PYTHON] [--nets NAME ...] [--batches 1 8]

The nets are those of the model zoo, and the convolutional ones of the bench (`--nets ds-cnn unet`). PYTHON has onnx,
onnxruntime and openvino; PyTorch, which writes the nets as ONNX files, is also there, or in its own interpreter. Each
library runs in its own process with the same number of threads; they take turns, and all medians are of one run. All
nets have random parameters, because only time is compared. `kernel_limits.py` shows how close the kernels come to the
limits of the machine.
"""

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NETS = ["resnet18_v1", "resnet50_v1", "mobilenetv2_1.0", "squeezenet1.1"]
OF_THE_BENCH = {"ds-cnn": "tiny_batch", "mobilenet0.25": "tiny_batch", "resnet8": "tiny_batch", "unet": "unet_batch"}
ENGINES = ["minigluon", "onnxruntime", "openvino"]
BENCH = Path(__file__).resolve().parent.parent / "minigluon" / "tools" / "bench"
BURST = 0.15            # seconds of a turn
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


# -- in the process of a library --------------------------------------------------------------------------------------


def bench_sizes(name, batch):
    sys.path.append(str(BENCH))             # works without minigluon, which PyTorch's interpreter may not have
    import nets
    return {**nets.SIZES, OF_THE_BENCH[name]: batch}


def minigluon_net(name, _, batch, __):
    import minigluon as mx
    if name in OF_THE_BENCH:
        from minigluon.tools.bench.workers.convolutional_gluon import NETS as makers
        net, images, _ = makers[name][0](mx, bench_sizes(name, batch))
        net.hybridize()
        return lambda: net(images).wait_to_read()
    net = mx.gluon.model_zoo.vision.get_model(name)
    net.initialize(mx.init.Xavier(rnd_type="gaussian", factor_type="in", magnitude=2))
    net.hybridize()
    images = mx.nd.random.uniform(shape=(batch, 3, 224, 224))
    return lambda: net(images).wait_to_read()


def onnxruntime_net(_, path, __, threads):
    import numpy as np
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    [data] = session.get_inputs()
    images = {data.name: np.random.default_rng(0).random(data.shape, "float32")}
    return lambda: session.run(None, images)


def openvino_net(_, path, __, threads):
    import numpy as np
    import openvino
    core = openvino.Core()
    model = core.compile_model(path, "CPU", {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY",
                                             "INFERENCE_PRECISION_HINT": "f32"})
    request = model.create_infer_request()
    images = np.random.default_rng(0).random(tuple(model.input(0).shape), "float32")
    return lambda: request.infer([images])


def export(folder, nets, batches):
    """Write the nets as ONNX files. Runs in PyTorch's interpreter."""
    import torch
    import zoo_torch
    for name in nets:
        if name in OF_THE_BENCH:
            export_of_the_bench(folder, name, batches)
            continue
        net = zoo_torch.NETS[name]().eval()
        for layer in net.modules():
            if isinstance(layer, (torch.nn.Conv2d, torch.nn.Linear)):
                torch.nn.init.kaiming_normal_(layer.weight)
        for batch in batches:
            torch.onnx.export(net, torch.rand(batch, 3, 224, 224), str(Path(folder) / f"{name}-{batch}.onnx"),
                              dynamo=False)


def export_of_the_bench(folder, name, batches):
    for batch in batches:
        sizes = bench_sizes(name, batch)
        from workers import onnx_models, programs_torch
        net, images, _ = programs_torch.NETS[name][0](sizes)
        (Path(folder) / f"{name}-{batch}.onnx").write_bytes(onnx_models.exported(net, images)[0])


def work(engine):
    """Answer questions [net, path, batch, threads, clock, number of runs] with seconds for one run."""
    answers = sys.stdout
    sys.stdout = sys.stderr
    made, runs = None, {}
    for line in sys.stdin:
        *what, clock, count = json.loads(line)
        if what != made:
            runs.clear()
            made, runs[0] = what, globals()[f"{engine}_net"](*what)
            for _ in range(3):
                runs[0]()
        run = runs[0]
        run()                                   # wakes up the threads
        now = CLOCKS[clock]
        start = now()
        for _ in range(count):
            run()
        print((now() - start) / count, file=answers, flush=True)


# -- the main process -------------------------------------------------------------------------------------------------


class Engine:
    """A process of one library. file: the script that runs in it with `--work NAME`."""

    def __init__(self, name, python, threads, file=__file__):
        self.name = name
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
        env = {k: v for k, v in os.environ.items() if name == "minigluon" or k != "PYTHONPATH"}
        self.process = subprocess.Popen([python, "-W", "ignore", file, "--work", name], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        env={**env, **dict.fromkeys(names, str(threads))})

    def seconds(self, *question):
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def compare(engines, net, path, batch, args):
    """Return {engine: median of the seconds of all rounds}."""
    what = net, path, batch, args.threads, args.clock
    counts = {engine: max(1, int(BURST / engine.seconds(*what, 1))) for engine in engines}
    times = {engine: [] for engine in engines}
    for turn in range(args.rounds):
        for i in range(len(engines)):
            engine = engines[(turn + i) % len(engines)]
            times[engine].append(engine.seconds(*what, counts[engine]))
    return {engine.name: statistics.median(seconds) for engine, seconds in times.items()}


def table(engines, folder, args):
    print(f"| net | batch | {' | '.join(e.name for e in engines)} | / the best of the others |\n"
          f"|---|---|{'---|' * len(engines)}---|")
    for batch in args.batches:
        for net in args.nets:
            times = compare(engines, net, str(Path(folder) / f"{net}-{batch}.onnx"), batch, args)
            others = [seconds for name, seconds in times.items() if name != "minigluon"]
            ratio = f"{times['minigluon'] / min(others):.2f}" if others else ""
            listed = " | ".join(f"{seconds * 1e3:.2f} ms" for seconds in times.values())
            print(f"| {net} | {batch} | {listed} | {ratio} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nets", nargs="+", default=NETS)
    parser.add_argument("--batches", nargs="+", type=int, default=[1, 8])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--clock", default="wall", choices=list(CLOCKS), help="cpu: processor time of all threads, "
                        "which other programs disturb less. Use it with --threads 1")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--engines-python", help="an interpreter with onnxruntime and openvino")
    parser.add_argument("--torch-python", help="one with PyTorch and onnx; default: --engines-python")
    parser.add_argument("--models", help="folder of the ONNX files; missing ones are written")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--export", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        work(args.work)
        return
    if args.export:
        export(args.models, args.nets, args.batches)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(args.models or temporary)
        missing = [n for n in args.nets if not all((folder / f"{n}-{b}.onnx").exists() for b in args.batches)]
        if missing and args.engines != ["minigluon"]:
            folder.mkdir(exist_ok=True)
            python = args.torch_python or args.engines_python
            env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
            subprocess.run([python, "-W", "ignore", __file__, "--export", "--models", str(folder), "--nets", *missing,
                            "--batches", *map(str, args.batches)], check=True, stdout=subprocess.DEVNULL, env=env)
        engines = [Engine(name, sys.executable if name == "minigluon" else args.engines_python, args.threads)
                   for name in args.engines]
        print(f"{datetime.date.today()}, {args.threads} threads, {args.clock} clock, medians of {args.rounds} rounds\n")
        table(engines, folder, args)
        for engine in engines:
            engine.close()


if __name__ == "__main__":
    main()
