"""NDArray on the GPU as a user meets it: the same programs, run on the CPU and on the GPU, give the same arrays."""

import copy
import os
import pickle
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - skips where there is no GPU and no emulator
from helpers.gpu_checks import backend
from helpers.indexing_draws import shape_and_key
from hypothesis import given
from hypothesis import strategies as st
from minigluon_accel.gpu import driver
from minigluon_accel.gpu.memory import Memory

import minigluon as mx
from minigluon import autograd, nd
from minigluon.base import ContextError, MXNetError, OutOfRangeError, ShapeError

GPU = mx.gpu()
DTYPES = ["float32", "float64", "float16", "int32", "int64", "uint8", "int8"]

dtypes = st.sampled_from(DTYPES)
seeds = st.integers(0, 2 ** 32 - 1)


def both(program):
    """program(ctx) on both devices: the arrays that it returns must be equal, in shape and dtype, too."""
    wanted, found = program(mx.cpu()), program(GPU)
    wanted, found = [list(r) if isinstance(r, (list, tuple)) else [r] for r in (wanted, found)]
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.context is GPU
        np.testing.assert_array_equal(ours.asnumpy(), theirs.asnumpy(), strict=True)


def drawn(seed, shape, dtype):
    return np.random.default_rng(seed).integers(0, 100, shape).astype(dtype)


