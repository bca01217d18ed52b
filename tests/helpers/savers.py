"""What the project saves, each in two versions, 0 and 1, that can be told apart in every file."""

import contextlib
import io
import types
from pathlib import Path
from unittest import mock

import numpy as np

import minigluon as mx
from minigluon import autograd, gluon, nd, recordio, sym
from minigluon.gluon.resume import Checkpoint
from minigluon.image import im2rec
from minigluon.serialization.atomic_write import replacing

__all__ = ["Export", "Images", "Module", "NetParameters", "Parameters", "Records", "States", "Training",
           "TrainingCheckpoint"]

ACTIVATIONS = ["relu", "tanh"]


def network(version):
    """One layer whose weights are the version, and whose graph tells it, too."""
    net = gluon.nn.Dense(2, in_units=3, activation=ACTIVATIONS[version], prefix="net_")
    net.initialize(mx.init.Constant(version))
    net.hybridize()
    net(nd.ones((1, 3)))
    return net


def activation(graph):
    """The version of a graph."""
    return next(version for version, name in enumerate(ACTIVATIONS) if name in graph.tojson())


class Parameters:
    """`save(folder, version)` writes the files of a version; `load(folder)` gives the versions of what is there."""

    def save(self, folder, version):
        nd.save(str(folder / "net.params"), {"w": nd.full((1000,), version)})

    def load(self, folder):
        return set(nd.load(str(folder / "net.params"))["w"].asnumpy())


class NetParameters:
    def __init__(self):
        self.nets = [network(version) for version in (0, 1)]

    def save(self, folder, version):
        self.nets[version].save_parameters(str(folder / "net.params"))

    def load(self, folder):
        net = gluon.nn.Dense(2, in_units=3, prefix="net_")
        net.load_parameters(str(folder / "net.params"))
        return set(net.weight.data().asnumpy().ravel())


class Export(NetParameters):
    def save(self, folder, version):
        self.nets[version].export(str(folder / "net"))

    def load(self, folder):
        net = gluon.SymbolBlock.imports(str(folder / "net-symbol.json"), ["data"], str(folder / "net-0000.params"))
        return {*net.collect_params()["net_weight"].data().asnumpy().ravel(), activation(net._graph.outputs)}


class Module:
    """`save_checkpoint`, with other momenta in the states of each version."""

    def __init__(self):
        self.modules = [self._module(version) for version in (0, 1)]
        self.states = [mod._stepper.states_owner.get_states() for mod in self.modules]

    def _module(self, version):
        fc = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
        mod = mx.mod.Module(sym.SoftmaxOutput(sym.Activation(fc, act_type=ACTIVATIONS[version]), name="softmax"))
        mod.bind([("data", (1, 3))], [("softmax_label", (1,))])
        mod.init_params(mx.init.One())
        mod.init_optimizer(optimizer_params={"momentum": 0.5})
        mod.forward_backward(mx.io.DataBatch([nd.ones((1, 3))], [nd.zeros((1,))]))
        mod.update()
        mod.init_params(mx.init.Constant(version), force_init=True)
        return mod

    def save(self, folder, version):
        self.modules[version].save_checkpoint(str(folder / "net"), 1, save_optimizer_states=True)

    def load(self, folder):
        mod = mx.mod.Module.load(str(folder / "net"), 1, load_optimizer_states=True)
        mod.bind([("data", (1, 3))], [("softmax_label", (1,))])
        mod.init_optimizer(optimizer_params={"momentum": 0.5})
        return {*mod._arg_params["fc_weight"].asnumpy().ravel(), activation(mod.symbol),
                self.states.index(mod._stepper.states_owner.get_states())}


