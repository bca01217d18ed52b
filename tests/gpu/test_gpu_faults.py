"""The GPU backend with faults: no memory, broken kernels, a device that goes away, forks, threads, what is missing."""

import os
import pathlib

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - first: it chooses the GPU, or skips the module
from helpers.gpu_checks import GPU, backend
from helpers.processes import program
from helpers.threads import run_in_threads
from minigluon_accel.gpu import compile, driver
from minigluon_accel.gpu.compile import Runner, prepare
from minigluon_accel.gpu.launch import GeneratedSource, In, Launch, Out, SourceFile

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.base import MXNetError

emulated = pytest.mark.skipif(not driver.emulated(), reason="the emulated device fails when it is told to")


# What such a program prints of an error.
TOLD = """
def told(function):
    try:
        function()
        print("no error")
    except mx.MXNetError as error:
        print(f"{type(error).__name__}: {error}".replace(chr(10), " / "))
"""


def compiled(source, function="broken"):
    """run(operands) for a kernel of one output, in one block of 32 threads."""
    device = backend().device
    launch = Launch(source, function, {}, 1, 32, [Out(0)])
    return Runner(device, [prepare(device, launch, {In: 0, Out: 0})], 1).run


# -- memory -----------------------------------------------------------------------------------------------------------


@emulated
def test_out_of_memory_says_how_much_and_loses_nothing():
    first, *rest = program(TOLD + """
x = nd.array(range(1000), ctx=mx.gpu())
told(lambda: nd.zeros((500, 1000), ctx=mx.gpu()))
for _ in range(20):
    told(lambda: nd.array([[1.0] * 1000] * 500, ctx=mx.gpu()))
print(int(x.asnumpy().sum()))
y = nd.zeros((200, 1000), ctx=mx.gpu())
y[:] = 2
print(int(y.asnumpy().sum()))
""", MINIGLUON_GPU_MEMORY="1000000")
    assert first == (
        "OutOfMemory: gpu(0): out of memory: 2000000 bytes were requested for an array of shape (500, 1000) and dtype "
        "float32; of the device's 1000000 bytes 996000 are free, 4000 are held /   remedy: use a smaller batch, or "
        "release arrays; nothing is lost, and the device stays usable")
    assert rest == [first] * 20 + ["499500", "400000"]


@emulated
def test_training_goes_on_after_a_batch_that_was_too_large():
    lines = program(TOLD + """
from minigluon import autograd, gluon
net = gluon.nn.HybridSequential()
net.add(gluon.nn.Dense(16, activation="relu"), gluon.nn.Dense(1))
net.initialize(ctx=mx.gpu())
net.hybridize()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
def step(rows):
    with autograd.record():
        loss = (net(nd.ones((rows, 8), ctx=mx.gpu())) ** 2).mean()
    loss.backward()
    trainer.step(1)
    return loss.asscalar()
before = step(4)
weight = net[0].weight.data().asnumpy()
told(lambda: step(100_000))
print(bool((net[0].weight.data().asnumpy() == weight).all()))
print(step(4) < before)
""", MINIGLUON_GPU_MEMORY="2000000")
    assert lines[0].startswith("OutOfMemory: gpu(0): out of memory: ")
    assert lines[1:] == ["True", "True"]


@pytest.mark.skipif(not driver.emulated(), reason="a real device shows what all processes hold")
def test_memory_of_arrays_that_are_gone_is_used_again():
    memory = backend().device.memory
    free, _ = memory.info()
    for _ in range(30):
        x = nd.zeros((1000, 1000), ctx=GPU)
    x.wait_to_read()
    del x
    GPU.empty_cache()
    assert free - memory.info()[0] < 3 * 4_000_000


# -- kernels ----------------------------------------------------------------------------------------------------------


def test_a_kernel_that_does_not_compile(tmp_path, monkeypatch):
    (tmp_path / "broken.cu").write_text('extern "C" __global__ void broken(float *y) {\n    y[0] = unheard_of;\n}\n')
    monkeypatch.setattr(compile, "KERNELS", tmp_path)
    with pytest.raises(MXNetError) as caught:
        compiled(SourceFile("broken.cu"))
    assert "broken.cu" in str(caught.value)
    assert "unheard_of" in str(caught.value)
    assert nd.ones((2, 2), ctx=GPU).asnumpy().sum() == 4       # nothing else is harmed


