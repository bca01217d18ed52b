"""Files of optimizers' states that go to MXNet and come back: `python mxnet_states.py PACKAGE write|read FOLDER`.

write: make steps, and save states and weights. read: load both, make more steps, and write the weights to next.npz.
`record` is both at once with MXNet, into tests/records/data/mxnet_states.zip.
"""

import importlib
import pickle
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from records import DATA

ARCHIVE = DATA / "mxnet_states.zip"
MIXED = {"multi_precision": True}
OPTIMIZERS = {
    "sgd": ("sgd", {}), "momentum": ("sgd", {"momentum": 0.9, "wd": 0.01}), "adam": ("adam", {}),
    "mixed_sgd": ("sgd", {"momentum": 0.9, **MIXED}), "mixed_adam": ("adam", MIXED), "nag": ("nag", {"momentum": 0.9}),
    "signum": ("signum", {"momentum": 0.9}), "rmsprop": ("rmsprop", {"centered": True}), "adagrad": ("adagrad", {}),
    "adadelta": ("adadelta", {}), "adamax": ("adamax", {}), "nadam": ("nadam", {}), "ftrl": ("ftrl", {}),
    "ftml": ("ftml", {}), "dcasgd": ("dcasgd", {}), "group": ("groupadagrad", {}), "lamb": ("lamb", {}),
    "mixed_lamb": ("lamb", MIXED), "lars": ("lars", {"momentum": 0.9}),
    "lbsgd": ("lbsgd", {"momentum": 0.9, "batch_scale": 2}),
    "mixed_lbsgd": ("lbsgd", {"momentum": 0.9, **MIXED}),
}
SCHEDULED = ("adam", "momentum", "lars")        # those that get a learning rate that changes


def schedule(mx):
    return mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.1, warmup_steps=2)


def updater_of(mx, case):
    name, arguments = OPTIMIZERS[case]
    rate = {"learning_rate": 0.1}
    if case in SCHEDULED:
        rate["lr_scheduler"] = schedule(mx)
    optimizer = mx.optimizer.create(name, rescale_grad=np.float64(0.5), param_idx2name={0: "a_weight", 1: "b_bias"},
                                    **rate, **arguments)
    return mx.optimizer.get_updater(optimizer)


def steps(mx, updater, weights, seed):
    numbers = np.random.RandomState(seed)
    for _ in range(3):
        grads = [mx.nd.array(numbers.randn(*w.shape), dtype=w.dtype) for w in weights]
        if updater.optimizer.aggregate_num:
            updater([0, 1], grads, weights)
        else:
            for index, (w, g) in enumerate(zip(weights, grads)):
                updater(index, g, w)


def run_updaters(mx, what, folder):
    """{name: weight} after the steps."""
    found = {}
    for case, (_, arguments) in OPTIMIZERS.items():
        updater, numbers = updater_of(mx, case), np.random.RandomState(0)
        if what == "write":
            dtype = "float16" if arguments.get("multi_precision") else "float32"
            weights = [mx.nd.array(numbers.randn(*shape), dtype=dtype) for shape in ((2, 3), (3, 1))]
            steps(mx, updater, weights, 1)
            (folder / f"{case}.states").write_bytes(updater.get_states(dump_optimizer=True))
        else:
            with np.load(str(folder / "saved.npz")) as saved:
                weights = [mx.nd.array(saved[f"{case}_{i}"], dtype=saved[f"{case}_{i}"].dtype)
                           for i in range(2)]
            updater.set_states((folder / f"{case}.states").read_bytes())
            steps(mx, updater, weights, 2)
        found.update({f"{case}_{i}": w.asnumpy() for i, w in enumerate(weights)})
    return found


def run_trainer(mx, what, folder):
    net = mx.gluon.nn.Dense(2, in_units=3, prefix="dense_")
    net.initialize()
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})
    if what == "read":
        net.load_parameters(str(folder / "trainer.params"))
        trainer.load_states(str(folder / "trainer.states"))
    else:
        net.weight.set_data(mx.nd.array(np.random.RandomState(3).randn(2, 3)))
    x = mx.nd.array(np.random.RandomState(4).randn(5, 3))
    for _ in range(2):
        with mx.autograd.record():
            loss = (net(x) ** 2).sum()
        loss.backward()
        trainer.step(5)
    if what == "write":
        net.save_parameters(str(folder / "trainer.params"))
        trainer.save_states(str(folder / "trainer.states"))
    return {"trainer_weight": net.weight.data().asnumpy(), "trainer_bias": net.bias.data().asnumpy()}


def run_module(mx, what, folder, devices):
    """The steps are made in the store where there are several devices, otherwise by the module."""
    prefix = str(folder / f"module{devices}")
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    options = {"context": [mx.cpu(i) for i in range(devices)], "label_names": None}
    mod = mx.mod.Module(net, **options) if what == "write" else mx.mod.Module.load(prefix, 1, True, **options)
    mod.bind([("data", (4, 3))])
    if what == "write":
        mod.init_params(arg_params={"fc_weight": mx.nd.array(np.random.RandomState(5).randn(2, 3)),
                                    "fc_bias": mx.nd.zeros(2)})
    mod.init_optimizer("local", "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    batch = mx.io.DataBatch([mx.nd.array(np.random.RandomState(6).randn(4, 3))])
    for _ in range(2):
        mod.forward(batch, is_train=True)
        mod.backward([mx.nd.ones((4, 2))])
        mod.update()
    if what == "write":
        mod.save_checkpoint(prefix, 1, save_optimizer_states=True)
    return {f"module{devices}_{name}": x.asnumpy() for name, x in mod.get_params()[0].items()}


def run(mx, what, folder):
    folder = Path(folder)
    found = run_updaters(mx, what, folder)
    found.update(run_trainer(mx, what, folder))
    found.update(run_module(mx, what, folder, 1))
    found.update(run_module(mx, what, folder, 2))
    np.savez(str(folder / ("saved.npz" if what == "write" else "next.npz")), **found)


def record(mx):
    with tempfile.TemporaryDirectory() as folder:
        run(mx, "write", folder)
        run(mx, "read", folder)
        sparse = mx.nd.array([[0, 0], [1, 2]]).tostype("row_sparse")
        (Path(folder) / "sparse.states").write_bytes(pickle.dumps({0: sparse}))
        with zipfile.ZipFile(str(ARCHIVE), "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(Path(folder).iterdir()):
                archive.writestr(zipfile.ZipInfo(path.name, (1980, 1, 1, 0, 0, 0)), path.read_bytes(),
                                 zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    package = importlib.import_module(sys.argv[1])
    if sys.argv[2] == "record":
        record(package)
    else:
        run(package, *sys.argv[2:])
