"""Fully convolutional segmentation: deconvolution that begins as bilinear, Crop to the picture, a label per pixel."""

import numpy as np

from ._tools import draw, fixed


def fcn(mx, offset):
    data = mx.symbol.Variable(name="data")
    conv1 = mx.symbol.Convolution(data=data, kernel=(3, 3), num_filter=6, pad=(3, 3), name="conv1")
    relu1 = mx.symbol.Activation(data=conv1, act_type="relu", name="relu1")
    pool1 = mx.symbol.Pooling(data=relu1, pool_type="max", kernel=(2, 2), stride=(2, 2), name="pool1")
    conv2 = mx.symbol.Convolution(data=pool1, kernel=(3, 3), num_filter=8, pad=(1, 1), name="conv2")
    relu2 = mx.symbol.Activation(data=conv2, act_type="relu", name="relu2")
    score = mx.symbol.Convolution(data=relu2, kernel=(1, 1), num_filter=3, name="score")
    bigscore = mx.symbol.Deconvolution(data=score, kernel=(4, 4), stride=(2, 2), adj=(1, 1), num_filter=3,
                                       num_group=3, no_bias=True, name="bigscore")
    upscore = mx.symbol.Crop(*[bigscore, data], offset=offset, name="upscore")
    return mx.symbol.SoftmaxOutput(data=upscore, multi_output=True, use_ignore=True, ignore_label=255,
                                   normalization="valid", name="softmax")


def run(mx, show):
    images, labels = draw(1, 4, 3, 10, 9, scale=0.2), np.zeros((4, 10, 9), "float32")
    for i in range(4):
        images[i, 0, i:i + 4, 2:6] += 1
        labels[i, i:i + 4, 2:6] = 1
        images[i, 2, 6:, :i + 2] += 1
        labels[i, 6:, :i + 2] = 2
    labels[:, 0] = 255
    symbol = fcn(mx, (1, 1))
    init = mx.init.Mixed([".*bigscore_weight", ".*"], [mx.init.Bilinear(), fixed(mx)])
    mod = mx.mod.Module(symbol, context=mx.cpu(), fixed_param_names=["bigscore_weight"])
    mod.bind(data_shapes=[("data", (2, 3, 10, 9))], label_shapes=[("softmax_label", (2, 10, 9))])
    mod.init_params(init)
    mod.init_optimizer(optimizer="sgd", optimizer_params={
        "learning_rate": 0.5, "momentum": 0.9, "wd": 0.0005,
        "lr_scheduler": mx.lr_scheduler.PolyScheduler(20, 0.5, 2)})
    losses = []
    for step in range(20):
        part = slice(2 * (step % 2), 2 * (step % 2) + 2)
        batch = mx.io.DataBatch([mx.nd.array(images[part])], [mx.nd.array(labels[part])])
        mod.forward(batch, is_train=True)
        probability = mod.get_outputs()[0].asnumpy()
        counted = labels[part] != 255
        picked = np.take_along_axis(probability, np.where(counted, labels[part], 0).astype(int)[:, None], axis=1)[:, 0]
        losses.append(float(-np.log(picked[counted]).mean()))
        mod.backward()
        mod.update()
    show("losses", losses)
    show("scores", probability[:, :, ::3, ::3])
    args, _ = mod.get_params()
    show("deconvolution", args["bigscore_weight"])
    show("shapes", [list(part) for part in symbol.infer_shape(data=(1, 3, 20, 17))])