def test_a_kernel_that_is_not_in_its_file():
    with pytest.raises(MXNetError) as caught:
        compiled(GeneratedSource(TEXT % "1.5f"), "missing")
    assert str(caught.value).startswith("gpu(0): finding missing in generated failed: CUDA_ERROR_NOT_FOUND: ")


@emulated
def test_a_kernel_that_writes_past_the_end_is_named_with_its_thread():
    lines = program(TOLD + """
from minigluon_accel.gpu import BACKEND
from minigluon_accel.gpu.compile import Runner, prepare
from minigluon_accel.gpu.launch import GeneratedSource, In, Launch, Out
device = BACKEND.on(mx.gpu()).device
source = GeneratedSource('''
extern "C" __global__ void past_the_end(float *y) { y[threadIdx.x] = 1.0f; }
''')
launch = Launch(source, "past_the_end", {}, 1, 32, [Out(0)])
y = nd.zeros((31,), ctx=mx.gpu())
def run():
    Runner(device, [prepare(device, launch, {In: 0, Out: 0})], 1).run([y.buffer])
    device.synchronize()
told(run)
told(lambda: y.asnumpy())
""", MINIGLUON_GPU_CHECK="1")
    assert "kernel 'past_the_end', block (0,0,0), thread (31,0,0)" in lines[0]
    assert "MINIGLUON_GPU=emulate finds the thread and the address" in lines[0]
    assert lines[1].startswith("StickyError: gpu(0) cannot be used any more: past_the_end (generated) failed before: ")


# -- a device that goes away ------------------------------------------------------------------------------------------


@emulated
def test_a_device_that_goes_away():
    """Each use of it is an error that says so, the CPU goes on, and the process ends by itself."""
    lines = program(TOLD + """
x, y = nd.zeros((5,), ctx=mx.gpu()), nd.ones((5,))
for _ in range(6):
    told(lambda: x.__setitem__(slice(None), 3))
for _ in range(2):              # where work is done late, the first to say so
    told(x.asnumpy)
told(lambda: nd.zeros((7, 9), ctx=mx.gpu()).wait_to_read())
print((y + 1).asnumpy().sum())
""", MINIGLUON_GPU_FAIL="lost:4")
    assert lines[0] == "no error"
    first = next(line for line in lines if line != "no error")
    assert "the device is gone" in first
    after = lines[lines.index(first):-1]
    assert after[0].startswith("StickyError: gpu(0): ")
    assert all(line.startswith("StickyError: gpu(0) cannot be used any more: ") for line in after[1:]), lines
    assert len(after) >= 3
    assert lines[-1] == "10.0"


# -- processes and threads --------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_workers_of_a_data_loader_after_the_gpu_was_used():
    lines = program(TOLD + """
import warnings
warnings.simplefilter("ignore", DeprecationWarning)
import numpy as np
from minigluon.gluon.data import ArrayDataset, DataLoader
print(nd.ones((3,), ctx=mx.gpu()).asnumpy().sum())
data = ArrayDataset(np.arange(40, dtype="float32").reshape(20, 2), np.arange(20, dtype="float32"))
total = 0
for x, label in DataLoader(data, batch_size=6, num_workers=2):
    total += x.as_in_context(mx.gpu()).asnumpy().sum() + label.as_in_context(mx.gpu()).asnumpy().sum()
print(total)
""")
    assert lines == ["3.0", str(float(sum(range(40)) + sum(range(20))))]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_loaders_where_the_gpu_is_the_default():
    """Workers make their batches on the CPU; without workers NumPy's arrays go where the default is."""
    lines = program("""
import warnings
warnings.simplefilter("ignore", DeprecationWarning)
import numpy as np
from minigluon.gluon.data import ArrayDataset, DataLoader
from minigluon.gluon.data.vision.transforms import ToTensor
data = ArrayDataset(np.ones((4, 2, 2, 3), "uint8"), np.arange(4.0))
with mx.gpu():
    print(nd.ones((3,)).asnumpy().sum())
    for data in data, data.transform_first(ToTensor()):
        for workers in 0, 1:
            ((x, label),) = DataLoader(data, batch_size=4, num_workers=workers, pin_memory=True)
            print(x.context, label.context, label.asnumpy().sum())
""")
    assert lines == ["3.0", "gpu(0) gpu(0) 6.0", "cpu(0) cpu(0) 6.0", "cpu(0) gpu(0) 6.0", "cpu(0) cpu(0) 6.0"]


