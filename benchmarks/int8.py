"""Inference in 8-bit integers, compared with float32 and with inference engines: onnxruntime and OpenVINO. Prints
Markdown.

    python benchmarks/int8.py --engines-python PYTHON [--nets NAME ...] [--threads 2] [--batch 1]

The nets have random parameters, because only time is compared. They are quantized with the ranges of random data:
here with `quantize_net(calib_mode="naive")`, for the engines with onnxruntime's `quantize_static` (QDQ, int8 weights,
uint8 activations) from the ONNX file that `mx.onnx.export_model` has written. PYTHON has onnx, onnxruntime and
openvino; an engine that is missing is left out. With --graph ours, the engines run the QDQ file that our quantized net
exports. All libraries run in their own processes with the same number of
threads; they take turns, and all numbers are of one run.
"""

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NETS = ["resnet18_v1", "resnet50_v1", "mobilenetv2_1.0", "squeezenet1.0", "inceptionv3", "bert-mini", "lstm"]
ENGINES = ["int8", "float32", "onnxruntime", "openvino"]
TOKENS, WORDS, LSTM_STEPS = 128, 1000, 35
BURST = 0.1             # seconds of a turn
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
STATISTICS = {"median": statistics.median, "minimum": min}


# -- in the process of a library --------------------------------------------------------------------------------------

def made(name, batch):
    """Return (net, input) with random parameters."""
    import minigluon as mx
    if name == "bert-mini":
        net = mx.gluon.model_zoo.text.BERTEncoder(num_layers=4, units=256, hidden_size=1024, num_heads=4,
                                                  max_length=TOKENS)
        data = mx.nd.random.normal(shape=(batch, TOKENS, 256))
    elif name == "lstm":
        net = mx.gluon.nn.HybridSequential()
        net.add(mx.gluon.rnn.LSTM(200, 2, input_size=200), mx.gluon.nn.Dense(WORDS, flatten=False, in_units=200))
        data = mx.nd.random.normal(shape=(LSTM_STEPS, batch, 200))
    else:
        net = mx.gluon.model_zoo.vision.get_model(name)
        size = 299 if name == "inceptionv3" else 224
        data = mx.nd.random.uniform(shape=(batch, 3, size, size))
    net.initialize(mx.init.Xavier(rnd_type="gaussian", factor_type="in", magnitude=2))
    net.hybridize()
    net(data)
    return net, data


def runner(net, data, threads):
    net.hybridize(static_alloc=True, static_shape=True)
    return lambda: net(data).wait_to_read()


def float32_net(name, batch, _, threads):
    return runner(*made(name, batch), threads)


def quantized(name, batch):
    """Return (quantized net, input)."""
    from minigluon.contrib import quantization
    net, data = made(name, batch)
    return quantization.quantize_net(net, calib_data=[data], calib_mode="naive", quantized_dtype="auto",
                                     logger=None), data


def int8_net(name, batch, _, threads):
    return runner(*quantized(name, batch), threads)


def onnxruntime_net(name, batch, folder, threads):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(model(folder, name, batch, "int8"), options,
                                           providers=["CPUExecutionProvider"])
    feed = random_feed(session, batch)
    return lambda: session.run(None, feed)


def openvino_net(name, batch, folder, threads):
    import openvino
    core = openvino.Core()
    net = core.compile_model(model(folder, name, batch, "int8"), "CPU", {
        "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY"})
    request = net.create_infer_request()
    import numpy as np
    shapes = [[batch if n.is_dynamic else n.get_length() for n in part.partial_shape] for part in net.inputs]
    data = [np.random.default_rng(0).random(shape, "float32") for shape in shapes]
    return lambda: request.infer(data)


def random_feed(session, batch):
    import numpy as np
    return {part.name: np.random.default_rng(0).random([n if isinstance(n, int) else batch for n in part.shape],
                                                       "float32") for part in session.get_inputs()}


def model(folder, name, batch, kind):
    return str(Path(folder) / f"{name}-{batch}-{kind}.onnx")


def export(folder, nets, batch):
    """Write the nets as ONNX files in float32."""
    for name in nets:
        net, data = made(name, batch)
        net.export_onnx(model(folder, name, batch, "float32"), data)


def export_ours(folder, nets, batch):
    """Write our quantized nets as ONNX files."""
    for name in nets:
        net, data = quantized(name, batch)
        net.export_onnx(model(folder, name, batch, "int8"), data)


def quantize(folder, nets, batch):
    """Quantize the ONNX files. Runs in the engines' interpreter."""
    import onnx
    import onnxruntime
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Once(CalibrationDataReader):
        def __init__(self, path):
            self.left = [random_feed(onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]), batch)]

        def get_next(self):
            return self.left.pop() if self.left else None

    for name in nets:
        source, ready = (model(folder, name, batch, kind) for kind in ("float32", "ready"))
        net = onnx.load(source)
        for part in (*net.graph.input, *net.graph.output):
            for dim in part.type.tensor_type.shape.dim:
                if dim.dim_param:
                    dim.dim_value = batch
        onnx.save(net, ready)
        quant_pre_process(ready, ready, skip_symbolic_shape=True)
        quantize_static(ready, model(folder, name, batch, "int8"), Once(ready), quant_format=QuantFormat.QDQ,
                        weight_type=QuantType.QInt8, activation_type=QuantType.QUInt8)


def work(engine):
    """Answer questions [net, batch, folder, threads, clock, number of runs] with the seconds of one run."""
    answers = sys.stdout
    sys.stdout = sys.stderr
    what, run = None, None
    for line in sys.stdin:
        *asked, clock, count = json.loads(line)
        if asked != what:
            what, run = asked, globals()[f"{engine}_net"](*asked)
            for _ in range(3):
                run()
        run()                                   # wakes up the threads
        start = CLOCKS[clock]()
        for _ in range(count):
            run()
        print((CLOCKS[clock]() - start) / count, file=answers, flush=True)


