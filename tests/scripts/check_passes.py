"""Translation validation: nets of all kinds are compiled, for prediction and training, and every pass is checked.

    python tests/scripts/check_passes.py --minutes 10             # as many nets as fit, the small ones first
    python tests/scripts/check_passes.py --nets resnet18_v1       # those whose names contain this

It prints a line for each net, what could not be checked, and ends with 1 if a pass has changed what a graph computes.
"""

import argparse
import sys
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from same_results_nets import NETS

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.backend import available, use_backend
from minigluon.hybrid import check_passes

SIDES = {"inceptionv3": 299, "densenet121": 224, "alexnet": 96, "vgg11": 64, "squeezenet1.0": 224, "squeezenet1.1": 224}
FLAGS = [{}, {"recompute": True}, {"memory": 0.9}]


def zoo():
    """(name, make) of the model zoo's nets, small ones first."""
    names = ["squeezenet1.1", "mobilenet0.25", "mobilenetv2_0.25", "resnet18_v1", "resnet18_v2", "squeezenet1.0",
             "vgg11", "alexnet", "resnet50_v1", "densenet121", "inceptionv3"]
    for name in names:
        yield name, lambda name=name: (gluon.model_zoo.vision.get_model(name, classes=10), nd.random.uniform(
            -1, 1, shape=(2, 3, SIDES.get(name, 64), SIDES.get(name, 64))), nd.array([1, 2]),
            gluon.loss.SoftmaxCrossEntropyLoss())


def check(make, flags):
    """Compile a net for prediction, for training, and as one step with its optimizer."""
    mx.random.seed(3)
    np.random.seed(3)
    net, x, label, loss = make()
    net(x)
    net.hybridize(**flags)
    loss.hybridize()
    net(x)
    x.attach_grad()
    with autograd.record():
        value = loss(_first(net(x)), label)
    value.backward()
    if not flags:
        gluon.TrainStep(net, loss, gluon.Trainer(net.collect_params(), "adam"))(x, label)


def _first(y):
    return y[0] if isinstance(y, (list, tuple)) else y


def initialized(make):
    """The same for nets that have no parameters yet."""
    def made():
        net, *others = make()
        net.initialize(mx.init.Xavier())
        return (net, *others)
    return made


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--nets", default="", help="only those whose names contain this")
    args = parser.parse_args(argv)
    check_passes.enabled = True
    warnings.filterwarnings("ignore", message="hybridize\\(memory=")
    nets = [*NETS.items(), *((name, initialized(make)) for name, make in zoo())]
    end, failed = time.monotonic() + 60 * args.minutes, 0
    for name, make in nets:
        for backend in [name for name in ("numpy", "accel") if name in available()]:
            for flags in FLAGS:
                if args.nets in name and time.monotonic() < end:
                    with use_backend(backend):
                        failed += _told(name, backend, flags, make)
    for (pass_, reason), count in Counter((name, reason.partition("\n")[0]) for name, reason in
                                          check_passes.skipped).most_common(20):
        print(f"not checked, {count} times: {pass_}: {reason}")
    return 1 if failed else 0


def _told(name, backend, flags, make):
    began = time.monotonic()
    try:
        check(make, flags)
    except check_passes.WrongPassError as error:
        print(f"WRONG  {name} on {backend} {flags}: {error}", flush=True)
        return 1
    except mx.MXNetError:
        print(f"ERROR  {name} on {backend} {flags}:", flush=True)
        traceback.print_exc()
        return 1
    print(f"OK     {name} on {backend} {flags}: {time.monotonic() - began:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
