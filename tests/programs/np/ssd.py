"""A detector with anchors at three scales, with the operators of MultiBox, two losses, and predictions."""

from ._tools import draw, scaled, twice


def run(mx, show):
    np, npx, autograd, gluon, nn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn
    sizes, ratios, num_classes = [[0.2, 0.27], [0.37, 0.45], [0.8, 0.9]], [[1, 2, 0.5]] * 3, 1
    num_anchors = len(sizes[0]) + len(ratios[0]) - 1

    def flatten_pred(pred):
        return npx.batch_flatten(pred.transpose(0, 2, 3, 1))

    def concat_preds(preds):
        return np.concatenate([flatten_pred(p) for p in preds], axis=1)

    def down_sample_blk(num_channels):
        blk = nn.Sequential()
        blk.add(nn.Conv2D(num_channels, kernel_size=3, padding=1), nn.BatchNorm(in_channels=num_channels),
                nn.Activation("relu"), nn.MaxPool2D(2))
        return blk

    class TinySSD(nn.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            for i in range(3):
                setattr(self, f"blk_{i}", nn.GlobalMaxPool2D() if i == 2 else down_sample_blk(4 + 2 * i))
                setattr(self, f"cls_{i}", nn.Conv2D(num_anchors * (num_classes + 1), kernel_size=3, padding=1))
                setattr(self, f"bbox_{i}", nn.Conv2D(num_anchors * 4, kernel_size=3, padding=1))

        def forward(self, X):
            anchors, cls_preds, bbox_preds = [None] * 3, [None] * 3, [None] * 3
            for i in range(3):
                X = getattr(self, f"blk_{i}")(X)
                anchors[i] = npx.multibox_prior(X, sizes=sizes[i], ratios=ratios[i])
                cls_preds[i] = getattr(self, f"cls_{i}")(X)
                bbox_preds[i] = getattr(self, f"bbox_{i}")(X)
            anchors = np.concatenate(anchors, axis=1)
            cls_preds = concat_preds(cls_preds)
            cls_preds = cls_preds.reshape(cls_preds.shape[0], -1, num_classes + 1)
            return anchors, cls_preds, concat_preds(bbox_preds)

    show("joined", concat_preds([np.zeros((2, 8, 4, 4)), np.ones((2, 6, 2, 2))]).shape)
    cls_loss, bbox_loss = gluon.loss.SoftmaxCrossEntropyLoss(), gluon.loss.L1Loss()

    def calc_loss(cls_preds, cls_labels, bbox_preds, bbox_labels, bbox_masks):
        cls = cls_loss(cls_preds, cls_labels)
        bbox = bbox_loss(bbox_preds * bbox_masks, bbox_labels * bbox_masks)
        return cls + bbox

    def cls_eval(cls_preds, cls_labels):
        return float((cls_preds.argmax(axis=-1).astype(cls_labels.dtype) == cls_labels).sum())

    def bbox_eval(bbox_preds, bbox_labels, bbox_masks):
        return float((np.abs((bbox_labels - bbox_preds) * bbox_masks)).sum())

    X = np.array(draw(1, 4, 3, 16, 16, scale=0.5))
    labels = np.array([[[0, 0.1, 0.1, 0.5, 0.6]], [[0, 0.3, 0.2, 0.9, 0.8]], [[0, 0.5, 0.5, 0.9, 0.9]],
                       [[0, 0, 0.4, 0.4, 1]]])

    def make():
        net = TinySSD()
        net.initialize(scaled(mx))
        return net

    def use(net):
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "wd": 5e-4})
        losses, rates = [], []
        for _ in range(4):
            with autograd.record():
                anchors, cls_preds, bbox_preds = net(X)
                bbox_labels, bbox_masks, cls_labels = npx.multibox_target(anchors, labels, cls_preds.transpose(0, 2, 1))
                l = calc_loss(cls_preds, cls_labels, bbox_preds, bbox_labels, bbox_masks)
            l.backward()
            trainer.step(4)
            losses.append(float(l.mean()))
            rates.append([cls_eval(cls_preds, cls_labels) / cls_labels.size,
                          bbox_eval(bbox_preds, bbox_labels, bbox_masks)])
        anchors, cls_preds, bbox_preds = net(X[:1])
        cls_probs = npx.softmax(cls_preds).transpose(0, 2, 1)
        output = npx.multibox_detection(cls_probs, bbox_preds, anchors)
        idx = [i for i, row in enumerate(output[0]) if row[0] != -1]
        kept = output[0, idx]
        return [losses, rates, anchors.shape, cls_labels.sum(axis=1), len(idx), kept[:3]]

    twice(mx, show, "ssd", make, use)
    data = np.arange(-2, 2, 0.5)
    show("smooth", [npx.smooth_l1(data, scalar=s) for s in (10, 1, 0.5)])
    rois = np.array([[0, 0, 0, 20, 20], [0, 0, 10, 30, 30]])
    show("regions", npx.roi_pooling(np.arange(16).reshape(1, 1, 4, 4), rois, pooled_size=(2, 2), spatial_scale=0.1))
