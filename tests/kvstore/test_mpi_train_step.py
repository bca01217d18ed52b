"""gluon.TrainStep in several processes: a plan that sends gradients while it computes others."""

import pytest
from helpers import ROOT
from helpers.mpi import run

PROGRAM = ROOT / "tests" / "kvstore" / "mpi_train_step.py"

pytestmark = pytest.mark.once


@pytest.mark.parametrize("ranks", [None, 2, 4])
def test_the_weights_of_one_process(ranks):
    """Gradients are sent while the plan runs from the third step on; a net with a single bucket sends it at the end."""
    result = run(ranks, PROGRAM)
    assert result.returncode == 0, result.stdout + result.stderr
    counts = {"mlp sgd": 2, "cnn adam": 1, "lstm sgd": 1, "mlp adagrad": 2, "mlp float16": 2}
    assert result.stdout.splitlines() == [
        f"{name} 0 0 " + " ".join(4 * [str(count if ranks else 0)]) for name, count in counts.items()]
