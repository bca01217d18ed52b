"""Saving and loading arrays, lists, dictionaries, parameters, and the state of a trainer."""

import os
import tempfile

from ._tools import draw, fixed


def run(mx, show):
    nd, gluon, autograd, nn = mx.nd, mx.gluon, mx.autograd, mx.gluon.nn
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "x")
        nd.save(file, nd.ones(3))
        show("array", nd.load(file))
        nd.save(file, [nd.ones(3), nd.zeros((2, 2), dtype="int32")])
        x, y = nd.load(file)
        show("list", [x, y])
        nd.save(file, {"x": x, "y": y.astype("float16"), "z": nd.array([1, 255], dtype="uint8")})
        show("dict", sorted(nd.load(file).items()))

        def make():
            net = nn.HybridSequential(prefix="saved_")
            with net.name_scope():
                net.add(nn.Dense(4, use_bias=False), nn.BatchNorm(), nn.Activation("relu"), nn.Dense(2))
            return net

        net, X = make(), nd.array(draw(1, 5, 3))
        net.initialize(fixed(mx))
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})

        def step(net, trainer):
            with autograd.record():
                loss = (net(X) ** 2).sum()
            loss.backward()
            trainer.step(5)
            return loss

        show("loss", [step(net, trainer), step(net, trainer)])
        net.save_parameters(file)
        trainer.save_states(file + ".states")
        show("file", [sorted(nd.load(file)), nd.load(file)["1.running_mean"]])
        again = make()
        again.load_parameters(file, ctx=[mx.cpu(0), mx.cpu(1)])
        show("loaded", [again(X), again(X.as_in_context(mx.cpu(1))), str(again[0].weight.list_ctx())])
        again = make()
        again.load_parameters(file)
        trainer = gluon.Trainer(again.collect_params(), "adam", {"learning_rate": 0.1})
        trainer.load_states(file + ".states")
        show("resumed", [step(again, trainer), again[0].weight.data()])
        net.collect_params().save(file)
        show("full names", sorted(nd.load(file)))
        again.collect_params().load(file)
        show("restored", again(X))
        part = nn.HybridSequential(prefix="saved_")
        with part.name_scope():
            part.add(nn.Dense(4, use_bias=False, in_units=3))
        part.collect_params().load(file, ignore_extra=True)
        show("part", part(X))
        for call in (lambda: part.load_parameters(file), lambda: nd.load(os.path.join(folder, "none"))):
            try:
                call()
            except Exception as error:
                show(f"error {call.__code__.co_names}", isinstance(error, (mx.base.MXNetError, AssertionError)))
