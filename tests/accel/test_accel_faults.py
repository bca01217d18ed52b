"""The plugin under load and with faults: forks, many threads, strange environments, no memory, what is left behind."""

import importlib.machinery
import os
import pathlib
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from helpers import TESTS
from helpers.processes import SLOWER, run_code
from helpers.threads import run_in_threads

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import BACKEND, configured, engine
from minigluon_accel.kernels import registry
from minigluon_accel.kernels.registry import GRAIN
from minigluon_accel.settings import chosen_isa, chosen_threads

import minigluon as mx
from minigluon import autograd, dispatch, gluon, nd
from minigluon.backend.table import KernelTable
from minigluon.base import MXNetError
from minigluon.gluon import nn
from minigluon.gluon.data import ArrayDataset, DataLoader

LARGE = 8 * GRAIN           # elements: several parts


def net():
    """A small net of convolution, pooling and products, hybridized and initialized."""
    block = nn.HybridSequential()
    block.add(nn.Conv2D(8, 3, activation="relu"), nn.MaxPool2D(2, 2), nn.Flatten(), nn.Dense(32, activation="tanh"),
              nn.Dense(4))
    block.initialize(mx.init.Xavier())
    block.hybridize()
    block(nd.ones((2, 1, 20, 20)))
    return block


# -- the environment --------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("asked", "threads"), [
    ("1", 1), ("2", 2), ("3", 3), (" 2 , 4", 2), ("", 5), ("0", 5), ("-1", 5), ("many", 5), ("2.5", 5), ("²", 5),
    ("99999999999999999999", 64)])
def test_threads_follow_omp_num_threads(asked, threads):
    assert chosen_threads(asked, cores=5) == threads


@pytest.mark.parametrize("asked", ["1", "2", "3", "garbage"])
def test_omp_num_threads_of_a_process(asked):
    done = run_code("""
        from minigluon import nd
        from minigluon.common import hardware as machine
        import minigluon_accel
        x = nd.ones((1000, 1000))
        print(minigluon_accel.engine.threads(), machine.cores(), int((x + x).sum().asscalar()))
    """, OMP_NUM_THREADS=asked)
    found, cores, total = done.stdout.split()
    assert (found, total) == (asked if asked.isdigit() else cores, "2000000"), done.stderr


def test_the_best_instruction_set_is_taken():
    isas = {"baseline": (True, True), "avx2": (True, True), "avx512": (True, False)}
    assert chosen_isa(None, isas) == chosen_isa("", isas) == "avx2"
    assert chosen_isa("baseline", isas) == "baseline"


def test_an_instruction_set_that_is_not_there():
    with pytest.raises(MXNetError) as caught:
        chosen_isa("avx512", {"baseline": (True, True), "avx2": (True, True), "avx512": (True, False)})
    assert str(caught.value) == (
        "MINIGLUON_ACCEL_ISA is 'avx512', but the instruction sets that are built and that this processor has are "
        "baseline, avx2. Unset the variable to use the last of them.")


def test_a_build_for_another_processor():
    with pytest.raises(MXNetError) as caught:
        chosen_isa(None, {"baseline": (False, True), "avx2": (False, True), "avx512": (True, False)})
    assert str(caught.value) == (
        "minigluon-accel is built for avx512, which this processor does not support. Build it here with: pip install "
        "--force-reinstall ./minigluon_accel, or set MINIGLUON_BACKEND=numpy to run without it.")


def test_a_wrong_instruction_set_in_the_environment_is_an_error_at_first_use():
    done = run_code("import minigluon as mx; mx.nd.ones((2,))", MINIGLUON_ACCEL_ISA="sse9")
    assert done.stderr.splitlines()[-1].startswith(
        "minigluon.base.MXNetError: MINIGLUON_ACCEL_ISA is 'sse9', but the instruction sets that are built and that")
    assert "MINIGLUON_ACCEL_ISA is 'sse9'" in run_code("from minigluon.tools.cli import main; main(['info'])",
                                                      MINIGLUON_ACCEL_ISA="sse9").stdout


def test_info_shows_the_backend():
    lines = run_code("from minigluon.tools.cli import main; main(['info'])", OMP_NUM_THREADS="1").stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("  accel          serves cpu"))
    names = {name for _, _, name in engine.kernels()}
    assert lines[start + 1].strip().startswith(f"version {mx.__version__}, 1 thread, {len(names)} kernels for ")
    assert lines[start + 2].split() == ["instruction", "set", "built", "this", "processor", "has", "it", "in", "use"]
    table = {cells[0]: cells[1:] for cells in map(str.split, lines[start + 3:start + 6])}
    assert set(table) == {"baseline", "avx2", "avx512"}
    assert [isa for isa, (_, _, used) in table.items() if used == "yes"] == [engine.isa()]