FORKED = ("MXNetError: gpu: this process was forked from one that had used the GPU, whose driver does not survive "
          "that. Use the GPU in the parent only, or start processes with multiprocessing's 'spawn'.")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_the_gpu_in_a_forked_child_is_an_error():
    lines = program(TOLD + """
import os, signal, sys, warnings
warnings.simplefilter("ignore", DeprecationWarning)
x = nd.ones((3,), ctx=mx.gpu())
x.wait_to_read()
class Chain(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.sort(x + 1)
chain = Chain()
chain.hybridize()
chain(x).wait_to_read()
sys.stdout.flush()
child = os.fork()
if child == 0:
    signal.alarm(60)
    told(lambda: nd.ones((3,), ctx=mx.gpu()))
    told(x.asnumpy)
    told(lambda: x.__setitem__(0, 5))
    told(lambda: nd.zeros((3,), ctx=mx.gpu(1)))
    told(lambda: chain(x))
    print((nd.ones((3,)) + 1).asnumpy().sum())
    sys.stdout.flush()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print(x.asnumpy().sum())
""", MINIGLUON_GPU_COUNT="2")
    assert lines[4].startswith(FORKED)          # and for what the graph wanted memory
    assert lines[:4] + lines[5:] == [FORKED] * 4 + ["6.0", "3.0"]


def test_a_child_that_is_spawned_uses_the_gpu():
    lines = program("""
        import subprocess, sys
        nd.ones((3,), ctx=mx.gpu()).wait_to_read()
        code = "import minigluon as mx; print(mx.nd.ones((3,), ctx=mx.gpu()).asnumpy().sum())"
        print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip())
    """)
    assert lines == ["3.0"]


def small_net():
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(33, activation="tanh"), gluon.nn.Dense(5))
    with GPU:
        net.initialize(mx.init.Xavier(), ctx=GPU)
        net(nd.ones((1, 17))).wait_to_read()
    return net


@pytest.mark.parametrize("hybridized", [False, True])
def test_threads_share_a_device_and_a_plan(hybridized):
    net = small_net()
    net.hybridize(hybridized)
    batches = [np.random.default_rng(i).normal(size=(3 + i % 2, 17)).astype("float32") for i in range(4)]
    wanted = [net(nd.array(x, ctx=GPU)).asnumpy() for x in batches]

    def work(i):
        for _ in range(15):
            np.testing.assert_array_equal(net(nd.array(batches[i], ctx=GPU)).asnumpy(), wanted[i])
    run_in_threads(work, 4)


def test_threads_differentiate_on_one_device():
    def work(i):
        x = nd.array([1.0, 2.0, 3.0], ctx=GPU)
        x.attach_grad()
        for _ in range(15):
            with autograd.record():
                y = (x * x * (i + 1)).sum()
            y.backward()
            np.testing.assert_array_equal(x.grad.asnumpy(), 2 * (i + 1) * np.array([1, 2, 3], "float32"))
    run_in_threads(work, 4)


# -- the cache folder -------------------------------------------------------------------------------------------------

TEXT = """
extern "C" __global__ void marked(float *y) { y[threadIdx.x] = %s; }
"""


