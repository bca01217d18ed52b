"""Sentences classified by convolutions of several widths and pooling over time, with simple_bind and an updater."""

import numpy as np

from ._tools import draw

SENTENCE, WIDTH, BATCH, FILTERS = 7, 4, 6, 3


def make_symbol(mx):
    input_x, input_y = mx.sym.Variable("data"), mx.sym.Variable("softmax_label")
    conv_input = mx.sym.Reshape(data=input_x, target_shape=(BATCH, 1, SENTENCE, WIDTH))
    pooled_outputs = []
    for size in (2, 3, 4):
        convi = mx.sym.Convolution(data=conv_input, kernel=(size, WIDTH), num_filter=FILTERS)
        relui = mx.sym.Activation(data=convi, act_type="relu")
        pooled_outputs.append(mx.sym.Pooling(data=relui, pool_type="max", kernel=(SENTENCE - size + 1, 1),
                                             stride=(1, 1)))
    concat = mx.sym.Concat(*pooled_outputs, dim=1)
    h_pool = mx.sym.Reshape(data=concat, target_shape=(BATCH, 3 * FILTERS))
    h_drop = mx.sym.Dropout(data=h_pool, p=0.0)
    cls_weight, cls_bias = mx.sym.Variable("cls_weight"), mx.sym.Variable("cls_bias")
    fc = mx.sym.FullyConnected(data=h_drop, weight=cls_weight, bias=cls_bias, num_hidden=2)
    return mx.sym.SoftmaxOutput(data=fc, label=input_y, name="softmax")


def run(mx, show):
    vectors = draw(1, 20, WIDTH)
    words = np.abs(draw(2, 24, SENTENCE) * 8).astype(int) % 20
    labels = (words[:, :3].sum(axis=1) % 2).astype("float32")
    symbol = make_symbol(mx)
    arg_names = symbol.list_arguments()
    executor = symbol.simple_bind(ctx=mx.cpu(), grad_req="write", data=(BATCH, SENTENCE, WIDTH),
                                  softmax_label=(BATCH,))
    show("arguments", [arg_names, [executor.arg_dict[name].shape for name in arg_names]])
    optimizer = mx.optimizer.create("rmsprop", learning_rate=0.01)
    updater, blocks = mx.optimizer.get_updater(optimizer), []
    for i, name in enumerate(arg_names):
        if name not in ("data", "softmax_label"):
            executor.arg_dict[name][:] = draw(30 + i, *executor.arg_dict[name].shape, scale=0.3)
            blocks.append((i, executor.arg_dict[name], executor.grad_dict[name], name))
    losses, norms = [], []
    for _ in range(5):
        for begin in range(0, 24, BATCH):
            executor.arg_dict["data"][:] = vectors[words[begin:begin + BATCH]]
            executor.arg_dict["softmax_label"][:] = labels[begin:begin + BATCH]
            executor.forward(is_train=True)
            executor.backward()
            output = executor.outputs[0].asnumpy()
            losses.append(float(-np.log(output[np.arange(BATCH), labels[begin:begin + BATCH].astype(int)]).mean()))
            norm = 0
            for _, _, grad, _ in blocks:
                grad /= BATCH
                norm += mx.nd.norm(grad).asscalar() ** 2
            norms.append(norm ** 0.5)
            for idx, weight, grad, _ in blocks:
                if norms[-1] > 0.3:
                    grad *= 0.3 / norms[-1]
                updater(idx, grad, weight)
                grad[:] = 0.0
    show("losses", losses)
    show("norms", norms)
    show("weights", [[name, weight] for _, weight, _, name in blocks])
