"""Every operator that has a kernel, against the reference: the rows of the table, drawn shapes, NaN and infinities."""

import math
import pathlib

import numpy as np
import pytest
from helpers import TESTS, WIDE
from helpers.row_draws import drawn, resize
from helpers.rows import operators_of, run, surrounded

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import BACKEND, Twin, configured
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from minigluon_accel.kernels import OWN_OPERATORS, prepared_operators
from op_cases import CASES

import minigluon as mx
from minigluon import autograd, dispatch, nd
from minigluon import symbol as sym
from minigluon.backend import use_backend
from minigluon.backend.forgetting import forget_kernels
from minigluon.base import MXNetError
from minigluon.hybrid import CachedOp
from minigluon.hybrid.fused_chain import FusedChain
from minigluon.ops import REGISTRY
from minigluon.tools.bench.nets import PROGRAMS, QUICK
from minigluon.tools.bench.workers.programs_gluon import makers

PREPARED = sorted(prepared_operators())
by_case = pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
DTYPES = ["float32", "float64"]


def check_all(calls):
    """Check each call once that has a kernel; returns the names of these operators."""
    seen, names = set(), set()
    for op, arrays, train in calls:
        key = op, train, tuple([(a.shape, a.dtype) for a in arrays])
        if key not in seen and op.name in PREPARED:
            seen.add(key)
            if Twin(op, arrays, train).check():
                names.add(op.name)
    return names


def test_kernels_are_for_operators_that_exist():
    known = {cls.name for cls in REGISTRY.values()} | {FusedChain.name, *OWN_OPERATORS}
    assert set(PREPARED) <= known, f"kernels for unknown operators: {sorted(set(PREPARED) - known)}"


@pytest.mark.parametrize("name", sorted(set(PREPARED) - {FusedChain.name, *OWN_OPERATORS}))
def test_kernel_stands_in_the_module_of_its_operators_family(name):
    """minigluon.ops.nn.matrix -> minigluon_accel.kernels.nn.matrix"""
    family = REGISTRY[name].__module__.removeprefix("minigluon.ops.")
    assert prepared_operators()[name].__module__ == f"minigluon_accel.kernels.{family}"


@by_case
def test_rows(case):
    for dtype in DTYPES:
        check_all(operators_of(case, case.inputs(dtype)))


@by_case
def test_rows_in_a_plan(case):
    """A plan of the plugin against imperative execution of the reference."""
    if case.op == "reset_arrays" or getattr(REGISTRY[case.op], "random", False):
        return
    for dtype in DTYPES:
        check_plan(case, case.inputs(dtype), dtype)


def check_plan(case, arrays, what):
    names = [f"in{i}" for i in range(len(arrays))]
    plan = CachedOp(sym.Group(surrounded(sym, case, [sym.var(n) for n in names], "alone")), names)
    with use_backend("numpy"):
        wanted = run(case, "alone", lambda xs: surrounded(nd, case, xs, "alone"), arrays)
    for _ in range(2):
        found = run(case, "alone", lambda xs: plan(xs), arrays)
        for kind, ours, theirs in zip(("outputs", "gradients", "inputs"), found, wanted, strict=True):
            for index, (y, expected) in enumerate(zip(ours, theirs, strict=True)):
                assert (y.shape, y.dtype) == (expected.shape, expected.dtype)
                tol = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-12}.get(y.dtype.name, 0)
                np.testing.assert_allclose(y, expected, tol, tol, err_msg=f"{what}: {kind} {index}")


def test_every_kernel_has_run():
    """By a row of the table or by a net: a kernel that nothing here reaches would not be tested."""
    here = pathlib.Path(__file__)
    others = [*here.parent.rglob("test_accel_*.py"), TESTS / "helpers" / "pooling_draws.py"]
    files = [path.read_text() for path in others if path != here]
    ran = {name for name in PREPARED if any(name in text for text in files)}        # they have tests of their own
    for case in CASES:
        for op, arrays, train in operators_of(case, case.inputs("float32")):
            if op.name in set(PREPARED) - ran and (op.random or Twin(op, arrays, train).declined is None):
                ran.add(op.name)
    # The nets, until nothing is left: all of them take ten seconds.
    with pytest.MonkeyPatch.context() as patch:
        find = BACKEND._find

        def spy(op, *args):
            found = find(op, *args)
            ran.update(() if isinstance(found, str) else [op.name])
            return found
        patch.setattr(BACKEND, "_find", spy, raising=False)
        for net in PROGRAMS.values():
            for program in net:
                if ran.issuperset(PREPARED):
                    return
                makers(mx, SIZES)[program]("hybridized").run()
    assert set(PREPARED) <= ran, f"kernels that no row and no net reaches: {sorted(set(PREPARED) - ran)}"


