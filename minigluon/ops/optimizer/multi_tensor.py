"""Operators on many arrays at once: SGD steps for several weights, and LARS's scaling of their learning rates.

The inputs of a step come in groups, one per weight: (weight, grad, [mom], [weight32]). The `preloaded_` forms take
learning rates and decays as two additional arrays of length num_weights at the end.

The `_steps` forms do not exist in MXNet. They also overwrite the weights, and everything that may change between steps
is an array, so that an optimizer or a plan runs the same kernel in each step, once for all weights.
"""

from types import SimpleNamespace

import numpy as np

from ..fields import Floats
from ..op import Op
from ..registry import define, register
from .adam import adam
from .sgd import sgd, sgd_momentum
from .update import require_mixed

__all__ = ["InPlaceMultiUpdate"]


def require_groups(op, dtypes):
    """Raises DTypeError if a weight's step does not accept its types."""
    size = len(op.group)
    for start in range(0, size * op.num_weights, size):
        require_mixed(op, dict(zip(op.group, dtypes[start:start + size], strict=False)))


class MultiUpdate(Op):
    """Steps for several weights. `preloaded` says whether lrs and wds are arrays; the comment before
    the rows describes `group` and `step`.

    lrs: the learning rate of each weight.
    wds: the decay of each weight.
    momentum: the fraction of the last step that is repeated.
    rescale_grad: the factor of each gradient, applied first.
    clip_gradient: the rescaled gradients are clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    num_weights: the number of weights.
    """

    gradient = None
    keeps = ()

    @property
    def num_inputs(self):
        return self.num_weights * len(self.group) + (2 if self.preloaded else 0)

    @property
    def num_outputs(self):
        return self.num_weights

    @property
    def mutates(self):
        """Returns the states: everything in a group after weight and grad."""
        size = len(self.group)
        return tuple(f"data{i * size + j}" for i in range(self.num_weights) for j in range(2, size))

    def infer_shape(self, *shapes):
        size = len(self.group)
        self.require_count(len(shapes))
        inputs, outputs = [], []
        for i in range(self.num_weights):
            shape = None
            for j in range(size):
                shape = self.require(f"data{i * size + j}", shapes[i * size + j], shape)
            inputs += [shape] * size
            outputs.append(shape)
        rates = [self.require(f"data{i}", shapes[i], (self.num_weights,)) for i in range(len(inputs), len(shapes))]
        return inputs + rates, outputs

    def require_count(self, count, absent=()):
        if count != self.num_inputs or absent:
            rates = ", then lrs and wds" if self.preloaded else ""
            raise self.shape_clash(f"{self.num_weights} weights need {self.num_inputs} arrays "
                                   f"({', '.join(self.group)} for each{rates}), found {count}")
        if not self.preloaded and not len(self.lrs) == len(self.wds) == self.num_weights:
            raise self.shape_clash(f"{self.num_weights} weights with {len(self.lrs)} lrs and {len(self.wds)} wds")

    def infer_dtype(self, *dtypes):
        require_groups(self, dtypes)
        return list(dtypes), list(dtypes[:len(self.group) * self.num_weights:len(self.group)])

    def forward(self, *data):
        size = len(self.group)
        lrs, wds = (data[-2].tolist(), data[-1].tolist()) if self.preloaded else (self.lrs, self.wds)
        weights, states = [], []
        for i in range(self.num_weights):
            new, *state = self.step(self, *data[i * size:(i + 1) * size], lrs[i], wds[i])
            weights.append(new)
            states += state
        return (*weights, *states)


