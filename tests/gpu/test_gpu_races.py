"""Textbook patterns with and without their mistakes, in the emulator's hard mode: races are told apart from order."""

import functools
import pathlib

import numpy as np
import pytest
from helpers.gpu_emulator import _context, _hard, cuda, emulator, fetched, filled, run  # noqa: F401 - fixtures

SOURCE = (pathlib.Path(__file__).parents[1] / "helpers" / "gpu_race_kernels.cu").read_text()
N = 64


@functools.cache
def image():
    return emulator.compile(SOURCE, name="races.cu")


def loaded():
    return cuda.module_from_buffer(image())


def lines(kernel):
    """The lines that are marked with a kernel's name."""
    return [f"races.cu:{number}" for number, line in enumerate(SOURCE.splitlines(), 1)
            if line.endswith(f"// {kernel}")]


def race(call):
    """The Report of the race that ends a call or the wait after it."""
    def waited_for():
        call()
        cuda.Context.synchronize()

    with pytest.raises(cuda.Error) as caught:
        waited_for()
    found = emulator.report(caught.value)
    del caught
    assert found is not None
    assert found.kind == "race"
    return found


def numbers(count=N):
    return np.arange(count, dtype=np.float32)


TRIPLED = numbers() + np.roll(numbers(), -1) + np.roll(numbers(), -1) + np.roll(numbers(), -2)
ROUNDS = TRIPLED + np.roll(TRIPLED, -1)
PADDED = np.pad(numbers(2 * N), 1)
RIGHT = [
    # kernel, block, blocks, further arrays, what it writes
    ("tree", N, 1, [], [numbers().sum()]),
    ("broadcast", N, 1, [], np.zeros(N)),
    ("neighbours", N, 1, [], ROUNDS),
    ("double_buffer", N, 1, [], ROUNDS),
    ("stencil", N, 2, [], PADDED[:-2] + PADDED[1:-1] + PADDED[2:]),
    ("transposition", (8, 8, 1), 1, [], numbers().reshape(8, 8).T.ravel()),
    ("scan", N, 1, [], np.cumsum(numbers())),
    ("dynamic", N, 1, [], numbers()[::-1]),
    ("in_step", 32, 1, [], [numbers().sum()]),
    ("halves", 32, 1, [], np.arange(32) ^ 1),
    ("shuffles", N, 1, [], [numbers().sum()]),
    ("histogram", N, 4, [], [64] * 4),
    ("last_block", N, 4, [8], [numbers(4 * N).sum()]),
    ("last_block_one_fence", N, 4, [8], [numbers(4 * N).sum()]),
]
RACY = [
    # kernel, block, blocks, further arrays, the array's name, both accesses where they are always the same
    ("tree_without_barrier", N, 1, [], "tree_without_barrier::part"),
    ("broadcast_without_barrier", N, 1, [], "broadcast_without_barrier::first"),
    ("neighbours_with_one_barrier", N, 1, [], "neighbours_with_one_barrier::now"),
    ("stencil_without_barrier", N, 2, [], "stencil_without_barrier::tile"),
    ("transposition_without_barrier", (8, 8, 1), 1, [], "transposition_without_barrier::tile"),
    ("scan_in_place", N, 1, [], "scan_in_place::sums"),
    ("dynamic_without_barrier", N, 1, [], None),
    ("in_step_by_hope", 32, 1, [], "in_step_by_hope::part"),
    ("in_step_by_volatile", 32, 1, [], "in_step_by_volatile::part"),
    ("halves_across", 32, 1, [], "halves_across::part"),
    ("shuffles_without_barrier", N, 1, [], "shuffles_without_barrier::of_warps"),
    ("histogram_without_atomics", N, 4, [], "counts"),
    ("last_block_without_fence", N, 4, [8], "parts"),
]


def launched(kernel, block, blocks, more):
    """The array that a kernel writes, and a function that launches it on numbers from 0 on."""
    y = filled(np.zeros(blocks * N))
    others = [filled(np.zeros(count)) for count in more]
    x = filled(numbers(blocks * N))
    block = block if isinstance(block, tuple) else (block, 1, 1)
    module = loaded()
    return y, lambda: run(module, kernel, y, *others, x, block=block, grid=(blocks, 1, 1), shared=4 * N)