def two_gpus(program, count=2):
    """Run a program's text in a process of its own, with two emulated devices where there are not two real ones."""
    environment = {**os.environ, "MINIGLUON_GPU_COUNT": str(count),
                   "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    text = "import minigluon as mx\nimport numpy as np\nfrom minigluon import nd\n" + textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


several = pytest.mark.skipif(not driver.emulated() and mx.context.num_gpus() < 2, reason="there is only one GPU here")


# -- making and looking -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_creation(dtype):
    values = [[1, 2, 3], [4, 5, 100]]
    both(lambda ctx: [nd.array(values, ctx=ctx, dtype=dtype), nd.array(np.array(values, dtype), ctx=ctx),
                      nd.zeros((2, 3), ctx=ctx, dtype=dtype), nd.ones((0, 2), ctx=ctx, dtype=dtype),
                      nd.full((2,), 7, ctx=ctx, dtype=dtype), nd.arange(3, 20, 2, ctx=ctx, dtype=dtype),
                      nd.eye(3, ctx=ctx, dtype=dtype), nd.zeros_like(nd.ones((2, 2), ctx=ctx, dtype=dtype))])


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_are_written_by_the_device(dtype, monkeypatch):
    """A gradient of zeros as large as the data would otherwise go through the host."""
    def refused(*_):
        raise AssertionError("copied from the host")
    monkeypatch.setattr(Memory, "upload", refused)
    monkeypatch.setattr(Memory, "send", refused)
    for shape in (2, 3), (1000, 7), (), (0, 3):
        for value in 0, 1, 100, True:
            found = nd.full(shape, value, ctx=GPU, dtype=dtype).asnumpy()
            np.testing.assert_array_equal(found, np.full(shape, value, dtype), strict=True)
    for value in -0.0, np.nan, np.inf, 0.1:
        if np.dtype(dtype).kind == "f":
            found = nd.full((9,), value, ctx=GPU, dtype=dtype).asnumpy()
            assert found.tobytes() == np.full((9,), value, dtype).tobytes()


def test_the_current_context_decides():
    with GPU:
        assert nd.array([1.0]).context is GPU
        assert (nd.ones((2,)) + 1).context is GPU
    assert nd.array([1.0]).context is mx.cpu()


def test_printing_names_the_device():
    assert str(nd.array([[1, 2], [3, 4]], ctx=GPU)) == "\n[[1. 2.]\n [3. 4.]]\n<NDArray 2x2 @gpu(0)>"
    assert repr(nd.array([1], ctx=GPU, dtype="int32")) == "\n[1]\n<NDArray 1 @gpu(0)>"


def test_what_it_is():
    x = nd.ones((2, 3), ctx=GPU, dtype="float16")
    assert (x.shape, x.dtype, x.size, x.ndim, x.context, len(x), x.stype) == ((2, 3), np.float16, 6, 2, GPU, 2,
                                                                             "default")


def test_numbers_of_python():
    x = nd.array([2.5], ctx=GPU)
    assert (x.asscalar(), x.item(), float(x), int(x), bool(x)) == (2.5, 2.5, 2.5, 2, True)
    assert np.asarray(x).tolist() == [2.5]
    with pytest.raises(MXNetError):
        nd.ones((2,), ctx=GPU).asscalar()


def test_asnumpy_is_a_copy_of_its_own():
    x = nd.zeros((3,), ctx=GPU)
    array = x.asnumpy()
    array[:] = 1
    assert x.asnumpy().tolist() == [0, 0, 0]


# -- parts ------------------------------------------------------------------------------------------------------------


@given(shape_and_key(), dtypes)
def test_reading(drawn_key, dtype):
    shape, key = drawn_key
    values = drawn(0, shape, dtype)
    both(lambda ctx: nd.array(values, ctx=ctx, dtype=dtype)[key])


@given(shape_and_key(), st.sampled_from(["float32", "float16", "int64", "uint8"]),
       st.sampled_from(["float32", "int32"]), seeds)
def test_writing(drawn_key, dtype, value_dtype, seed):
    shape, key = drawn_key
    values = drawn(0, shape, dtype)
    part = np.zeros(shape)[key].shape
    given_values = drawn(seed, part, value_dtype)
    wide = drawn(seed, part[-1:] if seed % 2 else (1,) * len(part), value_dtype)

    def program(ctx):
        whole = [nd.array(values, ctx=ctx, dtype=dtype) for _ in range(4)]
        whole[0][key] = 3
        whole[1][key] = given_values
        whole[2][key] = nd.array(given_values, ctx=ctx, dtype=value_dtype)
        whole[3][key] = nd.array(wide, ctx=ctx, dtype=value_dtype)
        return whole
    both(program)


@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_writing_what_overlaps(rows, columns, data):
    """The whole value is read before any of it is written."""
    step = st.sampled_from([None, -1])
    shift = data.draw(st.integers(0, rows - 1))
    first, second = data.draw(step), data.draw(step)
    values = drawn(0, (rows, columns), "float32")

    def program(ctx):
        x = nd.array(values, ctx=ctx)
        flat = x.reshape((-1,))
        x[shift:] = x[:rows - shift]
        flat[::-1] = flat
        x[::first, ::second] = x
        return x
    both(program)


def test_views_write_through():
    def program(ctx):
        x = nd.zeros((3, 4), ctx=ctx)
        row, rows, flat = x[1], x[1:], x.reshape((-1,))
        row[:] = 5
        rows[1, 2:] = nd.array([7, 8], ctx=ctx)
        flat[0] = 9
        x.expand_dims(0, inplace=True)[0, 0, 1] = 4
        row += 1
        return x, row, rows, flat
    both(program)


def test_a_column_is_a_copy():
    def program(ctx):
        x = nd.zeros((3, 4), ctx=ctx)
        column = x[:, 1]
        column[:] = 5
        return x, column
    both(program)


def test_iteration():
    both(lambda ctx: list(nd.arange(12, ctx=ctx).reshape((3, 4))))


@pytest.mark.parametrize(("key", "text"), [
    (5, "index 5 is out of bounds for axis 0 with size 3 of an array of shape (3, 4); expected -3 to 2"),
    (([0, 9],), "index 9 is out of bounds for axis 0 with size 3 of an array of shape (3, 4); expected -3 to 2"),
    ((0, 0, 0), "too many indices: an array of shape (3, 4) has 2 axes, but 3 were indexed. Leave "
     "some out; None is an index for an axis that is new."),
])
def test_errors_of_reading(key, text):
    with pytest.raises(OutOfRangeError) as error:
        nd.zeros((3, 4), ctx=GPU)[key]
    assert str(error.value) == text


def test_what_cannot_be_broadcast():
    x = nd.zeros((3, 4), ctx=GPU)
    for value in np.ones(5), nd.ones((5,), ctx=GPU):
        with pytest.raises(ShapeError) as error:
            x[:] = value
        assert str(error.value) == ("cannot write an array of shape (5,) to a part of shape (3, 4): it cannot be "
                                    "broadcast. From the right, each of its axes must have the length of the part's, "
                                    "or 1.")
    assert x.asnumpy().sum() == 0


# -- arithmetic in place ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_in_place(dtype):
    def program(ctx):
        x, y = nd.array([[1, 2], [3, 4]], ctx=ctx, dtype=dtype), nd.array([10, 20], ctx=ctx, dtype=dtype)
        same = x
        x += 1
        x *= y
        x -= nd.ones((2, 1), ctx=ctx, dtype=dtype)
        assert same is x
        return x
    both(program)


def test_out():
    def program(ctx):
        x, y, out = nd.array([1, 2], ctx=ctx), nd.array([3, 4], ctx=ctx), nd.zeros((2,), ctx=ctx)
        assert nd.broadcast_add(x, y, out=out) is out
        nd.square(y, out=y)
        large = nd.ones((5000,), ctx=ctx)
        nd.broadcast_mul(large, large * 3, out=large)
        return x, y, out, large
    both(program)
    with pytest.raises(MXNetError) as error:
        nd.square(nd.ones((2,), ctx=GPU), out=nd.ones((3,), ctx=GPU))
    assert str(error.value) == "square: out has shape (3,), but the result has shape (2,)"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("to", DTYPES)
def test_astype(dtype, to):
    values = np.array([0, 1, 2, 100], dtype)
    both(lambda ctx: nd.array(values, ctx=ctx, dtype=dtype).astype(to))
    x = nd.array(values, ctx=GPU, dtype=dtype)
    assert (x.astype(to, copy=False) is x) == (dtype == to)


# -- devices ----------------------------------------------------------------------------------------------------------


def test_between_devices():
    x = nd.array([[1, 2], [3, 4]], dtype="int64")
    on_gpu = x.as_in_context(GPU)
    assert on_gpu.context is GPU
    assert on_gpu.as_in_context(GPU) is on_gpu
    back = on_gpu.copyto(mx.cpu())
    np.testing.assert_array_equal(back.asnumpy(), x.asnumpy(), strict=True)
    target = nd.zeros((2, 2), ctx=GPU)
    assert x.copyto(target) is target
    assert target.asnumpy().tolist() == [[1, 2], [3, 4]]
    assert on_gpu.copyto(nd.zeros((2, 2))).asnumpy().tolist() == [[1, 2], [3, 4]]
    on_gpu[0] = nd.array([8, 9])            # on the CPU
    assert on_gpu.asnumpy().tolist() == [[8, 9], [3, 4]]


def test_inputs_on_two_devices():
    x, y = nd.ones((2,), ctx=GPU), nd.ones((2,))
    with pytest.raises(ContextError) as error:
        x + y
    assert str(error.value) == ("broadcast_add: inputs are on different devices: lhs (2,) on gpu(0), rhs (2,) on "
                                "cpu(0). Move one with .as_in_context(gpu(0)).")


@several
def test_two_gpus():
    text = two_gpus("""
        x = nd.arange(6, ctx=mx.gpu(0)).reshape((2, 3))
        y = x.copyto(mx.gpu(1))
        y += 1
        z = nd.zeros((2, 3), ctx=mx.gpu(0))
        y.copyto(z)
        x[0] = y[1]
        print(y.context, z.context, z.asnumpy().tolist(), x.asnumpy().tolist())
        try:
            x + y
        except mx.base.ContextError as error:
            print(error)
        nd.waitall()
        for number in 0, 1:
            free, total = mx.context.gpu_memory_info(number)
            print(0 < free <= total)
        """)
    assert text.splitlines() == [
        "gpu(1) gpu(0) [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] [[4.0, 5.0, 6.0], [3.0, 4.0, 5.0]]",
        "broadcast_add: inputs are on different devices: lhs (2, 3) on gpu(0), rhs (2, 3) on gpu(1). Move one with "
        ".as_in_context(gpu(0)).", "True", "True"]


@several
def test_threads_on_two_gpus():
    text = two_gpus("""
        import threading
        sums = {}
        def work(number):
            ctx = mx.gpu(number)
            x = nd.ones((100,), ctx=ctx) * (number + 1)
            for _ in range(20):
                x = x + nd.ones((100,), ctx=ctx)
            sums[number] = x.sum().asscalar()
        threads = [threading.Thread(target=work, args=(n,)) for n in (0, 1)]
        for t in threads: t.start()
        for t in threads: t.join()
        print(sums[0], sums[1])
        """)
    assert text == "2100.0 2200.0\n"


def test_a_gpu_that_is_not_there():
    number = mx.context.num_gpus()
    words = f"there {'is' if number == 1 else 'are'} {number} GPU{'' if number == 1 else 's'} here, numbered from 0"
    for use in (lambda: nd.ones((2,), ctx=mx.gpu(number)), lambda: mx.context.gpu_memory_info(number)):
        with pytest.raises(ContextError) as error:
            use()
        assert str(error.value) == f"gpu({number}) is not available: {words}"


@pytest.mark.skipif(not driver.emulated(), reason="a real device shows what all processes hold")
def test_memory_info_and_an_empty_cache():
    free, total = mx.context.gpu_memory_info()
    assert 0 < free <= total
    x = nd.ones((1000, 1000), ctx=GPU)
    GPU.empty_cache()
    with_x = mx.context.gpu_memory_info(0)[0]
    assert x.asnumpy().sum() == 1e6
    del x
    GPU.empty_cache()
    assert mx.context.gpu_memory_info(0)[0] >= with_x + 4_000_000


def test_waitall_waits_for_devices_that_ran_no_operator(monkeypatch):
    waited = []
    device = backend().device
    monkeypatch.setattr(device, "synchronize", lambda: waited.append(device.number))
    monkeypatch.setattr(GPU, "kernels", {})
    nd.waitall()
    assert waited == [0]


def test_waiting_for_one_array():
    x = nd.ones((3,), ctx=GPU) * 2
    x.wait_to_read()
    x.wait_to_write()
    assert x.asnumpy().tolist() == [2, 2, 2]


def test_two_threads():
    failed = []

    def work(number):
        try:
            x = nd.full((50,), number, ctx=GPU)
            for _ in range(20):
                x = x + nd.ones((50,), ctx=GPU)
                x[0] = number
            assert x[1:].sum().asscalar() == 49 * (number + 20)
        except BaseException as error:
            failed.append(error)
            raise
    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


# -- files and other libraries ----------------------------------------------------------------------------------------


def test_params_files(tmp_path):
    x = nd.arange(6, ctx=GPU, dtype="float16").reshape((2, 3))
    path = str(tmp_path / "x.params")
    nd.save(path, {"a": x, "b": x[1], "c": nd.ones((2,))})
    loaded = nd.load(path)
    assert [loaded[name].context for name in "abc"] == [GPU, GPU, mx.cpu()]
    np.testing.assert_array_equal(loaded["a"].asnumpy(), x.asnumpy(), strict=True)
    np.testing.assert_array_equal(loaded["b"].asnumpy(), x[1].asnumpy(), strict=True)


def test_without_a_gpu_a_file_goes_to_the_cpu(tmp_path, monkeypatch):
    path = str(tmp_path / "x.params")
    nd.save(path, [nd.ones((2, 3), ctx=GPU)])
    assert nd.load(path)[0].context is GPU
    monkeypatch.setenv("MINIGLUON_GPU", "off")
    text = two_gpus(f"""
        print(nd.load({path!r})[0].context, mx.context.num_gpus())
        nd.waitall()
        for use in mx.context.gpu_memory_info, lambda: nd.ones((2,), ctx=mx.gpu()):
            try:
                use()
            except mx.base.ContextError as error:
                print(error)
        """)
    off = "MINIGLUON_GPU=off: GPUs are switched off. Unset the variable to use them."
    assert text.splitlines() == ["cpu(0) 0", off, off]


def test_pickle_and_copy():
    x = nd.arange(6, ctx=GPU, dtype="int32").reshape((2, 3))
    for same in pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x), x.copy():
        assert same.context is GPU
        np.testing.assert_array_equal(same.asnumpy(), x.asnumpy(), strict=True)
        same[:] = 0
    assert x.asnumpy().sum() == 15