class States:
    """`Trainer.save_states`."""

    def __init__(self):
        self.trainers = [self._trainer(steps) for steps in (1, 2)]
        self.states = [trainer._updaters[0].get_states() for trainer in self.trainers]

    def _trainer(self, steps):
        net = network(1)
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"momentum": 0.5})
        for _ in range(steps):
            with autograd.record():
                loss = net(nd.ones((1, 3))).sum()
            loss.backward()
            trainer.step(1)
        return trainer

    def save(self, folder, version):
        self.trainers[version].save_states(str(folder / "net.states"))

    def load(self, folder):
        trainer = self._trainer(1)
        trainer.load_states(str(folder / "net.states"))
        return {self.states.index(trainer._updaters[0].get_states())}


class Records:
    """An atomic writer of records with an index."""

    def save(self, folder, version):
        with recordio.MXIndexedRecordIO(str(folder / "a.idx"), str(folder / "a.rec"), "w", atomic=True) as writer:
            for key in range(2):
                writer.write_idx(key + version * 2, bytes([version]))

    def load(self, folder):
        with recordio.MXIndexedRecordIO(str(folder / "a.idx"), str(folder / "a.rec"), "r") as reader:
            return {key // 2 for key in reader.keys} | {reader.read_idx(key)[0] for key in reader.keys}


class Images:
    """`minigluon im2rec`, whose list is written first."""

    def save(self, folder, version):
        (folder / "image.jpg").write_bytes(b"not decoded")
        lines = [(key + version * 2, "image.jpg", version) for key in range(2)]
        im2rec.write_list(str(folder / "a.lst"), lines)
        im2rec.make_records(str(folder / "a.lst"), str(folder), pass_through=True)

    def load(self, folder):
        with recordio.MXIndexedRecordIO(str(folder / "a.idx"), str(folder / "a.rec"), "r") as reader:
            headers = [recordio.unpack(reader.read_idx(key))[0] for key in reader.keys]
            return {key // 2 for key in reader.keys} | {int(h.label) for h in headers} | {h.id // 2 for h in headers}


class TrainingCheckpoint(NetParameters):
    """What `minigluon train` and ResumeHandler go on from."""

    def save(self, folder, version):
        trainer = gluon.Trainer(self.nets[version].collect_params(), "sgd")
        Checkpoint.write(str(folder / "run.checkpoint"), self.nets[version], trainer, {"version": version})

    def load(self, folder):
        net = network(0)
        checkpoint = Checkpoint(folder / "run.checkpoint")
        checkpoint.load(net, gluon.Trainer(net.collect_params(), "sgd"))
        return {*net.weight.data().asnumpy().ravel(), checkpoint.state["version"]}


class Training:
    """What `minigluon train --out` writes at its end. The pictures are bytes: drawing them is slow."""

    def __init__(self):
        self.nets = [network(version) for version in (0, 1)]
        labels = np.zeros(2, np.int32)
        self.images = types.SimpleNamespace(title="images", names=["a", "b"], x_test=np.ones((2, 3), np.float32),
                                            y_train=labels, y_test=labels)

    def save(self, folder, version):
        from minigluon.tools.cli import plots, summary, train

        def draw(path, *args):
            with replacing(path) as file:
                file.write(b"%d" % version)
            return []

        settings = types.SimpleNamespace(net="mlp")
        training = types.SimpleNamespace(net=self.nets[version], images=self.images, ctx=mx.cpu(),
                                         history=types.SimpleNamespace(test_accuracy=[1.0]))
        with (mock.patch.multiple(plots, learning_curve=draw, mistakes=draw), contextlib.redirect_stdout(io.StringIO()),
              mock.patch.object(summary, "summary", return_value=[])):
            train._write(str(folder), settings, training)

    def load(self, folder):
        """Nothing reads the pictures, so one that is set aside is no error. One of another version would be."""
        net = gluon.nn.Dense(2, in_units=3, prefix="net_")
        net.load_parameters(str(folder / "mlp.params"))
        pictures = {int(path.read_bytes()) for path in Path(folder).glob("[!.]*.png")}
        return {*net.weight.data().asnumpy().ravel(), *pictures}
