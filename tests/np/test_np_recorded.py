"""Programs that use `mx.np` show what they showed in MXNet 1.9.1: every number, kind of array and printed form.

`records.record_mxnet_programs` made the file. Training in float32 carries rounding on, which Adam enlarges: hence 1e-3.
"""

import gzip
import json

import pytest
from programs import NP_NAMES, differences, results
from records import DATA

import minigluon as mx

pytestmark = pytest.mark.once
RECORDED = json.loads(gzip.decompress((DATA / "mxnet_np_programs.json.gz").read_bytes()))


def test_all_are_recorded():
    assert sorted(RECORDED) == NP_NAMES, "run records.record_mxnet_programs, see tests/README.md"


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", NP_NAMES)
def test_program(name):
    assert differences(results(name, mx), RECORDED[name], rel_tol=1e-3, abs_tol=1e-4) == []