def test_dlpack_is_refused():
    x = nd.ones((2,), ctx=GPU)
    wanted = ("an array on gpu(0) cannot be shared through DLPack. Copy it: x.asnumpy(), or x.as_in_context(mx.cpu()), "
              "whose memory can be shared.")
    for share in x.to_dlpack_for_read, x.to_dlpack_for_write, x.__dlpack__:
        with pytest.raises(MXNetError) as error:
            share()
        assert str(error.value) == wanted
    assert x.__dlpack_device__() == (2, 0)
    with pytest.raises(MXNetError) as error:
        nd.from_dlpack(x)
    assert str(error.value) == ("from_dlpack: the array is on DLPack device type 2; only CPU memory (1) can be shared")


def test_gradients_that_look_at_shapes_alone_get_arrays_without_memory():
    def program(ctx):
        x = nd.array(np.linspace(-1, 1, 20), ctx=ctx)
        x.attach_grad()
        with autograd.record():
            h = nd.square(x).reshape((4, 5))
            parts = [nd.mean(h), nd.sum(h + nd.ones((5,), ctx=ctx)), nd.sum(nd.argmax(h, axis=1)),
                     nd.sum(nd.square(nd.concat(h, h, dim=0))), nd.sum(nd.Crop(h.reshape((1, 1, 4, 5)), h_w=(2, 2))),
                     nd.sum(h.astype("float16"))]
            y = sum(part.astype("float32").reshape((1,)) for part in parts)
            slope, = autograd.grad(y, x, create_graph=True)
        slope.backward()
        return slope, x.grad
    both(program)


