"""Functions that run an ONNX file in onnxruntime and in OpenVINO, and the limits of a process that does so.

The modules of the runtimes are imported here, once, and not in each of the processes.
"""

import multiprocessing
import os
import time
import traceback
from pathlib import Path

import numpy as np
import onnxruntime
import openvino

__all__ = ["RUNTIMES", "run_limited", "threads"]

PATIENCE = 10


def threads():
    """How many threads minigluon has, so that the runtimes have as many."""
    return int(os.environ["OMP_NUM_THREADS"])


def with_onnxruntime(path):
    """A function from arrays to the outputs that onnxruntime computes."""
    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads()
    session = onnxruntime.InferenceSession(path, options)
    names = [value.name for value in session.get_inputs()]
    return lambda arrays: session.run(None, dict(zip(names, arrays, strict=True)))


def with_openvino(path):
    """The same with OpenVINO, in float32."""
    compiled = openvino.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32",
                                                           "INFERENCE_NUM_THREADS": threads()})

    def run(arrays):
        results = compiled(list(arrays))
        return [np.array(results[output]) for output in compiled.outputs]
    return run


RUNTIMES = {"onnxruntime": with_onnxruntime, "OpenVINO": with_openvino}


def run_limited(function, arguments, seconds, gigabytes):
    """What the function returns in a separate process, a dict; {"error": ...} if it fails, dies or exceeds a limit.

    seconds: of the processor, so that other programs do not change what is reached, and PATIENCE times as long in all.
    """
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_child, args=(there, function, arguments))
    process.start()
    there.close()
    end = time.monotonic() + PATIENCE * seconds
    try:
        while not here.poll(0.2):
            used, resident = _used(process.pid)
            if used > seconds or time.monotonic() > end:
                return {"error": f"not ready within {seconds:g} seconds"}
            if resident > gigabytes * 2**30:
                return {"error": f"more than {gigabytes:g} GB of memory"}
        return here.recv()
    except EOFError:
        process.join()
        return {"error": f"the process ended with {process.exitcode}"}
    finally:
        process.kill()
        process.join()


def _child(connection, function, arguments):
    try:
        connection.send(function(*arguments))
    except Exception as error:
        connection.send({"error": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()})


def _used(pid):
    """(seconds of the processor, bytes of memory) of a process; zeros if it has ended, or on a system without /proc."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0, 0
    ticks, pages = int(after_name[11]) + int(after_name[12]), int(after_name[21])
    return ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE")
