"""Programs in the manner of the textbooks show what they showed in MXNet: every number and every printed form.

`record_mxnet_programs.py` made the file. Computation is in float32, and training carries rounding on: hence 1e-4.
"""

import json
import math

import pytest
from programs import NAMES, results
from records import DATA

import minigluon as mx

RECORDED = json.loads((DATA / "mxnet_programs.json").read_text())


def differences(found, expected, path=""):
    """Where two results differ: [(path, found, expected)]."""
    if isinstance(expected, dict) and isinstance(found, dict) and expected.keys() == found.keys():
        return [d for key in expected for d in differences(found[key], expected[key], f"{path}/{key}")]
    if isinstance(expected, list) and isinstance(found, list) and len(found) == len(expected):
        pairs = enumerate(zip(found, expected, strict=True))
        return [d for i, (a, b) in pairs for d in differences(a, b, f"{path}[{i}]")]
    if type(found) is type(expected) is float:
        same = math.isclose(found, expected, rel_tol=1e-4, abs_tol=1e-5) or math.isnan(found) and math.isnan(expected)
    elif type(expected) is int:                     # x.size is an int that also tells what x.size(0) should be
        same = isinstance(found, int) and not isinstance(found, bool) and found == expected
    else:
        same = type(found) is type(expected) and found == expected
    return [] if same else [(path, found, expected)]


def test_all_are_recorded():
    assert sorted(RECORDED) == NAMES, "run records.record_mxnet_programs, see tests/README.md"


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", NAMES)
def test_program(name):
    assert differences(results(name, mx), RECORDED[name]) == []