# -- gradients --------------------------------------------------------------------------------------------------------


def test_backward():
    def program(ctx):
        x, w = nd.array([[1, 2], [3, 4]], ctx=ctx), nd.array([0.5, -1], ctx=ctx)
        for variable in x, w:
            variable.attach_grad()
        with autograd.record():
            y = (x * w)[:, 1] + x.reshape((-1,))[:2] + x[[0, 1, 1], [1, 0, 0]].sum()
            loss = (y * y).sum()
        loss.backward()
        return loss, x.grad, w.grad
    both(program)


def test_writing_what_is_on_the_tape():
    def program(ctx):
        x, y = nd.array([1, 2, 3], ctx=ctx), nd.array([4, 5], ctx=ctx)
        x.attach_grad()
        y.attach_grad()
        with autograd.record():
            z, w = nd.zeros((4,), ctx=ctx), nd.ones((4,), ctx=ctx)
            z[1:] = x * 2
            w[[0, 1, 1]] = nd.concat(y, y[1:] * 3, dim=0)
            loss = (z * z * w).sum()
        loss.backward()
        return z, w, x.grad, y.grad
    both(program)


def test_grad_req_add_and_detach():
    def program(ctx):
        x = nd.array([1, 2], ctx=ctx)
        x.attach_grad(grad_req="add")
        for _ in range(3):
            with autograd.record():
                y = (x * x.detach()).sum()
            y.backward()
        return x.grad
    both(program)


@pytest.mark.parametrize("make", [
    lambda ctx: nd.arange(400, ctx=ctx).reshape((20, 20)).T, lambda ctx: nd.arange(24, ctx=ctx).reshape((2, 3, 4)),
    lambda ctx: nd.array([[0, 1], [2, 0]], ctx=ctx).tostype("csr"),
    lambda ctx: nd.array([[0, 0], [2, 0]], ctx=ctx).tostype("row_sparse")])
def test_what_a_notebook_shows(make):
    assert make(GPU)._repr_html_() == make(mx.cpu())._repr_html_().replace("on cpu(0)", "on gpu(0)")
