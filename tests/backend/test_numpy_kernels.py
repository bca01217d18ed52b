"""NumPy's kernels stand where the operators stand."""

from minigluon.backend.numpy import prepared_operators
from minigluon.ops import REGISTRY
from minigluon.ops.optimizer.update import Update


def test_kernels_stand_in_the_modules_of_their_operators_families():
    """minigluon.ops.nn.matrix -> minigluon.backend.numpy.nn.matrix"""
    prepared = prepared_operators()
    family = {name: REGISTRY[name].__module__.removeprefix("minigluon.ops.") for name in prepared}
    place = {name: function.__module__.removeprefix("minigluon.backend.numpy.") for name, function in prepared.items()}
    # Those that share another family's kernel: a first version its successor's, and all steps of one weight theirs.
    steps = {name: "optimizer.update" for name in prepared if issubclass(REGISTRY[name], Update)}
    assert place == {**family, **steps, "BatchNorm_v1": "nn.batch_norm"}
    assert len(prepared) > 200
