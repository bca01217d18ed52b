"""A residual network of symbols, trained by Module.fit: schedule, decay for weights alone, callbacks, checkpoints."""

import os
import tempfile

from ._tools import fixed, shapes_data


def unit(mx, data, channels, stride, same, name):
    """A residual unit with the activation before the convolution."""
    bn1 = mx.sym.BatchNorm(data=data, fix_gamma=False, momentum=0.9, eps=2e-5, name=name + "_bn1")
    act1 = mx.sym.Activation(data=bn1, act_type="relu", name=name + "_relu1")
    conv1 = mx.sym.Convolution(data=act1, num_filter=channels, kernel=(3, 3), stride=stride, pad=(1, 1), no_bias=True,
                               workspace=256, name=name + "_conv1")
    bn2 = mx.sym.BatchNorm(data=conv1, fix_gamma=False, momentum=0.9, eps=2e-5, name=name + "_bn2")
    act2 = mx.sym.Activation(data=bn2, act_type="relu", name=name + "_relu2")
    conv2 = mx.sym.Convolution(data=act2, num_filter=channels, kernel=(3, 3), stride=(1, 1), pad=(1, 1), no_bias=True,
                               workspace=256, name=name + "_conv2")
    shortcut = data if same else mx.sym.Convolution(data=act1, num_filter=channels, kernel=(1, 1), stride=stride,
                                                    no_bias=True, workspace=256, name=name + "_sc")
    return conv2 + shortcut


def resnet(mx):
    data = mx.sym.Variable(name="data")
    body = mx.sym.Convolution(data=data, num_filter=4, kernel=(3, 3), pad=(1, 1), no_bias=True, name="conv0")
    for stage, channels in enumerate((4, 6)):
        body = unit(mx, body, channels, (stage + 1,) * 2, stage == 0, "stage%d_unit1" % (stage + 1))
        body = unit(mx, body, channels, (1, 1), True, "stage%d_unit2" % (stage + 1))
    relu = mx.sym.Activation(data=body, act_type="relu", name="relu1")
    pool = mx.sym.Pooling(data=relu, global_pool=True, kernel=(7, 7), pool_type="avg", name="pool1")
    fc1 = mx.sym.FullyConnected(data=mx.sym.Flatten(data=pool), num_hidden=2, name="fc1")
    return mx.sym.SoftmaxOutput(data=fc1, name="softmax")


def run(mx, show):
    images, labels = shapes_data(mx)
    train = mx.io.NDArrayIter(images, labels, 8, label_name="softmax_label")
    metric, losses = mx.metric.CompositeEvalMetric([mx.metric.Accuracy(), mx.metric.CrossEntropy()]), []

    def note(param):
        losses.append(dict(param.eval_metric.get_name_value())["cross-entropy"])
        param.eval_metric.reset()
        mx.nd.waitall()             # BatchNorm's statistics: at the end of an epoch fit reads what is there

    mod = mx.mod.Module(symbol=resnet(mx), context=mx.cpu(), data_names=["data"], label_names=["softmax_label"])
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "resnet")
        mod.fit(train, eval_metric=metric, optimizer="sgd", num_epoch=5, initializer=fixed(mx), kvstore="device",
                optimizer_params={"learning_rate": 0.1, "momentum": 0.9, "wd": 0.0001, "multi_precision": True,
                                  "lr_scheduler": mx.lr_scheduler.MultiFactorScheduler(step=[8, 15], factor=0.1)},
                batch_end_callback=note, epoch_end_callback=mx.callback.do_checkpoint(prefix, period=5),
                allow_missing=True)
        symbol, args, aux = mx.model.load_checkpoint(prefix, 5)
        show("files", sorted(os.listdir(folder)))
    show("losses", losses)
    again = mx.mod.Module(symbol=symbol, context=mx.cpu())
    again.bind(for_training=False, data_shapes=train.provide_data, label_shapes=train.provide_label)
    again.set_params(args, aux)
    show("scores", [again.predict(train), again.score(train, ["acc", mx.metric.TopKAccuracy(top_k=2)])])

    internals = symbol.get_internals()                          # as in fine-tuning: another end for the features
    features = mx.mod.Module(symbol=internals["flatten0_output"], label_names=None, context=mx.cpu())
    features.bind(for_training=False, data_shapes=[("data", (4, 1, 8, 8))])
    features.set_params(args, aux, allow_extra=True)
    features.forward(mx.io.DataBatch([images[:4]]))
    show("features", features.get_outputs()[0])
