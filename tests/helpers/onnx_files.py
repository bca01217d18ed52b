"""Networks as ONNX files, computed by a runtime that nobody here wrote."""

import numpy as np
import onnx
import onnxruntime

from minigluon import nd

__all__ = ["close", "difference", "flat", "run_file"]

onnxruntime.set_default_logger_severity(4)


def run_file(path, arrays):
    """Outputs of a file for NumPy arrays in the order of its inputs, after onnx.checker has seen all of it."""
    onnx.checker.check_model(path, full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options)
    names = [value.name for value in session.get_inputs()]
    return session.run(None, dict(zip(names, arrays, strict=True)))


def flat(results):
    """NumPy arrays of what a network returns: an NDArray, or nested lists of them."""
    if isinstance(results, (list, tuple)):
        return [array for part in results for array in flat(part)]
    return [results.asnumpy() if isinstance(results, nd.NDArray) else np.asarray(results)]


def difference(found, wanted):
    """The largest distance, relative to the largest number; inf where shapes or types differ, or what is finite.

    A number counts as 0.05 at least: where numbers near 1 cancel, there are no more digits.
    """
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return np.inf
    if wanted.dtype.kind not in "f":
        return 0.0 if np.array_equal(found, wanted) else np.inf
    finite = np.isfinite(wanted)
    if not np.array_equal(np.isfinite(found), finite) or not finite.any():
        return np.inf if finite.any() or not np.array_equal(np.isfinite(found), finite) else 0.0
    found, wanted = found[finite].astype(np.float64), wanted[finite].astype(np.float64)
    return np.abs(found - wanted).max() / max(np.abs(wanted).max(), 0.05)


def close(found, wanted, tolerance=1e-5):
    """Do all outputs agree?"""
    return len(found) == len(wanted) and all(
        difference(f, w) <= (2e-3 if w.dtype == np.float16 else tolerance) for f, w in zip(found, wanted, strict=True))
