"""GluonCV's detectors train: SSD, YOLO, Faster and Mask R-CNN take steps on a drawn picture.

    python tests/libraries/gluoncv_steps.py --python /tmp/mxcv/bin/python --real --answers /tmp/answers
    python tests/libraries/gluoncv_steps.py --python /tmp/cv/bin/python --answers /tmp/answers

The first command writes what MXNet lost into a folder, the second compares. R-CNN draws the regions that it learns
from with the library's own random numbers: there the first loss of the region proposals is compared. Of YOLO, too, only
the first loss: a change of 1e-6 in the picture changes the gradients by some percent, in either library.
"""

import sys

import numpy as np
from both import compare_or_write, old_numpy_names, processor_time, set_parameters
from gluoncv_zoo import is_head
from runner import main

BOXES = np.array([[[10, 12, 60, 50], [40, 30, 100, 90]]], "float32")
CLASSES = np.array([[[1], [0]]], "float32")


def made(name, size=128, **arguments):
    """The network with set parameters, and a picture."""
    import gluoncv
    import mxnet as mx
    net = gluoncv.model_zoo.get_model(name, pretrained=False, pretrained_base=False, **arguments)
    x = mx.nd.array(np.random.RandomState(0).uniform(-1, 1, (1, 3, size, size)).astype("float32"))
    net.initialize()
    if hasattr(net, "rpn"):                 # fewer regions, 32, than are worth their time here
        net.rpn._test_post_nms = net._rpn_test_post_nms = net._rcnn_max_dets = 32
    net(x)                                  # shapes
    set_parameters(mx, net, is_head)
    return net, x


def trainer_of(net):
    import mxnet as mx
    return mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1e-5, "momentum": 0.9, "wd": 5e-4})


def ssd():
    import gluoncv
    import mxnet as mx
    from gluoncv.model_zoo.ssd.target import SSDTargetGenerator
    net, x = made("ssd_300_mobilenet0.25_voc")
    net.hybridize()
    with mx.autograd.train_mode():
        _, _, anchors = net(x)
    generate = SSDTargetGenerator(negative_mining_ratio=-1)
    targets = generate(anchors, None, mx.nd.array(BOXES), mx.nd.array(CLASSES))
    lose, trainer = gluoncv.loss.SSDMultiBoxLoss(), trainer_of(net)

    def train():
        with mx.autograd.record():
            classes, boxes, _ = net(x)
            total, _, _ = lose(classes, boxes, targets[0], targets[1])
        mx.autograd.backward(total)
        trainer.step(1)
        return float(total[0].asscalar())

    return [train() for _ in range(3)], processor_time(train, 5)


def yolo():
    import mxnet as mx
    from gluoncv.model_zoo.yolo.yolo_target import YOLOV3PrefetchTargetGenerator
    net, x = made("yolo3_mobilenet0.25_voc")
    with mx.autograd.train_mode():
        _, anchors, offsets, maps, _, _, _, _ = net(x)
    generate = YOLOV3PrefetchTargetGenerator(num_class=len(net.classes))
    boxes = mx.nd.array(BOXES)
    targets = generate(x, maps, anchors, offsets, boxes, mx.nd.array(CLASSES), None)
    net.hybridize()
    trainer = trainer_of(net)

    def train():
        with mx.autograd.record():
            losses = net(x, boxes, *targets[:5])
            total = sum(part.sum() for part in losses)
        total.backward()
        trainer.step(1)
        return float(total.asscalar())

    found = [train() for _ in range(3)]
    if not found[0] > found[1] > found[2]:
        raise AssertionError(f"losses {found}")
    return found[:1], processor_time(train, 5)


def as_numpy(array):
    """Targets come as either kind of array."""
    return array if isinstance(array, np.ndarray) else array.asnumpy()


def rcnn(name, size, masks=False):
    """The losses of the first step's region proposals. More steps are made, and must stay finite."""
    import mxnet as mx
    from gluoncv.data.transforms.presets.rcnn import FasterRCNNDefaultTrainTransform
    from gluoncv.model_zoo.rcnn.mask_rcnn.rcnn_target import MaskTargetGenerator
    net, x = made(name, size, per_device_batch_size=1)
    rpn_classes, rpn_boxes = mx.gluon.loss.SigmoidBinaryCrossEntropyLoss(), mx.gluon.loss.HuberLoss(rho=1 / 9)
    rcnn_classes, rcnn_boxes = mx.gluon.loss.SoftmaxCrossEntropyLoss(), mx.gluon.loss.HuberLoss(rho=1)
    picture = mx.nd.array(np.random.RandomState(0).randint(0, 255, (size, size, 3)), dtype="uint8")
    np.random.seed(0)
    prepare = FasterRCNNDefaultTrainTransform(size, size, net, ashape=64, multi_stage="fpn" in name, flip_p=0)
    x, _, *targets = prepare(picture, np.concatenate([BOXES[0], CLASSES[0]], axis=1))
    x, boxes = x.expand_dims(0), mx.nd.array(BOXES)
    score_targets, box_targets, box_weights = [
        mx.nd.array(np.concatenate([as_numpy(level).reshape((-1, size)) for level in levels])[None])
        for levels, size in zip(targets, (1, 4, 4), strict=True)]
    shapes = np.zeros((1, 2, size, size))
    for shape, (x0, y0, x1, y1) in zip(shapes[0], BOXES[0].astype(int), strict=True):
        shape[y0:y1, x0:x1] = 1
    trainer = trainer_of(net)

    def train():
        with mx.autograd.record():
            outputs = net(x, boxes, mx.nd.array(CLASSES))
            if masks:
                (classes, shifts, mask, regions, _, matches, rpn_score, rpn_box, _, class_targets, shift_targets,
                 shift_weights, indices) = outputs
            else:
                (classes, shifts, _, _, _, rpn_score, rpn_box, _, class_targets, shift_targets, shift_weights,
                 _) = outputs
            mine = [rpn_classes(rpn_score, score_targets, score_targets >= 0).mean(),
                    rpn_boxes(rpn_box, box_targets, box_weights).mean()]
            total = sum(mine) + rcnn_classes(classes, class_targets, (class_targets >= 0).expand_dims(-1)).mean() \
                + rcnn_boxes(shifts, shift_targets, shift_weights).mean()
            if masks:
                generate = MaskTargetGenerator(
                    1, mask.shape[1], net.num_class, mask.shape[-2:])
                chosen = [mx.nd.take(part[0], indices[0]).expand_dims(0) for part in (regions, matches, class_targets)]
                mask_targets, mask_weights = generate(chosen[0], mx.nd.array(shapes), chosen[1], chosen[2])
                total = total + rpn_classes(mask, mask_targets, mask_weights).mean()
        total.backward()
        trainer.step(1)
        if not np.isfinite(total.asnumpy()).all():
            raise AssertionError(f"loss {total.asnumpy()}")
        return [float(part.asscalar()) for part in mine]

    return train(), processor_time(train, 3)


def faster():
    return rcnn("faster_rcnn_resnet50_v1b_voc", 256)          # 2000 regions or more


def mask():
    return rcnn("mask_rcnn_fpn_resnet18_v1b_coco", 128, masks=True)


def cases(args):
    old_numpy_names()
    def compared(case):
        return compare_or_write(args.answers, f"train_{case.__name__}", *case(), tolerance=1e-3)

    return {case.__name__: lambda case=case: compared(case) for case in (ssd, yolo, faster, mask)}


if __name__ == "__main__":
    sys.exit(main(__file__, cases, lambda parser: parser.add_argument("--answers", required=True, metavar="FOLDER")))