class InPlaceMultiUpdate(Op):
    """Steps for several weights, in place. The result is an empty array, through which a graph refers to the step.

    In a plan, these steps come after everything that reads the weights; see `hybrid.steps.behind_readers`.

    data: a group of arrays for each weight, then `rates` (1 + 2 · num_weights,): the factor of all gradients (called
    rescale_grad elsewhere), the learning rates, and the decays.
    """

    gradient = None
    keeps = ()
    read_only = ("grad",)       # the arrays of a group that are not overwritten
    takes_rates = True

    @property
    def num_inputs(self):
        return self.num_weights * len(self.group) + self.takes_rates

    @property
    def overwritten(self):
        """Returns the positions of the inputs that are overwritten."""
        size = len(self.group)
        return [i for i in range(self.num_weights * size) if self.group[i % size] not in self.read_only]

    @property
    def mutates(self):
        return tuple(f"data{i}" for i in self.overwritten)

    def require_count(self, count, absent=()):
        if count != self.num_inputs or absent:
            rates = ", then rates" if self.takes_rates else ""
            raise self.shape_clash(f"{self.num_weights} weights need {self.num_inputs} arrays "
                                   f"({', '.join(self.group)} for each{rates}), found {count}")

    def infer_shape(self, *shapes):
        size = len(self.group)
        self.require_count(len(shapes))
        inputs = []
        for i in range(0, self.num_weights * size, size):
            shape = None
            for j in range(i, i + size):
                shape = self.require(f"data{j}", shapes[j], shape)
            inputs += [shape] * size
        if self.takes_rates:
            inputs.append(self.require(f"data{len(inputs)}", shapes[-1], (1 + 2 * self.num_weights,)))
        return inputs, [(0,)]

    def infer_dtype(self, *dtypes):
        require_groups(self, dtypes)
        return list(dtypes), [dtypes[0]]

    def forward(self, *data):
        results = [self.step(how, *arrays, lr, wd) for how, arrays, lr, wd in self.each(data)]
        return (np.empty(0, data[0].dtype), *[array for result in results for array in result])

    def each(self, data):
        """Yields (attributes of the step, arrays, learning rate, decay) for each weight."""
        size, count, rates = len(self.group), self.num_weights, data[-1].tolist()
        how = SimpleNamespace(**self.attributes, rescale_grad=rates[0])
        for i in range(count):
            yield how, data[i * size:(i + 1) * size], rates[1 + i], rates[1 + count + i]


# -- the rows -------------------------------------------------------------------------------------------------------

def _sgd(how, weight, grad, lr, wd):
    return sgd(how, weight, grad, lr, wd),


def _mp_sgd(how, weight, grad, weight32, lr, wd):
    new = sgd(how, weight32, grad.astype(weight32.dtype), lr, wd)
    return new.astype(weight.dtype), new


def _mp_sgd_mom(how, weight, grad, mom, weight32, lr, wd):
    new, mom = sgd_momentum(how, weight32, grad.astype(weight32.dtype), mom, lr, wd)
    return new.astype(weight.dtype), mom, new


# name: (group: the arrays of one weight; step(how, *group, lr, wd) -> the new weight and states; its own attributes)
_STEPS = {
    "sgd": (("weight", "grad"), _sgd, {}),
    "sgd_mom": (("weight", "grad", "mom"), sgd_momentum, {"momentum": 0.0}),
    "mp_sgd": (("weight", "grad", "weight32"), _mp_sgd, {}),
    "mp_sgd_mom": (("weight", "grad", "mom", "weight32"), _mp_sgd_mom, {"momentum": 0.0}),
    "adam": (("weight", "grad", "mean", "var"), adam, {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}),
}


def _row(name, base, doc, step, required, optional, **more):
    """Registers an operator. required: {attribute: type}. optional: {attribute: default}, in addition to the step's
    attributes.
    """
    group, function, own = _STEPS[step]
    defaults = {**own, **optional}
    types = {**required, **{key: type(value) for key, value in defaults.items()}}
    define(name, ["*data"], base, doc, group=group, step=function, __annotations__=types, **defaults, **more)


_COMMON = {"rescale_grad": 1.0, "clip_gradient": -1.0, "num_weights": 1}


def _example(name, step, rates, numbers):
    """Returns the end of a row's docstring: shapes, and an example with two weights, 1 and 2, gradient 4 and mom 2."""
    group = _STEPS[step][0]
    half = ', dtype="float16"' if "weight32" in group else ""
    one, two = (", ".join({"weight": f"nd.array([{weight}]{half})", "grad": f"nd.array([4]{half})",
                           "mom": "nd.array([2])", "weight32": f"nd.array([{weight}])"}[part] for part in group)
                for weight in (1, 2))
    momentum = "momentum=0.5, " if "mom" in group else ""
    return f"""

    data: ({", ".join(group)}) for each weight | out: the new weights; the states are overwritten

    >>> one = [{one}]
    >>> two = [{two}]
    >>> new = nd.{name}(*one, *two, {rates}, {momentum}num_weights=2)
    >>> print(nd.concat(*new, dim=0).asnumpy())
    {numbers}
    """