# -- an engine that cannot be loaded ----------------------------------------------------------------------------------

@pytest.fixture
def copied(tmp_path):
    """The package without its engine in a folder, announced by an entry point; runs Python there."""
    source = pathlib.Path(engine.__file__).parent
    package = tmp_path / "minigluon_accel"
    for path in source.rglob("*.py"):
        target = package / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(path.read_text())
    info = tmp_path / "minigluon_accel-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: minigluon-accel\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[minigluon.backends]\naccel = minigluon_accel:BACKEND\n")

    def run(code, **environment):
        root = str(pathlib.Path(mx.__file__).parent.parent)
        # -S: the plugin that is installed stays out; NumPy's folder comes in by name
        numpy = str(pathlib.Path(np.__file__).parent.parent)
        found = {"PYTHONPATH": os.pathsep.join([str(tmp_path), root, numpy])}
        return subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, timeout=60 * SLOWER,
                              env={**os.environ, **found, **environment})
    run.package = package
    return run


CANNOT = ("minigluon.base.MXNetError: backend 'accel' of the distribution minigluon-accel cannot be loaded: "
          "ImportError: "
          "its engine is not built for this Python and processor: {}. Build it with: pip install ./minigluon_accel. "
          "Reinstall it, or set MINIGLUON_BACKEND=numpy to run without it.")


def test_without_an_engine(copied):
    done = copied("import minigluon as mx; mx.nd.ones((2,))")
    assert done.stderr.splitlines()[-1].startswith(CANNOT.partition("{}")[0])
    assert done.stderr.splitlines()[-1].endswith(CANNOT.partition("{}")[2])
    assert copied("import minigluon as mx; print(mx.nd.ones((2,)).asnumpy())",
                  MINIGLUON_BACKEND="numpy").stdout == "[1. 1.]\n"


@pytest.mark.parametrize("content", [b"", b"\x7fELF not really", b"x" * 5000], ids=["empty", "truncated", "garbage"])
def test_a_broken_engine(copied, content):
    (copied.package / f"engine{importlib.machinery.EXTENSION_SUFFIXES[0]}").write_bytes(content)
    done = copied("import minigluon as mx; mx.nd.ones((2,))")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(CANNOT.partition("{}")[0])
    shown = copied("from minigluon.tools.cli import main; print(main(['info']))")
    assert "cannot be loaded: ImportError: its engine is not built" in shown.stdout, shown.stderr


# -- processes --------------------------------------------------------------------------------------------------------

@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_computes_after_threads_have_run():
    block, x = net(), nd.random.uniform(shape=(16, 1, 20, 20))
    with configured(threads=3):
        wanted = block(x).asnumpy()
        for _ in range(5):
            child = os.fork()
            if child == 0:
                try:
                    signal.alarm(int(20 * SLOWER))
                    engine.set_threads(2)
                    os._exit(int(not all(np.array_equal(block(x).asnumpy(), wanted) for _ in range(20))))
                finally:
                    os._exit(9)
            assert os.waitpid(child, 0)[1] == 0
            np.testing.assert_array_equal(block(x).asnumpy(), wanted)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_forks_while_other_threads_allocate_and_compute():
    """A lock that another thread holds at the moment of the fork must not stay locked in the child."""
    done = run_code("""
        import os, signal, threading, warnings
        warnings.simplefilter("ignore")
        from minigluon import nd
        import minigluon_accel
        minigluon_accel.engine.set_threads(2)
        x, stop = nd.ones((300, 1000)), threading.Event()
        def work():
            while not stop.is_set():
                (x + x).wait_to_read()
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads: thread.start()
        codes = []
        for _ in range(60):
            child = os.fork()
            if child == 0:
                signal.alarm(int(os.environ["SECONDS_EACH"]))
                minigluon_accel.engine.set_threads(2)
                good = all((x + x)[5, 5].asscalar() == 2 for _ in range(5))
                os._exit(0 if good else 1)
            codes.append(os.waitpid(child, 0)[1])
        stop.set()
        for thread in threads: thread.join()
        print(set(codes))
    """, timeout=120, SECONDS_EACH=str(int(20 * SLOWER)))
    assert done.stdout == "{0}\n", done.stderr


