"""Drawn calls of every function of `mx.np` against NumPy: shapes with zero lengths and scalars, types, arguments.

`python tests/scripts/numpy_draws.py --minutes 10` draws more.
"""

import pytest
from helpers.numpy_checks import check
from helpers.numpy_draws import DRAWS
from helpers.numpy_rows import NAMES
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from minigluon import npx

pytestmark = pytest.mark.once
# Results that are not determined, or that only few arguments have: numpy_rows.py has an example of each.
OTHERS = ["empty_like", "linalg.matrix_norm", "linalg.pinv", "linalg.qr", "linalg.svd", "linalg.svdvals",
          "linalg.tensorsolve"]


def test_all_functions_are_drawn():
    assert sorted([*DRAWS, *OTHERS]) == NAMES


@pytest.mark.parametrize("name", sorted(DRAWS))
def test_numpy_computes_the_same(name):
    @settings(max_examples=2, deadline=None, derandomize=True, database=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))
    @given(st.data())
    def draw(data):
        check(name, data.draw(st.composite(lambda draw: DRAWS[name](draw))()))

    npx.set_np()
    try:
        draw()
    finally:
        npx.reset_np()
