"""NumPy's kernels stand where the operators stand."""

from minigluon.backend.numpy import prepared_operators
from minigluon.ops import REGISTRY


def test_kernels_stand_in_the_modules_of_their_operators_families():
    """minigluon.ops.nn.matrix -> minigluon.backend.numpy.nn.matrix"""
    prepared = prepared_operators()
    family = {name: REGISTRY[name].__module__.removeprefix("minigluon.ops.") for name in prepared}
    place = {name: function.__module__.removeprefix("minigluon.backend.numpy.") for name, function in prepared.items()}
    # Two that share another family's kernel: a first version its successor's, a step of AdaGrad that of all steps.
    assert place == {**family, "BatchNorm_v1": "nn.batch_norm", "_sparse_adagrad_update": "optimizer.update"}
    assert len(prepared) > 200
