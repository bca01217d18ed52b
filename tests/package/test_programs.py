"""Programs in the manner of the textbooks show what they showed in MXNet: every number and every printed form.

`record_mxnet_programs.py` made the file. Computation is in float32, and training carries rounding on: hence 1e-4.
"""

import json

import pytest
from programs import NAMES, differences, results
from records import DATA

import minigluon as mx

RECORDED = json.loads((DATA / "mxnet_programs.json").read_text())


def test_all_are_recorded():
    assert sorted(RECORDED) == NAMES, "run records.record_mxnet_programs, see tests/README.md"


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", NAMES)
def test_program(name):
    assert differences(results(name, mx), RECORDED[name]) == []