def marked(number):
    """What a kernel with a number of its own in its text writes."""
    y = nd.zeros((32,), ctx=GPU)
    compile._functions.clear()
    compile._modules.clear()
    compiled(GeneratedSource(TEXT % number), "marked")([y.buffer])
    return y.asnumpy()[0]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache folder; the kernels of the fixtures are there already."""
    nd.zeros((32,), ctx=GPU).wait_to_read()
    compile.compiler("sm_80")
    marked("0.5f")                      # the emulator's own files, which are not what is tested, are built
    monkeypatch.setattr(compile, "cache_folder", lambda: tmp_path)
    return tmp_path


def test_images_are_kept(cache, monkeypatch):
    assert marked("2.5f") == 2.5
    assert [path.suffix for path in (cache / "kernels").iterdir()] == [".image"]
    monkeypatch.setattr(compile.compiler("sm_80"), "compile", None)       # it is not asked a second time
    assert marked("2.5f") == 2.5


@pytest.mark.parametrize("damage", [lambda image: b"", lambda image: image[:len(image) // 2], lambda image: image[:10],
                                    lambda image: image[:-1] + bytes([image[-1] ^ 1]), lambda image: b"x" * 5000],
                         ids=["empty", "half", "few bytes", "one bit", "garbage"])
def test_a_damaged_image_is_made_again(cache, damage):
    assert marked("3.5f") == 3.5
    (path,) = (cache / "kernels").iterdir()
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert marked("3.5f") == 3.5
    assert len(path.read_bytes()) == len(whole)
    assert [path.suffix for path in (cache / "kernels").iterdir()] == [".image"]


def test_a_cache_folder_that_is_none(cache):
    (cache / "kernels").write_text("in the way")
    with pytest.raises(MXNetError) as caught:
        marked("4.5f")
    assert str(caught.value) == (
        f"gpu: the compiled kernel cannot be written to {cache / 'kernels'}: [Errno 17] File exists: "
        f"'{cache / 'kernels'}'. Set MINIGLUON_CACHE to a folder with free space that is writable.")


def test_a_full_disk(cache, monkeypatch):
    class Full:
        """What NamedTemporaryFile gives on a full disk."""

        def __init__(self, dir, delete):
            self.name = str(pathlib.Path(dir) / "aside")
            pathlib.Path(self.name).touch()

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def write(self, data):
            raise OSError(28, "No space left on device")
    monkeypatch.setattr(compile.tempfile, "NamedTemporaryFile", Full)
    with pytest.raises(MXNetError) as caught:
        marked("5.5f")
    assert str(caught.value) == (
        f"gpu: the compiled kernel cannot be written to {cache / 'kernels'}: [Errno 28] No space left on device. Set "
        "MINIGLUON_CACHE to a folder with free space that is writable.")
    assert list((cache / "kernels").iterdir()) == []
    monkeypatch.undo()
    assert marked("5.5f") == 5.5


# -- what is missing --------------------------------------------------------------------------------------------------


def test_without_pycuda():
    lines = program("import sys\nsys.modules['pycuda'] = None\n" + TOLD + """
told(lambda: nd.ones((2,), ctx=mx.gpu()))
print(mx.context.num_gpus(), nd.ones((2,)).asnumpy().sum())
""")
    assert lines == ["ContextError: gpu: PyCUDA cannot be imported: No module named 'pycuda.driver'; 'pycuda' is not a "
                     "package. Install it with: python -m minigluon_accel.gpu.install", "0 2.0"]


@pytest.mark.skipif(not driver.emulated(), reason="a driver is here")
def test_without_a_driver():
    lines = program(TOLD + """
told(lambda: nd.ones((2,), ctx=mx.gpu()))
print(mx.context.num_gpus(), nd.ones((2,)).asnumpy().sum())
""", MINIGLUON_GPU="real")
    assert lines == ["ContextError: gpu: there is no NVIDIA driver here (libcuda.so.1: cannot open shared object file: "
                     "No such file or directory). Set MINIGLUON_GPU=emulate to run the kernels on the CPU, or use "
                     "mx.cpu().", "0 2.0"]


def test_switched_off():
    lines = program(TOLD + "told(lambda: nd.ones((2,), ctx=mx.gpu()))\nprint(mx.context.num_gpus())",
                    MINIGLUON_GPU="off")
    assert lines == ["ContextError: MINIGLUON_GPU=off: GPUs are switched off. Unset the variable to use them.", "0"]


def test_a_word_that_means_nothing():
    lines = program(TOLD + "told(lambda: nd.ones((2,), ctx=mx.gpu()))\nprint(nd.ones((2,)).asnumpy().sum())",
                    MINIGLUON_GPU="nonsense")
    assert lines == ["MXNetError: MINIGLUON_GPU is 'nonsense', expected 'emulate' (kernels run on the CPU), 'real', or "
                     "'off'", "2.0"]


def test_a_device_that_is_not_there():
    with pytest.raises(mx.base.ContextError) as caught:
        nd.ones((2,), ctx=mx.gpu(99))
    there = mx.context.num_gpus()
    assert str(caught.value) == (f"gpu(99) is not available: there {'is' if there == 1 else 'are'} {there} "
                                 f"GPU{'' if there == 1 else 's'} here, numbered from 0")
