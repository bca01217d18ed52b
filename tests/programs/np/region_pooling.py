"""Regions of a picture: pooling by hand and as an operator, boxes as corners and centres, overlap, and labels."""

from ._tools import draw


def run(mx, show):
    np, npx, autograd = mx.np, mx.npx, mx.autograd
    X = np.arange(16).reshape(1, 1, 4, 4)
    rois = np.array([[0, 0, 0, 20, 20], [0, 0, 10, 30, 30]])
    show("pooled", npx.roi_pooling(X, rois, pooled_size=(2, 2), spatial_scale=0.1))

    def corner_to_center(boxes):
        x1, y1, x2, y2 = boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]
        return np.stack(((x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1), axis=-1)

    def center_to_corner(boxes):
        cx, cy, w, h = boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]
        return np.stack((cx - 0.5 * w, cy - 0.5 * h, cx + 0.5 * w, cy + 0.5 * h), axis=-1)

    boxes = np.array([[60.0, 45, 378, 516], [400, 112, 655, 493]])
    show("boxes", [corner_to_center(boxes), center_to_corner(corner_to_center(boxes)) == boxes])

    def iou(a, b):
        lower, upper = np.maximum(a[:, None, :2], b[:, :2]), np.minimum(a[:, None, 2:], b[:, 2:])
        sides = np.clip(upper - lower, 0, None)
        inter = sides[:, :, 0] * sides[:, :, 1]
        areas = [(c[:, 2] - c[:, 0]) * (c[:, 3] - c[:, 1]) for c in (a, b)]
        return inter / (areas[0][:, None] + areas[1] - inter)

    anchors = np.array([[0, 0.1, 0.2, 0.3], [0.15, 0.2, 0.4, 0.4], [0.63, 0.05, 0.88, 0.98], [0.66, 0.45, 0.8, 0.8],
                        [0.57, 0.3, 0.92, 0.9]])
    truth = np.array([[0, 0.1, 0.08, 0.52, 0.92], [1, 0.55, 0.2, 0.9, 0.88]])
    overlap = iou(anchors, truth[:, 1:])
    show("overlap", [overlap, overlap.max(axis=1), overlap.argmax(axis=1), overlap.max()])
    assigned = np.full((5,), -1)
    best = overlap.argmax(axis=1)
    above = np.nonzero(overlap.max(axis=1) >= 0.5)[0]
    assigned[above] = best[above]
    show("assigned", [above, assigned])
    labels = npx.multibox_target(np.expand_dims(anchors, 0), np.expand_dims(truth, 0), np.zeros((1, 3, 5)))
    show("targets", list(labels))
    offsets = np.array([0] * 20).reshape(1, 20)
    probs = np.array([[[0] * 5, [0.9, 0.8, 0.7, 0.1, 0.2], [0.1, 0.2, 0.3, 0.9, 0.7]]])
    output = npx.multibox_detection(probs, offsets, np.expand_dims(anchors, 0), nms_threshold=0.5)
    show("detections", output)
    kept = [row for row in output[0] if row[0] >= 0]
    show("kept", [len(kept), kept[0][2:] * np.array((728, 561, 728, 561))])
    feature = np.array(draw(2, 1, 2, 6, 6))
    feature.attach_grad()
    with autograd.record():
        pooled = npx.roi_pooling(feature, np.array([[0, 0, 0, 3, 5], [0, 2, 1, 5, 4]]), (2, 3), 1.0)
        total = (pooled * pooled).sum()
    total.backward()
    show("gradient", [pooled, feature.grad])