@pytest.mark.parametrize(("kernel", "block", "blocks", "more", "expected"), RIGHT, ids=[case[0] for case in RIGHT])
def test_what_is_ordered_is_no_race(kernel, block, blocks, more, expected):
    y, launch = launched(kernel, block, blocks, more)
    launch()
    np.testing.assert_array_equal(fetched(y, len(expected)), np.asarray(expected, np.float32))


@pytest.mark.parametrize(("kernel", "block", "blocks", "more", "name"), RACY, ids=[case[0] for case in RACY])
def test_a_race_is_told_with_its_array_and_both_lines(capfd, kernel, block, blocks, more, name):
    _, launch = launched(kernel, block, blocks, more)
    found = race(launch)
    assert found.name == name
    assert found.memory == ("global" if name in ("counts", "parts") else "shared")
    assert {found.side.line, found.other.line} <= set(lines(kernel))
    assert "writes" in (found.side.access, found.other.access)
    assert found.side.kernel == found.other.kernel == kernel
    assert (found.side.block, found.side.thread) != (found.other.block, found.other.thread)
    assert f"minigluon emulator: {found.text}\n" in capfd.readouterr().err


def test_a_race_in_place_between_blocks():
    x = filled(numbers(2 * N))
    found = race(lambda: run(loaded(), "stencil_in_place", x, block=(N, 1, 1), grid=(2, 1, 1)))
    assert found.name == "x"
    assert {found.side.line, found.other.line} == set(lines("stencil_in_place"))
    assert {found.side.block, found.other.block} == {(0, 0, 0), (1, 0, 0)}
    assert "and blocks of a launch run in any order" in found.text


# -- streams and copies ------------------------------------------------------------------------------------------------


def streams():
    return cuda.Stream(1), cuda.Stream(1)


def test_two_streams_need_an_event():
    first, second = streams()
    y, module = filled(numbers()), loaded()
    doubled = module.get_function("doubled")
    doubled(y, block=(N, 1, 1), stream=first)
    event = cuda.Event()
    event.record(first)
    second.wait_for_event(event)
    doubled(y, block=(N, 1, 1), stream=second)
    second.synchronize()
    np.testing.assert_array_equal(fetched(y, N), numbers() * 4)


def test_two_streams_without_an_event_race():
    first, second = streams()
    y, x, module = filled(numbers()), filled(numbers()), loaded()

    def call():
        module.get_function("moved")(y, x, block=(N, 1, 1), stream=first)
        module.get_function("doubled")(y, block=(N, 1, 1), stream=second)

    found = race(call)
    assert found.name == "y"
    assert found.side.kernel != found.other.kernel
    for side in found.side, found.other:
        assert [side.line] == lines(side.kernel)
    assert found.text.endswith("with no event, stream or waiting host between")


def test_the_default_stream_waits_for_blocking_streams_alone():
    for flags, races in (0, False), (1, True):
        stream, y, module = cuda.Stream(flags), filled(numbers()), loaded()

        def call(stream=stream, y=y, module=module):
            module.get_function("doubled")(y, block=(N, 1, 1), stream=stream)
            module.get_function("doubled")(y, block=(N, 1, 1))

        if races:
            assert race(call).side.kernel == "doubled"
        else:
            call()


def test_a_copy_beside_a_kernel_races_with_it():
    first, second = streams()
    y, module = filled(numbers()), loaded()
    host = cuda.pagelocked_empty(N, np.float32)

    def call():
        module.get_function("doubled")(y, block=(N, 1, 1), stream=first)
        cuda.memcpy_dtoh_async(host, y, second)

    found = race(call)
    sides = {side.kernel: side for side in (found.side, found.other)}
    assert sides[None].title == "a copy to the host"
    assert (sides[None].access, sides["doubled"].access) == ("reads", "writes")
    assert [sides["doubled"].line] == lines("doubled")


def test_a_copy_behind_a_kernel_that_was_waited_for():
    first, second = streams()
    y, module = filled(numbers()), loaded()
    host = cuda.pagelocked_empty(N, np.float32)
    module.get_function("doubled")(y, block=(N, 1, 1), stream=first)
    first.synchronize()
    cuda.memcpy_dtoh_async(host, y, second)
    second.synchronize()
    np.testing.assert_array_equal(host, numbers() * 2)