# -- drawn shapes -----------------------------------------------------------------------------------------------------

@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("op", sorted({c.op for c in CASES if REGISTRY[c.op].name in PREPARED}))
@settings(max_examples=12 if WIDE else 2,
          phases=[Phase.explicit, Phase.reuse, Phase.generate])         # shrinking takes minutes
@given(data=st.data())
def test_drawn_shapes(op, data):
    case, arrays, attrs = data.draw(drawn(op))
    try:
        calls = operators_of(case, arrays, attrs)
    except MXNetError:
        return                                      # the reference refuses: so does the plugin, see check()
    check_all(calls)


# -- random numbers ---------------------------------------------------------------------------------------------------

# RNN draws for some attributes alone; test_accel_rnn.py compares what it drops, and test_accel_attention.py the weights
# of attention.
RANDOM = sorted({c.op for c in CASES if REGISTRY[c.op].random is True and REGISTRY[c.op].name in PREPARED}
                - {"_attention_dropout"})


@pytest.mark.parametrize("op", RANDOM)
def test_random_numbers_are_reproducible_and_distributed_alike(op):
    case = next(c for c in CASES if c.op == op)
    arrays = [resize(a, (50, *a.shape)) for a in case.inputs("float32")]
    attrs = {**case.attrs, **({"shape": (64, 1000)} if "shape" in case.attrs else {})}

    def sample(seed):
        mx.random.seed(seed)
        with autograd.train_mode() if case.train else autograd.predict_mode():
            return [getattr(nd, op)(*[nd.array(a) for a in arrays], **attrs).asnumpy() for _ in range(20)]
    first, second, other = sample(3), sample(3), sample(4)
    with configured(threads=2):
        threaded = sample(3)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first, threaded)
    assert not np.array_equal(first, other) or not np.any(np.diff(first, axis=0))
    with use_backend("numpy"):
        reference = np.asarray(sample(3), "float64")
    found = np.asarray(first, "float64")
    error = 5 * (reference.std() + 1e-6) / math.sqrt(found.size)
    assert abs(found.mean() - reference.mean()) < 2 * error
    assert abs(found.std() - reference.std()) < 0.02 * (reference.std() + 1e-6) + error


# -- the nets of the benchmarks ---------------------------------------------------------------------------------------

SIZES = {**QUICK, "lenet_batch": 64}
# In CI only some of the large nets.
NETS_HERE = [net for net in PROGRAMS if WIDE or net not in (
    "mobilenetv2", "resnet50", "unet", "vit-tiny", "mobilenet0.25", "resnet8")]


@pytest.mark.parametrize("mode", ["hybridized", "imperative"])
@pytest.mark.parametrize("program", [name for net in NETS_HERE for name in PROGRAMS[net]])
def test_the_reference_runs_nothing_of_the_nets_of_the_benchmarks(program, mode):
    program = makers(mx, SIZES)[program](mode)
    forget_kernels()
    before = dispatch.declined.copy()
    program.run()
    program.run()
    assert dict(dispatch.declined - before) == {}


def trained(program, **how):
    """Parameters of a net after three steps."""
    with configured(**how):
        mx.random.seed(2)
        program = makers(mx, SIZES)[program]("hybridized")
        for _ in range(3):
            program.run()
        return [p.data().asnumpy() for p in program.blocks[0].collect_params().values()]


@pytest.mark.parametrize("program", [name for net in NETS_HERE for name in PROGRAMS[net]
                                     if "train step" in name])
def test_training_does_not_depend_on_the_number_of_threads(program):
    alone = trained(program, threads=1)
    for threads in 2, 3:
        for found, wanted in zip(trained(program, threads=threads), alone, strict=True):
            np.testing.assert_array_equal(found, wanted)