class Heavy:
    """A data set whose items are computed by kernels, in the worker."""

    def __init__(self, length):
        self.data = ArrayDataset(list(range(length)))

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        x = nd.full((300, 300), self.data[index])
        return (x + x).asnumpy()[:2, :2]


@pytest.mark.parametrize("thread_pool", [False, True])
def test_workers_of_a_data_loader(thread_pool):
    with configured(threads=2):
        (nd.ones((1000, 1000)) + 1).wait_to_read()
        loader = DataLoader(Heavy(20), batch_size=4, num_workers=2, thread_pool=thread_pool)
        for _ in range(2):
            found = np.concatenate([batch.asnumpy() for batch in loader])
            np.testing.assert_array_equal(found[:, 0, 0], 2 * np.arange(20))


# -- threads ----------------------------------------------------------------------------------------------------------

def test_many_threads_in_one_plan():
    block = net()
    inputs = [nd.random.uniform(shape=(1 + i % 5, 1, 20, 20)) for i in range(12)]
    wanted = [block(x).asnumpy() for x in inputs]
    with configured(threads=3):
        found = run_in_threads(lambda i: [block(inputs[i]).asnumpy() for _ in range(20)], len(inputs))
    for results, expected in zip(found, wanted, strict=True):
        for result in results:
            np.testing.assert_array_equal(result, expected)


def test_many_threads_that_train_in_plans_of_their_own():
    def train(i):
        block = net()
        for number, p in enumerate(block.collect_params().values()):
            p.set_data(nd.array(np.random.default_rng(number).normal(0, 0.1, p.shape)))
        trainer = gluon.Trainer(block.collect_params(), "sgd", {"learning_rate": 0.01})
        x = nd.array(np.random.default_rng(9).normal(size=(4, 1, 20, 20)))
        for _ in range(5):
            with autograd.record():
                y = (block(x) ** 2).sum()
            y.backward()
            trainer.step(4)
        return [p.data().asnumpy() for p in block.collect_params().values()]

    wanted = train(0)
    with configured(threads=2):
        for found in run_in_threads(train, 6):
            for value, expected in zip(found, wanted, strict=True):
                np.testing.assert_array_equal(value, expected)


def test_the_number_of_threads_changes_while_kernels_run():
    x, stop, wrong = nd.arange(LARGE), threading.Event(), []
    wanted = x.asnumpy() * 2

    def work():
        while not stop.is_set():
            if not np.array_equal((x + x).asnumpy(), wanted):
                wrong.append(1)
    with configured():
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for count in [1, 2, 3, 8, 1, 64, 2, -5, 1000, 1] * 20:
            engine.set_threads(count)
            assert engine.threads() == min(max(count, 1), 64)
        stop.set()
        for thread in threads:
            thread.join()
    assert wrong == []


# -- arrays -----------------------------------------------------------------------------------------------------------

def test_arrays_that_may_only_be_read():
    values = np.arange(LARGE, dtype="float32")
    values.flags.writeable = False
    x = mx.nd.NDArray(values, mx.cpu())
    np.testing.assert_array_equal((x + x).asnumpy(), values * 2)


def test_arrays_with_holes_in_a_plan():
    class Sum(gluon.HybridBlock):
        def hybrid_forward(self, F, x, y):
            return F.relu(x + y) + x

    block = Sum()
    block.hybridize()
    parent = np.arange(80, dtype="float32").reshape(8, 10) - 40
    odd = np.frombuffer(b"\0" + parent.tobytes(), "float32", offset=1).reshape(8, 10)
    for data in parent[:, ::2], parent[::-1, :5], parent.T[:8, :5], odd[:, 5:], parent[:8, :5].copy():
        x = mx.nd.NDArray(data, mx.cpu())
        x.attach_grad()
        with autograd.record():
            y = block(x, x)
        y.backward()
        np.testing.assert_array_equal(y.asnumpy(), np.maximum(2 * data, 0) + data)
        np.testing.assert_array_equal(x.grad.asnumpy(), 1 + 2 * (data > 0))


