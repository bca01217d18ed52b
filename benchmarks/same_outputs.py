"""Check that all libraries compute the same in the nets of `minigluon bench`. Prints Markdown; exits with 1 if not.

    MINIGLUON_TORCH_PYTHON=... MINIGLUON_JAX_PYTHON=... python benchmarks/same_outputs.py [--nets NAME ...]

minigluon's parameters are copied into each library's own definition, in order; then each predicts for the same small
batch. The numbers are the largest difference from minigluon, divided by the largest of minigluon's outputs.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

import minigluon as mx
from minigluon.tools.bench.nets import OTHERS, QUICK
from minigluon.tools.bench.peers import interpreters, start_peers
from minigluon.tools.bench.workers.programs_gluon import NETS

FILE = str(Path(__file__).parent / "same_outputs_peers.py")
# Depth costs digits. With another kind of layer, or parameters in another order, nothing would match.
TOLERANCE = 1e-4
SIZES = {**QUICK, "gpt_batch": 2, "gpt_tokens": 6, "bert_words": 50, "resnet_image": 64, "photo_image": 64,
         "unet_image": 32}


def write(path, name):
    """Write the parameters and inputs of a net to a file. Returns its first output and its number of parameters."""
    mx.random.seed(1)
    net, x, _ = NETS[name][0](mx, SIZES)
    inputs = x if isinstance(x, tuple) else (x,)
    net(*inputs)
    parameters = net.collect_params()
    for key, parameter in parameters.items():       # BatchNorm's statistics: anything but zeros and ones
        if "running" in key:
            low = 0.5 if "var" in key else -0.5
            parameter.set_data(mx.nd.random.uniform(low, low + 1, shape=parameter.shape))
    found = net(*inputs)
    found = found[0] if isinstance(found, (list, tuple)) else found
    arrays = {f"{'moving' if 'running' in key else 'trained'}{i}": parameter.data().asnumpy()
              for i, (key, parameter) in enumerate(parameters.items())}
    np.savez(path, **arrays, **{f"input{i}": value.asnumpy() for i, value in enumerate(inputs)})
    return found.asnumpy().reshape(-1), sum(parameter.data().size for parameter in parameters.values())


def difference(peer, name, path, wanted):
    found = np.array(peer.ask("more", "outputs", name, path))
    return np.abs(found - wanted).max() / np.abs(wanted).max() if found.shape == wanted.shape else np.inf


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nets", nargs="*", default=list(NETS), choices=list(NETS))
    args = parser.parse_args()
    pythons = {library: python for library, python in interpreters().items() if library in set(OTHERS) - {"mxnet"}}
    same = True
    with start_peers(pythons, SIZES, dict.fromkeys(pythons, [FILE]), threads=1) as peers, \
            tempfile.TemporaryDirectory() as folder:
        print(f"| net | numbers in parameters | {' | '.join(peer.version for peer in peers)} |")
        print("|---" * (2 + len(peers)) + "|")
        for name in args.nets:
            path = os.path.join(folder, "net.npz")
            wanted, count = write(path, name)
            errors = [difference(peer, name, path, wanted) for peer in peers]
            same &= all(error < TOLERANCE for error in errors)
            print(f"| {name} | {count} | {' | '.join(f'{error:.0e}' for error in errors)} |", flush=True)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
