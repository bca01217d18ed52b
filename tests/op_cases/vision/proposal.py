"""Rows of the operators in `minigluon/ops/vision/proposal.py`."""

import numpy as np

from ..case import case, distinct, fixed, plain, u


def network(images, anchors):
    """Scores, offsets and sizes of images, as a network for proposals gives them on a map of 3 x 4."""
    sizes = fixed(np.tile([48.0, 60.0, 1.0], (images, 1)), floating=False)
    return (plain(distinct(images, 2 * anchors, 3, 4, low=0, high=1)),
            plain(u(images, 4 * anchors, 3, 4, low=-0.3, high=0.3)), sizes)


_how = {"rpn_pre_nms_top_n": 30, "rpn_post_nms_top_n": 8, "rpn_min_size": 4, "dtype": "float32"}
case("_contrib_Proposal", *network(1, 4), scales=(1.0, 2.0), ratios=(0.5, 1.0), output_score=True, **_how)
case("_contrib_Proposal", *network(1, 1), scales=(1.5,), ratios=(2.0,), iou_loss=True, threshold=0.3, **_how)
case("_contrib_MultiProposal", *network(2, 6), scales=(0.5, 1.0), threshold=0.4, output_score=True, **_how)
case("_contrib_MultiProposal", *network(2, 2), scales=(1.0, 2.0), ratios=(1.0,), threshold=0.1, **_how)
