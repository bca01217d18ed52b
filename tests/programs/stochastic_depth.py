"""Stochastic depth: residual blocks as Modules, of which some are left out in a step, chained by their gradients."""

import numpy as np

from ._tools import fixed, shapes_data


def block(mx, number, death):
    """A residual block; what was alive is weighed with its probability at prediction."""
    data = mx.sym.Variable("data")
    body = mx.sym.Convolution(data=data, num_filter=4, kernel=(3, 3), pad=(1, 1), no_bias=True,
                              name="block%d_conv" % number)
    body = mx.sym.BatchNorm(data=body, fix_gamma=False, name="block%d_bn" % number)
    body = mx.sym.Activation(data=body, act_type="relu")
    return data + body, data + (1 - death) * body


def run(mx, show):
    images, labels = shapes_data(mx)
    chance, deaths, shape = np.random.RandomState(7), (0.0, 0.25, 0.5), (8, 4, 8, 8)
    data = mx.sym.Variable("data")
    stem = mx.mod.Module(mx.sym.Convolution(data=data, num_filter=4, kernel=(3, 3), pad=(1, 1), name="stem"),
                         label_names=None, context=mx.cpu())
    stem.bind(data_shapes=[("data", (8, 1, 8, 8))])
    pooled = mx.sym.Pooling(data=data, kernel=(8, 8), global_pool=True, pool_type="avg")
    head = mx.mod.Module(mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.Flatten(pooled), num_hidden=2, name="fc"),
                                              name="softmax"), context=mx.cpu())
    head.bind(data_shapes=[("data", shape)], label_shapes=[("softmax_label", (8,))], inputs_need_grad=True)
    blocks = []
    for number, death in enumerate(deaths):
        module = mx.mod.Module(block(mx, number, death)[0], label_names=None, context=mx.cpu())
        module.bind(data_shapes=[("data", shape)], inputs_need_grad=True)
        blocks.append(module)
    for module in [stem, *blocks, head]:
        module.init_params(initializer=fixed(mx))
        module.init_optimizer(optimizer="sgd", optimizer_params={"learning_rate": 0.1, "momentum": 0.9})

    train = mx.io.NDArrayIter(images, labels, 8)
    losses, alive = [], []
    for _ in range(5):
        train.reset()
        for batch in train:
            active = [b for b, death in zip(blocks, deaths) if chance.rand() >= death]
            stem.forward(batch, is_train=True)
            x = stem.get_outputs()
            for module in active:
                module.forward(mx.io.DataBatch(data=x, label=[]), is_train=True)
                x = module.get_outputs()
            head.forward(mx.io.DataBatch(data=x, label=batch.label), is_train=True)
            probabilities = head.get_outputs()[0].asnumpy()
            losses.append(float(-np.log(probabilities[np.arange(8), batch.label[0].asnumpy().astype(int)]).mean()))
            head.backward()
            grads = head.get_input_grads()
            for module in reversed(active):
                module.backward(out_grads=grads)
                grads = module.get_input_grads()
            stem.backward(out_grads=grads)
            for module in [stem, *active, head]:
                module.update()
            alive.append(len(active))
    show("losses", losses)
    show("alive", alive)

    args, aux = {}, {}
    for module in [stem, *blocks, head]:
        for found, kept in zip(module.get_params(), (args, aux)):
            kept.update(found)
    for name, value in aux.items():             # MXNet moves its statistics in backward, see docs/differences.md
        value[:] = 4 if name.endswith("var") else 0.1
    predict = mx.mod.SequentialModule()                                 # the same weights, all blocks, weighed
    predict.add(stem)
    for number, (module, death) in enumerate(zip(blocks, deaths)):
        whole = mx.mod.Module(block(mx, number, death)[1], label_names=None, context=mx.cpu())
        predict.add(whole, auto_wiring=True)
    predict.add(head, take_labels=True, auto_wiring=True)
    predict.bind(data_shapes=train.provide_data, label_shapes=train.provide_label, for_training=False,
                 force_rebind=True)
    predict.init_params(arg_params=args, aux_params=aux, force_init=True)
    show("predicted", predict.predict(train))
    show("score", predict.score(train, "acc"))
