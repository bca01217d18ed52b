"""Operators whose modules are imported when one of them is looked up."""

import subprocess
import sys

import pytest

from minigluon.ops import REGISTRY, Op, register
from minigluon.ops.on_demand import MODULES


def module_of(cls):
    return cls.__module__.removeprefix("minigluon.ops.")


def in_a_fresh_process(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("module", MODULES)
def test_the_table_has_the_names_of_each_module(module):
    """After adding an operator to one of these modules, add its names to the table in ops/on_demand.py."""
    own = {name for name, cls in REGISTRY.items() if f"{module_of(cls)}.".startswith(f"{module}.")}
    assert set(MODULES[module]) == own


@pytest.mark.once
@pytest.mark.parametrize(("program", "loaded"), [
    ("mx.nd.__all__, dir(mx.nd), dir(mx.sym.contrib), list(REGISTRY), len(REGISTRY), sorted(REGISTRY.keys())", set()),
    ("REGISTRY['khatri_rao']", {"linalg.khatri_rao"}),
    ("REGISTRY.get('CTCLoss')", {"nn.ctc"}),
    ("'Correlation' in REGISTRY", {"nn.correlation", "vision"}),         # `correlation` imports from `vision`
    ("mx.nd.contrib.box_iou", {"vision"}),
    ("mx.sym.ROIPooling", {"vision"}),
    ("mx.ops.quantized", {"quantized"}),
    ("REGISTRY.values()", set(MODULES)),
    ("REGISTRY.items()", set(MODULES)),
])
def test_a_look_up_imports_what_it_needs(program, loaded):
    shown = in_a_fresh_process(f"""
import sys, minigluon as mx
from minigluon.ops import REGISTRY
{program}
print(*[name.removeprefix("minigluon.ops.") for name in sys.modules if name.startswith("minigluon.ops.")])
""")
    assert set(MODULES) & set(shown) == loaded


@pytest.mark.once
def test_the_names_stay_the_same():
    before, after, count, copied = in_a_fresh_process("""
from minigluon.ops import REGISTRY
print(len(list(REGISTRY)))
names = set(REGISTRY)
print(len(names) if {name: REGISTRY[name] for name in REGISTRY}.keys() == set(REGISTRY) == names else "differ")
print(len(REGISTRY))
print(len({**REGISTRY}))
""")
    assert before == after == count == copied


def test_missing_names():
    with pytest.raises(KeyError, match="^'no_such_operator'$"):
        REGISTRY["no_such_operator"]
    assert REGISTRY.get("no_such_operator") is None
    assert "no_such_operator" not in REGISTRY


@pytest.mark.once
def test_a_name_of_a_module_that_is_not_imported_is_taken():
    shown = in_a_fresh_process("""
from minigluon.ops import Op, register
try:
    register("data")(type("ROIPooling", (Op,), {}))
except ValueError as error:
    print(str(error).replace(" ", "_"))
""")
    assert shown == ["operator_ROIPooling_is_registered_twice:_<class_'minigluon.ops.vision.roi.ROIPooling'>_and_"
                     "<class_'__main__.ROIPooling'>"]


@pytest.mark.once
def test_two_threads_look_up_at_once():
    """The second one waits until the module is complete."""
    shown = in_a_fresh_process("""
import sys, threading
sys.setswitchinterval(1e-6)
from minigluon.ops import REGISTRY
from minigluon.ops.on_demand import MODULES
found, barrier = [], threading.Barrier(4)
def look_up():
    barrier.wait()
    for names in MODULES.values():
        found.extend(REGISTRY[name].name for name in names)
threads = [threading.Thread(target=look_up) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(found) == 4 * sum(map(len, MODULES.values())))
""")
    assert shown == ["True"]


def test_an_operator_of_a_program():
    @register("data")
    class _test_on_demand(Op):
        pass
    try:
        assert REGISTRY["_test_on_demand"] is _test_on_demand
        assert "_test_on_demand" in REGISTRY
    finally:
        assert REGISTRY.pop("_test_on_demand") is _test_on_demand
    assert "_test_on_demand" not in REGISTRY
