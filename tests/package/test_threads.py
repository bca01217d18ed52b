"""Many threads at once: recording, random numbers and kernels of one thread do not disturb another's."""

import threading

import numpy as np
from helpers.threads import run_in_threads

import minigluon as mx
from minigluon import autograd, nd


def test_each_thread_has_its_own_tape():
    def differentiate(i):
        x = nd.ones((3, i + 1))
        x.attach_grad()
        for _ in range(50):
            with autograd.record():
                y = (x * x * (i + 1)).sum()
            y.backward()
        assert not autograd.is_recording()
        return x.grad.asnumpy()

    for i, grad in enumerate(run_in_threads(differentiate)):
        np.testing.assert_array_equal(grad, np.full((3, i + 1), 2.0 * (i + 1)))


def test_recording_in_one_thread_does_not_record_in_another():
    inside, done = threading.Event(), threading.Event()
    seen = []

    def other():
        inside.wait()
        seen.append((autograd.is_recording(), autograd.is_training()))
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with autograd.record():
        inside.set()
        done.wait()
    thread.join()
    assert seen == [(False, False)]


def test_new_shapes_in_many_threads_prepare_kernels_safely():
    mx.cpu(0).kernels.clear()

    def compute(i):
        return [float(nd.sum(nd.ones((n, 2)) + i).asscalar()) for n in range(1, 200)]

    for i, sums in enumerate(run_in_threads(compute)):
        assert sums == [2.0 * n * (1 + i) for n in range(1, 200)]


def test_default_device_is_per_thread():
    def device(i):
        with mx.cpu(i):
            return [str(nd.zeros((1,)).context) for _ in range(20)]

    for i, devices in enumerate(run_in_threads(device)):
        assert set(devices) == {f"cpu({i})"}