for _name, _numbers in ("sgd", "[-1.  1.]"), ("sgd_mom", "[0. 2.]"), ("mp_sgd", "[-1.  1.]"), ("mp_sgd_mom", "[0. 2.]"):
    _many = f"multi_{_name}_update"
    _row(_many, MultiUpdate, f"`{_name}_update` of several weights."
         + _example(_many, _name, "lrs=(0.5, 0.25), wds=(0, 0)", _numbers), _name,
         {"lrs": Floats, "wds": Floats}, _COMMON, preloaded=False)
    _row(f"preloaded_{_many}", MultiUpdate, f"`{_many}` with lrs and wds as the last two arrays of data."
         + _example(f"preloaded_{_many}", _name, "nd.array([0.5, 0.25]), nd.zeros(2)", _numbers), _name,
         {}, _COMMON, preloaded=True)
for _name in "sgd", "sgd_mom", "adam":
    _row(f"_{_name}_steps", InPlaceMultiUpdate, f"`{_name}_update` of several weights in place, with its numbers in an "
         "array.", _name, {"num_weights": int}, {"clip_gradient": -1.0})


@register("*data")
class multi_sum_sq(Op):
    """The sum of squares of each array, Σ x², as one float32 vector.

    data (any shapes) | out (num_arrays,)

    num_arrays: the number of arrays.

    >>> print(nd.multi_sum_sq(nd.array([3, 4]), nd.ones((2, 3)), num_arrays=2).asnumpy())
    [25.  6.]
    """

    num_arrays: int
    gradient = None
    keeps = ()

    @property
    def num_inputs(self):
        return self.num_arrays

    def infer_shape(self, *shapes):
        return list(shapes), [(len(shapes),)]

    def infer_dtype(self, *dtypes):
        return list(dtypes), [np.dtype("float32")]

    def forward(self, *data):
        return np.array([np.add.reduce(np.square(x, dtype="float32"), None, "float64") for x in data], "float32")


@register("lrs", "weights_sum_sq", "grads_sum_sq", "wds")
class multi_lars(Op):
    """lrs · eta · |w| / (|g| + wds · |w| + eps) from sums of squares; lrs if a norm is 0. |g| is rescaled.

    lrs, weights_sum_sq, grads_sum_sq, wds (number of weights,) | out like lrs

    eta: the trust coefficient, a factor of the learning rates.
    eps: added to the denominator to avoid division by 0.
    rescale_grad: the factor of the gradients, applied first.

    Source: You, Gitman and Ginsburg 2017, Large batch training of convolutional networks, arXiv:1708.03888.

    >>> lrs, wds = nd.array([1, 1]), nd.zeros(2)
    >>> print(nd.multi_lars(lrs, nd.array([36, 0]), nd.array([4, 4]), wds, eta=0.5, eps=0).asnumpy())
    [1.5 1. ]
    """

    eta: float
    eps: float
    rescale_grad: float = 1.0
    gradient = None
    keeps = ()

    def forward(self, lrs, weights_sum_sq, grads_sum_sq, wds):
        w, g = np.sqrt(weights_sum_sq), np.sqrt(grads_sum_sq)
        valid = (w > 0) & (g > 0)
        below = np.where(valid, g * self.rescale_grad + wds * w + self.eps, 1)
        return np.where(valid, lrs * self.eta * w / below, lrs).astype(lrs.dtype)


@register("*data")
class reset_arrays(Op):
    """Overwrites all arrays with zeros. There is no output.

    data (any shapes) | outputs: none

    num_arrays: the number of arrays.

    >>> x, y = nd.ones(2), nd.ones(1)
    >>> _ = nd.reset_arrays(x, y, num_arrays=2)
    >>> print(x.asnumpy(), y.asnumpy())
    [0. 0.] [0.]
    """

    num_arrays: int
    gradient = None
    keeps = ()
    num_outputs = 0

    @property
    def num_inputs(self):
        return self.num_arrays

    @property
    def mutates(self):
        return tuple(f"data{i}" for i in range(self.num_arrays))

    def require_count(self, count, absent=()):
        if count != self.num_arrays or absent:
            raise self.shape_clash(f"num_arrays={self.num_arrays}, but {count} arrays were given")

    def infer_shape(self, *shapes):
        self.require_count(len(shapes))
        return list(shapes), []

    def infer_dtype(self, *dtypes):
        return list(dtypes), []

    def forward(self, *data):
        return tuple(np.zeros_like(x) for x in data)
