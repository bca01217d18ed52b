"""The driver finds, shrinks and continues; and each front holds on its first seeds."""

import importlib.util
import json
import re

import pytest
from scripts import fuzz

from campaign import FRONTS, combinations, files
from campaign.driver import Campaign

TOY = "helpers.toy_front"


def test_trouble_is_found_and_made_small(tmp_path, capsys):
    campaign = Campaign(TOY, tmp_path)
    held, findings = campaign.run(count=18)
    assert held == 14
    assert [(finding["seed"], finding["small"]["numbers"]) for finding in findings] == [
        (13, [13]), (14, [14]), (15, [15]), (16, [16])]
    texts = [finding["finding"] for finding in findings]
    assert texts[:3] == ["13 is not what was promised", "ValueError: 14", "the process ended with 7: fifteen"]
    assert re.fullmatch(r"took 0\.\d\d s, and may take 0\.05 s", texts[3])
    assert capsys.readouterr().out.splitlines() == [f"seed {seed}: {text}" for seed, text in zip(range(13, 17), texts)]
    assert campaign.again({"seed": 1, "numbers": [13]}) == texts[0]
    assert campaign.again({"seed": 1, "numbers": [1]}) is None


def test_a_campaign_goes_on_where_the_last_one_stopped(tmp_path):
    Campaign(TOY, tmp_path).run(count=5)
    second = Campaign(TOY, tmp_path, jobs=2)
    assert (second.next, second.held) == (5, 5)
    assert second.run(count=9)[0] == 8
    kept = json.loads((tmp_path / "toy_front.json").read_text())
    assert (kept["next"], kept["held"], [finding["seed"] for finding in kept["findings"]]) == (14, 13, [13])


def test_a_campaign_ends_with_its_minutes(tmp_path):
    campaign = Campaign(TOY, tmp_path)
    assert campaign.run(minutes=0) == (0, [])
    assert campaign.next == 0


@pytest.mark.once
@pytest.mark.filterwarnings("ignore:learning_rate 0.001 replaces")
def test_the_fuzzer_knows_readers_and_modules_that_exist(tmp_path):
    assert set(fuzz.READERS) == {*files.BASES, "onnx", "states"}
    assert [name for name in fuzz.WATCHED if importlib.util.find_spec(name) is None] == []
    for reader in fuzz.READERS:
        (tmp_path / reader).mkdir()
        fuzz.begin_with(reader, tmp_path / reader)
        assert fuzz.judge_of(reader)((tmp_path / reader / "base-1").read_bytes()) is None


@pytest.mark.once
@pytest.mark.parametrize("seed", [380, 4479])
def test_rounding_and_zeros_that_a_product_skips_are_no_difference(seed):
    """A float16 program whose weights are all zeros, and a sum with zero times infinity, which np.dot leaves out."""
    assert combinations.run(combinations.case(seed)) is None


@pytest.mark.once
@pytest.mark.parametrize("front", FRONTS)
def test_a_front_holds_on_its_first_seeds(front, tmp_path):
    module = importlib.import_module(f"campaign.{front}")
    if reason := getattr(module, "missing", lambda: None)():
        pytest.skip(reason)
    campaign = Campaign(f"campaign.{front}", tmp_path)
    held, findings = campaign.run(count=module.IN_CI)
    assert findings == []
    assert held > 0
