"""The part of cuDNN's stand-in that is for BatchNorm: see `cudnn_stand_in`."""

import ctypes

import numpy as np
from minigluon_accel.gpu.compile import prepare
from minigluon_accel.gpu.kernels.nn import batch_norm
from minigluon_accel.gpu.launch import In, Out, Scratch

from helpers.c_stand_in import fill, need, run_on
from helpers.gpu_checks import backend
from minigluon.backend import Spec
from minigluon.ops import REGISTRY

__all__ = ["BAD_PARAM", "NULL_POINTER", "BatchNormStandIn", "is_last"]

BAD_PARAM, NULL_POINTER, MISALIGNED, NOT_SUPPORTED = 2000, 2002, 2003, 3000     # cudnnStatus_t


class BatchNormStandIn:
    """The functions of BatchNorm, for a class that has descriptors, handles, `calls` and `kernels`."""

    def cudnnBatchNormalizationForwardTraining(self, handle, mode, alpha, beta, first, x, second, y, vector, gamma,
                                               shift, factor, moving_mean, moving_variance, eps, mean, inverse):
        sides, dtype, stream = self._normalized(handle, mode, vector, (first, second), [(alpha, beta)],
                                                [x, gamma, shift], [y, mean, inverse])
        need(moving_mean is None is moving_variance and eps >= 0, BAD_PARAM, "moving averages, eps")
        self.calls.append(("ForwardTraining", dtype, sides, eps))
        run_on(stream, *self._normalizing("BatchNorm", dtype, sides, [x, gamma, shift], [y, mean, inverse], eps=eps,
                                          fix_gamma=False))

    def cudnnBatchNormalizationBackward(self, handle, mode, alpha, beta, alpha_too, beta_too, first, x, second, dy,
                                        third, dx, vector, gamma, gamma_grad, beta_grad, eps, mean, inverse):
        sides, dtype, stream = self._normalized(
            handle, mode, vector, (first, second, third), [(alpha, beta), (alpha_too, beta_too)],
            [x, dy, gamma, mean, inverse], [dx, gamma_grad, beta_grad])
        need(eps >= 0, BAD_PARAM, "eps")
        self.calls.append(("Backward", dtype, sides))
        run_on(stream, *self._normalizing("_batch_norm_grad", dtype, sides, [dy, x, gamma, mean, inverse],
                                          [dx, gamma_grad, beta_grad], fix_gamma=False))

    def _normalized(self, handle, mode, vector, arrays, factors, inputs, results):
        """((before, channels, after), dtype, stream); the results filled with NaNs."""
        found, vector = [self._object(number, "Tensor") for number in arrays], self._object(vector, "Tensor")
        need(mode == 1, BAD_PARAM, "mode")
        x = found[0]
        need(all((one.dtype, one.sizes, one.steps) == (x.dtype, x.sizes, x.steps) for one in found), BAD_PARAM, "data")
        wide = "float64" if x.dtype == "float64" else "float32"
        need((vector.dtype, vector.sizes) == (wide, [1, x.sizes[1], 1, 1]), BAD_PARAM, "vectors")
        scalar = ctypes.c_double if x.dtype == "float64" else ctypes.c_float
        need(all((scalar.from_address(a).value, scalar.from_address(b).value) == (1, 0) for a, b in factors), BAD_PARAM,
             "alpha, beta")
        need(None not in (*inputs, *results), NULL_POINTER, "an array")
        need(not any(pointer % 16 for pointer in (*inputs, *results)), MISALIGNED, "address")
        need(not set(results) & set(inputs), BAD_PARAM, "a result in the place of an operand")
        before, count, after = x.sizes[0], x.sizes[1], int(np.prod(x.sizes[2:]))
        stream, one = self.handles[handle], count * np.dtype(wide).itemsize
        fill(stream, results[0], before * count * after * np.dtype(x.dtype).itemsize, 0xFF)
        for pointer in results[1:]:
            fill(stream, pointer, one, 0xFF)
        return (before * after, count, 1) if is_last(x) else (before, count, after), x.dtype, stream

    def _normalizing(self, name, dtype, sides, inputs, results, **attributes):
        """(the project's own kernels for it, addresses of all their operands)."""
        key = name, dtype, sides, *attributes.items()
        if key not in self.kernels:
            op, device = REGISTRY[name](axis=1, **attributes), backend().device
            specs = [Spec(sides, np.dtype(dtype))] * (2 if name == "_batch_norm_grad" else 1)
            shapes = [[spec.shape for spec in specs], [spec.dtype for spec in specs]]
            missing = len(op.arguments) - len(specs)
            full = [rule(*known, *[None] * missing) for rule, known in
                    zip((op.infer_shape, op.infer_dtype), shapes, strict=True)]
            (shapes, outs), (dtypes, out_dtypes) = full
            ins, outs = ([Spec(*one) for one in zip(*pair, strict=True)] for pair in
                         ((shapes, dtypes), (outs, out_dtypes)))
            work = (batch_norm.own_backward(op, ins) if name == "_batch_norm_grad" else
                    batch_norm.own_forward(op, ins, outs, True))
            places = {In: 0, Out: len(ins), Scratch: len(ins) + len(outs)}
            rest = [backend().from_numpy(np.ones(spec.shape, spec.dtype), None) for spec in
                    (*ins[len(inputs):], *outs[len(results):], *work.scratch)]
            self.kernels[key] = ([prepare(device, launch, places) for launch in work.launches],
                                 [x.pointer for x in rest[:len(ins) - len(inputs)]],
                                 [x.pointer for x in rest[len(ins) - len(inputs):]], rest)
        launches, more_inputs, more_outputs, _ = self.kernels[key]
        return launches, [*inputs, *more_inputs, *results, *more_outputs]


def is_last(tensor):
    """Are a tensor's channels its last axis in memory? It must have no gaps."""
    order = sorted(range(len(tensor.sizes)), key=lambda axis: (-tensor.steps[axis], axis))
    step = 1
    for axis in reversed(order):
        need(tensor.steps[axis] == step or tensor.sizes[axis] == 1, NOT_SUPPORTED, "gaps in a tensor")
        step *= tensor.sizes[axis]
    return tensor.steps[1] == 1 and tensor.sizes[1] > 1
