"""Truncated, changed and hostile ONNX files: one MXNetError or a network, and what reading them takes.

    python tests/scripts/onnx_hostile.py [--count 2000] [--seed 0]

Prints how many files of each kind were read or refused, the most memory above what there was before, beside the size
of that file, and the longest time. The exit status is 1 where another exception arose, or a file took more than 8
times its size and 64 MiB, more than 10 seconds, or data from outside of its folder.
"""

import argparse
import collections
import random
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import onnx  # noqa: E402
from campaign.files import MEMORY, _forget_peak, _status  # noqa: E402
from helpers.file_draws import mutated, mutation  # noqa: E402
from helpers.onnx_draws import onnx_file  # noqa: E402

import minigluon as mx  # noqa: E402

SECONDS = 10
SECRET = 1234.5         # what is outside of the model's folder
LOCATIONS = ["../secret", "/etc/hostname", "a/../../secret", "link", "folder/secret", "", ".", "..", "\0", "~",
             "x" * 5000, "C:\\secret", "..\\secret", "file:///etc/hostname"]


def truncated(draw):
    content = onnx_file(draw)[0]
    return content[:draw.randrange(len(content))]


def bytes_changed(draw):
    content = bytearray(onnx_file(draw)[0])
    for _ in range(draw.randint(1, 8)):
        content[draw.randrange(len(content))] = draw.randrange(256)
    return bytes(content)


def structure_changed(draw):
    content, marks = onnx_file(draw)
    for _ in range(draw.choice([1, 1, 2, 3, 6])):
        content = mutated(content, marks, mutation(draw, "onnx"))
    return content


def data_elsewhere(draw):
    """A tensor whose numbers are said to be at a place that the file may not read, or in a size that is not there."""
    tensor = onnx.TensorProto(name="w", data_type=1, dims=[draw.choice([2, 1 << 20, 1 << 40])],
                              data_location=onnx.TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=draw.choice(LOCATIONS))
    for key in ("offset", "length"):
        if draw.random() < 0.5:
            tensor.external_data.add(key=key, value=draw.choice(["0", "8", "-8", str(1 << 62), "many", ""]))
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Identity", ["w"], ["y"])], "graph", [], [onnx.helper.make_empty_tensor_value_info("y")],
        [tensor])
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)]).SerializeToString()


KINDS = {"truncated": truncated, "bytes changed": bytes_changed, "structure changed": structure_changed,
         "data elsewhere": data_elsewhere}


def read(path, draw):
    """What becomes of a file, and its parameters."""
    constants = {"s": np.array([2, 36])} if draw.random() < 0.5 else None
    try:
        _, arguments, auxiliary = mx.onnx.import_model(path, constants)
    except mx.MXNetError:
        return "refused", []
    return "read", [array.asnumpy() for array in {**arguments, **auxiliary}.values()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    counts, findings = collections.Counter(), []
    most, slowest, sizes = collections.Counter(), collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model"
        (model / "folder").mkdir(parents=True)
        (Path(folder) / "secret").write_bytes(np.full(1 << 10, SECRET, np.float32).tobytes())
        (model / "link").symlink_to(Path(folder) / "secret")
        path = model / "net.onnx"
        path.write_bytes(onnx_file(random.Random(0))[0])
        read(path, random.Random(0))            # what the first import loads
        for number in range(asked.seed, asked.seed + asked.count):
            draw = random.Random(number)
            kind = list(KINDS)[number % len(KINDS)]
            path.write_bytes(content := KINDS[kind](draw))
            before, begin = _forget_peak(), time.perf_counter()
            try:
                outcome, arrays = read(path, draw)
            except Exception as error:
                outcome, arrays = "another exception", []
                findings.append(f"{number} ({kind}): {type(error).__name__}: {error}")
            seconds, peak = time.perf_counter() - begin, _status("VmHWM") - before
            if peak > MEMORY[0] * len(content) + MEMORY[1] or seconds > SECONDS:
                findings.append(f"{number} ({kind}): {peak:,} bytes for a file of {len(content):,}, {seconds:.1f} s")
            if any(SECRET in array for array in arrays):
                findings.append(f"{number} ({kind}): reads data outside of its folder")
            counts[kind, outcome] += 1
            if peak > most[kind]:
                most[kind], sizes[kind] = peak, len(content)
            slowest[kind] = max(slowest[kind], seconds)
    for kind in KINDS:
        outcomes = ", ".join(f"{count:,} {outcome}" for (of, outcome), count in sorted(counts.items()) if of == kind)
        print(f"{kind:18} {outcomes}; at most {most[kind] / 2 ** 20:.1f} MiB for a file of {sizes[kind]:,} bytes, "
              f"{slowest[kind]:.2f} s")
    print("\n".join(findings) or "all held")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
