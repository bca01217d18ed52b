"""Anchor boxes from scratch: made, compared, assigned to objects, turned into offsets, suppressed."""

from ._tools import draw


def run(mx, show):
    np, npx = mx.np, mx.npx

    def multibox_prior(data, sizes, ratios):
        in_height, in_width = data.shape[-2:]
        ctx, num_sizes, num_ratios = data.ctx, len(sizes), len(ratios)
        boxes_per_pixel = num_sizes + num_ratios - 1
        size_tensor, ratio_tensor = np.array(sizes, ctx=ctx), np.array(ratios, ctx=ctx)
        center_h = (np.arange(in_height, ctx=ctx) + 0.5) * (1.0 / in_height)
        center_w = (np.arange(in_width, ctx=ctx) + 0.5) * (1.0 / in_width)
        shift_x, shift_y = np.meshgrid(center_w, center_h)
        shift_x, shift_y = shift_x.reshape(-1), shift_y.reshape(-1)
        w = np.concatenate((size_tensor * np.sqrt(ratio_tensor[0]), sizes[0] * np.sqrt(ratio_tensor[1:]))) \
            * in_height / in_width
        h = np.concatenate((size_tensor / np.sqrt(ratio_tensor[0]), sizes[0] / np.sqrt(ratio_tensor[1:])))
        manip = np.tile(np.stack((-w, -h, w, h)).T, (in_height * in_width, 1)) / 2
        grid = np.stack([shift_x, shift_y, shift_x, shift_y], axis=1).repeat(boxes_per_pixel, axis=0)
        return np.expand_dims(grid + manip, axis=0)

    def box_iou(boxes1, boxes2):
        def area(boxes):
            return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
        upper = np.maximum(boxes1[:, None, :2], boxes2[:, :2])
        lower = np.minimum(boxes1[:, None, 2:], boxes2[:, 2:])
        inters = (lower - upper).clip(min=0)
        inter_areas = inters[:, :, 0] * inters[:, :, 1]
        return inter_areas / (area(boxes1)[:, None] + area(boxes2) - inter_areas)

    def assign(ground_truth, anchors, ctx, iou_threshold=0.5):
        num_anchors, num_gt_boxes = anchors.shape[0], ground_truth.shape[0]
        jaccard = box_iou(anchors, ground_truth)
        anchors_bbox_map = np.full((num_anchors,), -1, dtype=np.int32, ctx=ctx)
        max_ious, indices = np.max(jaccard, axis=1), np.argmax(jaccard, axis=1)
        anc_i = np.nonzero(max_ious >= iou_threshold)[0]
        box_j = indices[max_ious >= iou_threshold]
        anchors_bbox_map[anc_i] = box_j
        col_discard, row_discard = np.full((num_anchors,), -1), np.full((num_gt_boxes,), -1)
        for _ in range(num_gt_boxes):
            max_idx = np.argmax(jaccard)
            box_idx = (max_idx % num_gt_boxes).astype("int32")
            anc_idx = (max_idx / num_gt_boxes).astype("int32")
            anchors_bbox_map[anc_idx] = box_idx
            jaccard[:, box_idx] = col_discard
            jaccard[anc_idx, :] = row_discard
        return anchors_bbox_map

    def corner_to_center(boxes):
        x1, y1, x2, y2 = boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]
        return np.stack(((x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1), axis=-1)

    def center_to_corner(boxes):
        cx, cy, w, h = boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]
        return np.stack((cx - 0.5 * w, cy - 0.5 * h, cx + 0.5 * w, cy + 0.5 * h), axis=-1)

    def offset_boxes(anchors, assigned_bb, eps=1e-6):
        c_anc, c_assigned_bb = corner_to_center(anchors), corner_to_center(assigned_bb)
        offset_xy = 10 * (c_assigned_bb[:, :2] - c_anc[:, :2]) / c_anc[:, 2:]
        offset_wh = 5 * np.log(eps + c_assigned_bb[:, 2:] / c_anc[:, 2:])
        return np.concatenate([offset_xy, offset_wh], axis=1)

    def multibox_target(anchors, labels):
        batch_size, anchors = labels.shape[0], anchors.squeeze(0)
        batch_offset, batch_mask, batch_class_labels = [], [], []
        ctx, num_anchors = anchors.ctx, anchors.shape[0]
        for i in range(batch_size):
            label = labels[i, :, :]
            bbox_map = assign(label[:, 1:], anchors, ctx)
            bbox_mask = np.tile((np.expand_dims(bbox_map >= 0, axis=-1)), (1, 4)).astype("int32")
            class_labels = np.zeros(num_anchors, dtype=np.int32, ctx=ctx)
            assigned_bb = np.zeros((num_anchors, 4), dtype=np.float32, ctx=ctx)
            indices_true = np.nonzero(bbox_map >= 0)[0]
            bb_idx = bbox_map[indices_true]
            class_labels[indices_true] = label[bb_idx, 0].astype("int32") + 1
            assigned_bb[indices_true] = label[bb_idx, 1:]
            batch_offset.append((offset_boxes(anchors, assigned_bb) * bbox_mask).reshape(-1))
            batch_mask.append(bbox_mask.reshape(-1))
            batch_class_labels.append(class_labels)
        return np.stack(batch_offset), np.stack(batch_mask), np.stack(batch_class_labels)

    def nms(boxes, scores, iou_threshold):
        B, keep = scores.argsort()[::-1], []
        while B.size > 0:
            i = B[0]
            keep.append(i)
            if B.size == 1:
                break
            iou = box_iou(boxes[i, :].reshape(-1, 4), boxes[B[1:], :].reshape(-1, 4)).reshape(-1)
            inds = np.nonzero(iou <= iou_threshold)[0]
            B = B[inds + 1]
        return np.array(keep, dtype=np.int32, ctx=boxes.ctx)

    def detection(cls_probs, offset_preds, anchors, nms_threshold=0.5, pos_threshold=0.01):
        anchors, out = np.squeeze(anchors, axis=0), []
        for i in range(cls_probs.shape[0]):
            cls_prob, offset_pred = cls_probs[i], offset_preds[i].reshape(-1, 4)
            conf, class_id = np.max(cls_prob[1:], 0), np.argmax(cls_prob[1:], 0)
            center = corner_to_center(anchors)
            pred_bbox = np.concatenate(((offset_pred[:, :2] * center[:, 2:] / 10) + center[:, :2],
                                        np.exp(offset_pred[:, 2:] / 5) * center[:, 2:]), axis=1)
            predicted_bb = center_to_corner(pred_bbox)
            keep = nms(predicted_bb, conf, nms_threshold)
            all_idx = np.arange(anchors.shape[0], dtype=np.int32, ctx=anchors.ctx)
            uniques, counts = np.unique(np.concatenate((keep, all_idx)), return_counts=True)
            non_keep = uniques[counts == 1]
            all_id_sorted = np.concatenate((keep, non_keep))
            class_id[non_keep] = -1
            class_id = class_id[all_id_sorted].astype("float32")
            conf, predicted_bb = conf[all_id_sorted], predicted_bb[all_id_sorted]
            below = conf < pos_threshold
            class_id[below] = -1
            conf[below] = 1 - conf[below]
            out.append(np.concatenate((np.expand_dims(class_id, axis=1), np.expand_dims(conf, axis=1), predicted_bb),
                                      axis=1))
        return np.stack(out)

    X = np.array(draw(1, 1, 3, 6, 8))
    Y = multibox_prior(X, sizes=[0.75, 0.5, 0.25], ratios=[1, 2, 0.5])
    show("anchors", [Y.shape, Y.reshape(6, 8, 5, 4)[2, 2, 0, :], Y[0, :7]])
    show("operator", [npx.multibox_prior(X, sizes=[0.75, 0.5], ratios=[1, 2])[0, :4]])
    boxes = np.array([[0.1, 0.08, 0.52, 0.92], [0.08, 0.2, 0.56, 0.95], [0.15, 0.3, 0.62, 0.91],
                      [0.55, 0.2, 0.9, 0.88]])
    show("overlaps", [box_iou(boxes, boxes), center_to_corner(corner_to_center(boxes)) == boxes])
    truth = np.array([[0, 0.1, 0.08, 0.52, 0.92], [1, 0.55, 0.2, 0.9, 0.88]])
    anchors = np.array([[0, 0.1, 0.2, 0.3], [0.15, 0.2, 0.4, 0.4], [0.63, 0.05, 0.88, 0.98], [0.66, 0.45, 0.8, 0.8],
                        [0.57, 0.3, 0.92, 0.9]])
    show("targets", multibox_target(np.expand_dims(anchors, axis=0), np.expand_dims(truth, axis=0)))
    cls_probs = np.array([[0] * 4, [0.9, 0.8, 0.7, 0.1], [0.1, 0.2, 0.3, 0.9]])
    show("detected", detection(np.expand_dims(cls_probs, axis=0), np.expand_dims(np.zeros(boxes.size), axis=0),
                               np.expand_dims(boxes, axis=0)))
    npx.waitall()
