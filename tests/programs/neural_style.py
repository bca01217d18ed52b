"""Style transfer with executors: an image as the argument whose gradient is asked for, Gram matrices as symbols."""

import numpy as np

from ._tools import draw


def features(mx):
    """Outputs for style and for content of a small network in the manner of VGG."""
    data = mx.sym.Variable("data")
    conv1_1 = mx.symbol.Convolution(name="conv1_1", data=data, num_filter=4, pad=(1, 1), kernel=(3, 3), stride=(1, 1),
                                    no_bias=False, workspace=1024)
    relu1_1 = mx.symbol.Activation(name="relu1_1", data=conv1_1, act_type="relu")
    pool1 = mx.symbol.Pooling(name="pool1", data=relu1_1, pad=(0, 0), kernel=(2, 2), stride=(2, 2), pool_type="avg")
    conv2_1 = mx.symbol.Convolution(name="conv2_1", data=pool1, num_filter=6, pad=(1, 1), kernel=(3, 3), stride=(1, 1),
                                    no_bias=False, workspace=1024)
    relu2_1 = mx.symbol.Activation(name="relu2_1", data=conv2_1, act_type="relu")
    return mx.sym.Group([relu1_1, relu2_1]), mx.sym.Group([relu2_1])


def gram_matrices(mx, input_size, style):
    _, output_shapes, _ = style.infer_shape(data=(1, 3, input_size[0], input_size[1]))
    grams, scales = [], []
    for i in range(len(style.list_outputs())):
        shape = output_shapes[i]
        x = mx.sym.Reshape(style[i], target_shape=(int(shape[1]), int(np.prod(shape[2:]))))
        grams.append(mx.sym.FullyConnected(x, x, no_bias=True, num_hidden=shape[1]))
        scales.append(np.prod(shape[1:]) * shape[1])
    return mx.sym.Group(grams), scales


def distances(mx, gram, content):
    style_losses = []
    for i in range(len(gram.list_outputs())):
        target = mx.sym.Variable("target_gram_%d" % i)
        style_losses.append(mx.sym.sum(mx.sym.square(target - gram[i])))
    wanted = mx.sym.Variable("target_content")
    content_loss = mx.sym.sum(mx.sym.square(wanted - content))
    return mx.sym.Group(style_losses), content_loss


def roughness(mx, img, ctx, tv_weight):
    """The gradient of total variation: each channel less its four neighbours."""
    depth = img.shape[1]
    picture = mx.sym.Variable("img")
    weight = mx.sym.Variable("kernel")
    channels = mx.sym.SliceChannel(picture, num_outputs=depth)
    out = mx.sym.Concat(*[mx.sym.Convolution(data=channels[i], weight=weight, num_filter=1, kernel=(3, 3), pad=(1, 1),
                                             no_bias=True, stride=(1, 1)) for i in range(depth)])
    kernel = mx.nd.array(np.array([[0, -1, 0], [-1, 4, -1], [0, -1, 0]]).reshape((1, 1, 3, 3)), ctx) / 8.0
    out = out * tv_weight
    return out.bind(ctx, args={"img": img, "kernel": kernel})


def run(mx, show):
    ctx, size = mx.cpu(), (8, 8)
    style, content = features(mx)
    gram, gscale = gram_matrices(mx, size, style)
    model = mx.sym.Group([*[gram[i] for i in range(2)], content])
    arg_shapes, output_shapes, _ = model.infer_shape(data=(1, 3) + size)
    names = model.list_arguments()
    arrays = dict(zip(names, [mx.nd.zeros(shape, ctx=ctx) for shape in arg_shapes]))
    for number, name in enumerate(names[1:]):
        arrays[name][:] = draw(number, *arrays[name].shape, scale=0.3)
    image = lambda seed: mx.nd.array(draw(seed, 1, 3, *size, scale=0.5))

    executor = model.bind(ctx=ctx, args=arrays, grad_req="null")
    arrays["data"][:] = image(20)
    executor.forward()
    style_array = [out.copyto(mx.cpu()) for out in executor.outputs[:2]]
    arrays["data"][:] = image(21)
    executor.forward()
    content_array = executor.outputs[2].copyto(mx.cpu())
    show("targets", [*style_array, content_array])

    style_loss, content_loss = distances(mx, gram, content)
    total = mx.sym.Group([style_loss, content_loss])
    args = dict(arrays, target_gram_0=style_array[0], target_gram_1=style_array[1], target_content=content_array)
    grad = mx.nd.empty(args["data"].shape, ctx)
    training = total.bind(ctx=ctx, args=args, args_grad={"data": grad}, grad_req={
        name: "write" if name == "data" else "null" for name in total.list_arguments()})
    grad_array = [mx.nd.ones((1,), ctx) * (1.0 / scale) for scale in gscale] + [mx.nd.ones((1,), ctx) * 0.05]
    img = image(22)
    lr = mx.lr_scheduler.FactorScheduler(step=8, factor=0.9)
    optimizer = mx.optimizer.SGD(learning_rate=0.5, wd=0.0, momentum=0.9, lr_scheduler=lr)
    optim_state = optimizer.create_state(0, img)
    tv = roughness(mx, img, ctx, 0.01)
    losses = []
    for _ in range(20):
        training.arg_dict["data"][:] = img
        training.forward(is_train=True)
        training.backward(grad_array)
        losses.append([float(out.asnumpy().sum()) for out in training.outputs])
        gnorm = mx.nd.norm(grad).asscalar()
        if gnorm > 1.0:
            grad[:] *= 1.0 / gnorm
        tv.forward()
        optimizer.update(0, img, grad + tv.outputs[0], optim_state)
    show("losses", losses)
    show("image", img)
