"""Shape rules of layers with unknown inputs."""

import itertools

import pytest
from op_cases import CASES

from minigluon.ops import REGISTRY
from minigluon.ops.shapes import merge

NEURAL = {"Activation", "LeakyReLU", "Convolution", "Deconvolution", "Pooling", "BatchNorm", "LayerNorm",
          "InstanceNorm", "GroupNorm", "L2Normalization", "LRN", "Dropout", "softmax", "log_softmax", "softmin",
          "SoftmaxActivation", "SoftmaxOutput", "LinearRegressionOutput", "LogisticRegressionOutput",
          "MAERegressionOutput", "SVMOutput", "softmax_cross_entropy", "CTCLoss", "UpSampling",
          "_contrib_BatchNormWithReLU"}

# Several shapes are right for their last input; the rule fills in another.
CHOSEN = {"LeakyReLU-6", "LeakyReLU-10-first_axes", "LeakyReLU-11-first_axes", "LinearRegressionOutput-1",
          "SoftmaxOutput-3-probabilities", "SoftmaxOutput-4"}


@pytest.mark.parametrize("case", [c for c in CASES if c.op in NEURAL and c.id not in CHOSEN], ids=lambda c: c.id)
def test_shape_rules_take_unknown_inputs_and_agree_with_the_known(case):
    """None for any input or dimension is allowed, and what is filled in is what it was."""
    cls = REGISTRY[case.op]
    op = cls(**{key: value for key, value in case.attrs.items() if key in cls.fields})
    shapes = [a.shape for a in case.inputs()]
    full = op.infer_shape(*shapes)
    masks = [[s if keep else None for s, keep in zip(shapes, kept, strict=True)]
             for kept in itertools.product([True, False], repeat=len(shapes))]
    masks += [[(*s[:i], None, *s[i + 1:]) if k == j else s for k, s in enumerate(shapes)]
              for j in range(len(shapes)) for i in range(len(shapes[j]))]
    for mask in masks:
        found = op.infer_shape(*mask)
        for part, whole in zip((*found[0], *found[1]), (*full[0], *full[1]), strict=True):
            assert merge(part, whole) == whole, (mask, found)
