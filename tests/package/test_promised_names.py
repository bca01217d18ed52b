"""Names that 1.0 promises are here, and calls that were possible then still are: see docs/versions.md.

A name that is missing was removed, or lost a parameter or its place in the order: that is for a major version.
`python tests/records/record_promised_names.py` adds the names of a new minor version.
"""

import pytest
from records.record_promised_names import names_here, recorded

import minigluon

pytestmark = pytest.mark.once


def broken(promised, here):
    """What a call from then would miss now."""
    for name, then in promised.items():
        if name not in here:
            yield f"{name} is gone"
        elif then is not None and here[name] is not None:
            (positional, named), (now, now_named) = then, here[name]
            if now[:len(positional)] != positional:
                yield f"{name}({', '.join(now)}): expected ({', '.join(positional)}) first"
            if lost := sorted(set(named) - {*now, *now_named}):
                yield f"{name} has no parameter {', '.join(lost)}"


def test_promised_names_and_their_parameters():
    assert minigluon.__version__.startswith("1."), "a new major version records its own names"
    assert list(broken(recorded(), names_here())) == []


def test_what_breaks_a_promise():
    promised = {"f": (["a", "b"], ["c"]), "g": ([], []), "h": None}
    assert list(broken(promised, {"f": (["a", "b", "d"], ["c"]), "g": (["x"], []), "h": None, "new": None})) == []
    assert list(broken(promised, {"f": (["b", "a"], []), "h": ([], [])})) == [
        "f(b, a): expected (a, b) first", "f has no parameter c", "g is gone"]


def test_the_record_is_not_empty():
    names = recorded()
    assert len(names) > 2000
    assert names["nd.Activation"][0][:1] == ["data"]
    assert "act_type" in names["nd.Activation"][1]
    assert names["gluon.Trainer"][0][:3] == ["params", "optimizer", "optimizer_params"]