@pytest.mark.parametrize("size", [7, LARGE])
def test_results_over_inputs(size):
    x = np.random.default_rng(0).normal(size=size).astype("float32")
    for name in "elemwise_add", "elemwise_sub", "elemwise_mul", "elemwise_div", "broadcast_maximum":
        a, b = nd.array(x), nd.array(x[::-1].copy())
        wanted = getattr(nd, name)(a, b).asnumpy()
        getattr(nd, name)(a, b, out=a)
        np.testing.assert_array_equal(a.asnumpy(), wanted)
        a = nd.array(x)
        getattr(nd, name)(a, b, out=b)
        np.testing.assert_array_equal(b.asnumpy(), wanted)
    a = nd.array(x)
    wanted = a[1:].asnumpy() + a[:-1].asnumpy()
    nd.elemwise_add(a[1:], a[:-1], out=a[1:])           # memory that overlaps, an element apart
    np.testing.assert_array_equal(a[1:].asnumpy(), wanted)


def test_gradients_are_added_to_what_is_there():
    x = nd.ones((LARGE,))
    x.attach_grad(grad_req="add")
    for _ in range(3):
        with autograd.record():
            y = (x + x) * 1
        y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), np.full(LARGE, 6))


# -- mistakes ---------------------------------------------------------------------------------------------------------

def test_shapes_that_an_operator_of_gradients_cannot_have():
    """What their shape rules stumble over is an error that names the operator."""
    with pytest.raises(MXNetError) as caught:
        nd._internal._gather_nd_grad(nd.ones((2, 3)), nd.ones((2, 3)), nd.ones(()))
    assert str(caught.value).startswith("_gather_nd_grad: the output's shape cannot be told: tuple index out of range\n"
                                        "  inputs: ")


def test_a_mistake_in_a_preparation_does_not_pass_for_a_reason_to_decline(monkeypatch):
    table = KernelTable()

    @table.kernel_for("arctanh")
    def mistaken(op, inputs, outputs):
        return inputs[7]

    monkeypatch.setattr(registry, "_kernels", table)
    before = dispatch.declined.copy()
    with pytest.raises(MXNetError, match="^arctanh: cannot be computed: list index out of range") as caught:
        nd.arctanh(nd.ones((3, 71)))
    assert isinstance(caught.value.__cause__, IndexError)
    assert dispatch.declined == before


# -- limits -----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("parts", [0, 1, 2, 63, 1000, 2 ** 16])
def test_any_number_of_parts(parts):
    """More parts than elements, too: those have nothing to do."""
    x = np.arange(5000, dtype="float32")
    with configured(threads=3):
        call = engine.Call(engine.Phase("elementwise", "float32", parts, size=x.size if parts else 0,
                                        loop=engine.loops().index("add"), inputs=2, p=0.0, q=0.0))
        out = np.zeros_like(x)
        call([x, x], [out])
    np.testing.assert_array_equal(out, 2 * x if parts else 0 * x)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is Linux's")
def test_no_memory_for_a_kernel_is_an_error_and_no_crash():
    """Products, convolutions and sorting under a limit on the address space: an MXNetError, or a result."""
    done = run_code("""
        import resource
        import minigluon as mx
        from minigluon import nd
        def attempts():
            x = nd.ones((64, 16, 60, 60))
            yield lambda: nd.Convolution(x, nd.ones((64, 16, 3, 3)), nd.ones((64,)), kernel=(3, 3), num_filter=64)
            y = nd.ones((3000, 3000))
            yield lambda: nd.dot(y, y)
            yield lambda: nd.sort(y)
            yield lambda: nd.softmax(y)
            yield lambda: nd.transpose(y)
        results = {function: function().sum().asscalar() for function in attempts()}
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        mx.cpu().empty_cache()
        seen = set()
        for more in (1, 5, 20, 37, 60, 200):
            resource.setrlimit(resource.RLIMIT_AS, (used + more * 2**20, resource.RLIM_INFINITY))
            for function, wanted in results.items():
                try:
                    seen.add(function().sum().asscalar() == wanted)
                except mx.base.MXNetError as error:
                    seen.add(type(error).__name__)
        print(sorted(map(str, seen - {"MXNetError"})))
    """, timeout=120, OMP_NUM_THREADS="2")
    assert done.stdout == "['True']\n", done.stderr[-2000:]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells how much memory is used")
def test_small_calls_leave_nothing_behind():
    """In a process of its own: what other tests leave behind is not counted."""
    done = run_code(f"""
        import sys
        sys.path.insert(0, {str(TESTS)!r})
        from scripts import leak_check
        print(leak_check.growth(calls=20_000))
    """)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 2 ** 21


def test_the_backend_is_the_one_that_runs():
    assert mx.backend.backend_for(mx.cpu()) is BACKEND