# -- the main process -------------------------------------------------------------------------------------------------

class Engine:
    """A process of one library."""

    def __init__(self, name, python, threads):
        self.name = name
        env = {k: v for k, v in os.environ.items() if name in ("int8", "float32") or k != "PYTHONPATH"}
        self.process = subprocess.Popen([python, "-W", "ignore", __file__, "--work", name], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        env={**env, "OMP_NUM_THREADS": str(threads)})

    def seconds(self, *question):
        """Return the seconds of one run, or None if the library cannot run the net."""
        if self.process.poll() is not None:
            return None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        return float(answer) if answer else None

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def compare(name, folder, args):
    """Return {engine: seconds of one run}, of the engines that can run the net."""
    engines = [Engine(engine, sys.executable if engine in ("int8", "float32") else args.engines_python, args.threads)
               for engine in args.engines]
    what = name, args.batch, folder, args.threads, args.clock
    first = {engine: engine.seconds(*what, 1) for engine in engines}
    counts = {engine: max(1, int(BURST / max(seconds, 1e-4)))
              for engine, seconds in first.items() if seconds is not None}
    times = {engine: [] for engine in counts}
    able = list(counts)
    for turn in range(args.rounds):
        for i in range(len(able)):
            engine = able[(turn + i) % len(able)]
            times[engine].append(engine.seconds(*what, counts[engine]))
    for engine in engines:
        engine.close()
    return {engine.name: STATISTICS[args.statistic](seconds) for engine, seconds in times.items()}


def row(name, times, names):
    """Return a row of the table."""
    shown = [f"{times[engine] * 1e3:.2f} ms" if engine in times else "" for engine in names]
    others = [seconds for engine, seconds in times.items() if engine not in ("int8", "float32")]
    ratios = ["", ""] if "int8" not in times else [
        f"{times['int8'] / times['float32']:.2f}" if "float32" in times else "",
        f"{times['int8'] / min(others):.2f}" if others else ""]
    return f"| {name} | {' | '.join([*shown, *ratios])} |"


def prepare(folder, args):
    """Write the ONNX files, if an engine needs them."""
    rest = ["--models", folder, "--batch", str(args.batch), "--nets"]
    for name in args.nets:
        if Path(model(folder, name, args.batch, "int8")).exists():
            continue
        if args.graph == "ours":
            subprocess.run([sys.executable, __file__, "--export-ours", *rest, name], check=True,
                           stdout=subprocess.DEVNULL)
        else:
            subprocess.run([sys.executable, __file__, "--export", *rest, name], check=True, stdout=subprocess.DEVNULL)
            env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
            done = subprocess.run([args.engines_python, "-W", "ignore", __file__, "--quantize", *rest, name], env=env,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if done.returncode:
                print(f"{name}: onnxruntime cannot quantize it: {done.stderr.splitlines()[-1]}", file=sys.stderr)


def heading(args):
    """Return the lines before the table: machine and versions."""
    import minigluon
    about = Path("/proc/cpuinfo")
    lines = about.read_text().splitlines() if about.exists() else []
    processor = next((line.partition(":")[2].strip() for line in lines if "model name" in line), platform.processor())
    code = "import onnxruntime, openvino; print(onnxruntime.__version__, openvino.__version__)"
    versions = subprocess.run([args.engines_python, "-W", "ignore", "-c", code], text=True, capture_output=True,
                              env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
                              ).stdout.split() if args.engines_python else []
    listed = "".join(f", {name} {version}" for name, version in zip(("onnxruntime", "OpenVINO"), versions))
    return (f"{datetime.date.today()}, {processor}, minigluon {minigluon.__version__}{listed}; {args.threads} threads, "
            f"{args.clock} clock, batch {args.batch}, {args.statistic} of {args.rounds} rounds, graph: {args.graph}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nets", nargs="+", default=NETS)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--clock", default="wall", choices=list(CLOCKS), help="cpu: processor time, which other "
                        "programs disturb less. Use it with --threads 1")
    parser.add_argument("--statistic", default="median", choices=list(STATISTICS), help="of all rounds; the minimum on "
                        "a busy machine")
    parser.add_argument("--engines-python", help="an interpreter with onnx, onnxruntime and openvino")
    parser.add_argument("--graph", default="theirs", choices=["theirs", "ours"], help="who quantizes what the engines "
                        "run: onnxruntime, or this library")
    parser.add_argument("--models", help="folder of the ONNX files; missing ones are written")
    for hidden in "--work", "--export", "--export-ours", "--quantize":
        parser.add_argument(hidden, help=argparse.SUPPRESS, **({} if hidden == "--work" else {"action": "store_true"}))
    args = parser.parse_args()
    if args.work:
        work(args.work)
    elif args.export or args.export_ours or args.quantize:
        write = export if args.export else export_ours if args.export_ours else quantize
        write(args.models, args.nets, args.batch)
    else:
        args.engines = ENGINES if args.engines_python else ENGINES[:2]
        with tempfile.TemporaryDirectory() as temporary:
            folder = args.models or temporary
            Path(folder).mkdir(exist_ok=True)
            if args.engines_python:
                prepare(folder, args)
            print(heading(args))
            print(f"| net | {' | '.join(args.engines)} | int8 / float32 | int8 / the best engine |\n"
                  f"|---|{'---|' * len(args.engines)}---|---|")
            for name in args.nets:
                print(row(name, compare(name, folder, args), args.engines), flush=True)


if __name__ == "__main__":
    main()
