"""Which kernels are compiled: each source with its defines, as a line of JSON.

    MINIGLUON_GPU=emulate python tests/scripts/gpu_sources.py       those of the benchmark's nets, on a card of any size

As part of gpu_suite.py --sources, `record` writes down those of the tests.
"""

import hashlib
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDED = "minigluon_accel.gpu.compile"


def as_text(source, defines):
    """A source as JSON: its path, or its own text, with what else it says of itself."""
    more = {name: value for name, value in vars(source).items() if name not in ("path", "text")}
    return json.dumps({"path": getattr(source, "path", None), "text": getattr(source, "text", None), "more": more,
                       "defines": dict(sorted(defines.items()))}, sort_keys=True)


def record(folder):
    """From now on, write a file into the folder for each source that this process compiles or finds in the cache."""
    gpu_compile, folder = sys.modules[RECORDED], pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    real = gpu_compile.image_of

    def image_of(source, defines, architecture):
        text = as_text(source, defines)
        (folder / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.json").write_text(text, encoding="utf-8")
        return real(source, defines, architecture)
    gpu_compile.image_of = image_of


def of_nets():
    """{as_text} of the benchmark's nets, in whose place kernels run that do nothing: what they compute does not matter.

    A card chooses tiles of products by the number of its multiprocessors and the batch; so all are taken in turns.
    """
    import gpu_nets_gluon
    from minigluon_accel.gpu import compile as gpu_compile
    from minigluon_accel.gpu.kernels import gemm
    from minigluon_accel.gpu.launch import GeneratedSource

    import minigluon as mx
    from minigluon.backend.forgetting import forget_kernels
    from minigluon.tools.bench.nets import SIZES
    found, real = set(), gpu_compile.loaded_function

    def loaded_function(device, source, defines, name):
        found.add(as_text(source, defines))
        return real(device, GeneratedSource('extern "C" __global__ void nothing() {}'), {}, "nothing")
    gpu_compile.loaded_function = loaded_function
    makers = gpu_nets_gluon.makers(mx, {**SIZES, "alexnet_units": 64, "batches": [2]})
    every = gemm.all_tiles("float32")
    for tiles in every:
        gemm.tiles_for = lambda *_, tiles=tiles: tiles
        for program, make in makers.items():
            trains = program.endswith("train step")
            if tiles is every[0] or trains:         # what a train step does not launch has no product in it
                for mode in ("imperative", "hybridized", "one call")[:3 if trains else 2]:
                    make(mode).run()
        forget_kernels()
    return found


if __name__ == "__main__":
    sys.path.append(str(ROOT / "benchmarks"))
    print("\n".join(sorted(of_nets())))
