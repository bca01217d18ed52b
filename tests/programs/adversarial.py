"""Adversarial examples by the sign of the gradient: inputs_need_grad of a Module, and an executor's args_grad."""

import numpy as np

from ._tools import fixed, shapes_data


def run(mx, show):
    images, labels = shapes_data(mx)
    data = mx.symbol.Variable("data")
    conv1 = mx.sym.Convolution(data=data, kernel=(3, 3), num_filter=4)
    tanh1 = mx.sym.Activation(data=conv1, act_type="tanh")
    pool1 = mx.sym.Pooling(data=tanh1, pool_type="max", kernel=(2, 2), stride=(2, 2))
    flatten = mx.sym.Flatten(data=pool1)
    fc1 = mx.sym.FullyConnected(data=flatten, num_hidden=10)
    fc2 = mx.sym.FullyConnected(data=mx.sym.Activation(data=fc1, act_type="tanh"), num_hidden=2)
    lenet = mx.sym.SoftmaxOutput(data=fc2, name="softmax")

    mod = mx.mod.Module(symbol=lenet, context=mx.cpu())
    mod.bind(data_shapes=[("data", (8, 1, 8, 8))], label_shapes=[("softmax_label", (8,))], inputs_need_grad=True)
    mod.init_params(initializer=fixed(mx))
    mod.init_optimizer(optimizer_params={"learning_rate": 0.2})
    train, losses = mx.io.NDArrayIter(images, labels, 8), []
    for epoch in range(5):
        train.reset()
        for batch in train:
            mod.forward(batch)
            out = mod.get_outputs()[0].asnumpy()
            losses.append(float(-np.log(out[np.arange(8), batch.label[0].asnumpy().astype(int)]).mean()))
            mod.backward()
            mod.update()
    show("losses", losses)

    batch = mx.io.DataBatch([images[:8]], [labels[:8]])
    mod.forward(batch, is_train=True)
    clean = mod.get_outputs()[0].copy()
    mod.backward()
    grad = mod.get_input_grads()[0]
    show("gradient", grad)
    noise = mx.nd.sign(grad)
    mod.forward(mx.io.DataBatch([images[:8] + 0.15 * noise], [labels[:8]]), is_train=False)
    show("probabilities", [clean, mod.get_outputs()[0]])

    args, auxs = mod.get_params()
    grads = {"data": mx.nd.zeros((8, 1, 8, 8))}
    executor = lenet.bind(mx.cpu(), dict(args, data=images[:8], softmax_label=labels[:8]), args_grad=grads,
                          grad_req={"data": "add"}, aux_states=auxs)
    picture = images[:8].copy()
    for _ in range(3):                          # several small steps
        grads["data"][:] = 0
        executor.forward(is_train=True, data=picture)
        executor.backward()
        picture += 0.05 * mx.nd.sign(grads["data"])
        mx.nd.clip(picture, -0.5, 1.5, out=picture)
    show("iterated", [picture, executor.outputs[0]])
