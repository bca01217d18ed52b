"""A sample of `tests/scripts/options.py`: edge values of options give a result or a refusal in words."""

import random
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "scripts"))
import options

import minigluon as mx

# As in MXNet: what such rates lead to is found in a later step.
ARITHMETIC = {"adam", "adamax", "nadam", "ftml", "lamb", "lbsgd"}


@pytest.mark.parametrize("seed", range(2))
def test_a_sample_of_edge_values(tmp_path, monkeypatch, seed):
    monkeypatch.chdir(tmp_path)
    options.write_files(tmp_path)
    cases = [case for case in options.all_cases() if case["kind"] != "layer" and "**" not in case["value"]]
    found = {f"{case['target']}({case['keyword']}={case['value']})": options.outcome_of(mx, case)
             for case in random.Random(seed).sample(cases, 60)}
    bare = {call: text for call, (kind, text) in found.items() if kind == "bare"
            and not (call.partition("(")[0] in ARITHMETIC and text.startswith(("ValueError: math", "ZeroDivision")))}
    assert bare == {}
    assert {kind for kind, _ in found.values()} >= {"result", "refused"}
