"""What is cut out of the engine."""

from ...step import Hole, Part, Step

PARAMETER = "minigluon.gluon.parameter"
INIT, GRADIENT = "minigluon.gluon.parameter_init", "minigluon.gluon.parameter_gradient"

STEP = Step(
    title="Parameter, and deferred initialization",
    parts=[
        Part(INIT, "ParameterInit.initialize", (Hole(
            "with the whole shape known, self._initialize_now makes the arrays; it takes what the note below has, one "
            "by one. Otherwise note (init, contexts, default_init, None) in self._deferred; what the parameter had is "
            "no longer valid: self._replace(None), and no gradient. Where self._allow_deferred_init is not set, "
            "nothing is noted, and a ShapeError says that the shape is not known.",
            "if self._is_shape_known()", "if not self._allow_deferred_init"),)),
        Part(INIT, "ParameterInit._finish_deferred_init", (Hole(
            "make what initialize has deferred, if it has deferred anything. A DeferredInitializationError where the "
            "shape is still not known. The note in self._deferred goes last: another thread must never see a parameter "
            "that is neither deferred nor made.",),)),
        Part(INIT, "ParameterInit._initialize_now", (Hole(
            "value is an array, or None. If None, make zeros of shape self._shape and dtype self._dtype on the CPU, "
            "and have them filled: initializer.create(default_init)(desc, array), where desc is an "
            "initializer.InitDesc(self.name, {'__init__': init}). Then self._replace a dict from each context to "
            "self._stored(a copy of the value there).",
            "if value is None", "self._replace"),)),
        Part(GRADIENT, "ParameterGradient._attach_grad", (Hole(
            "for each device a gradient of zeros, of the array's shape and dtype and of storage self.grad_stype, in "
            "the dict self._grad; then autograd.mark_variables(arrays, gradients, self._grad_req) with two lists.",
            "self._grad = {ctx", "autograd.mark_variables"),)),
        Part(PARAMETER, "Parameter._on_current", (Hole(
            "arrays is a dict from devices to arrays: return the only one there is, or else that of current_context(); "
            "self._raise_unavailable, which takes that device and arrays, where it has none.",),), in_lenet=False),
        Part("minigluon.gluon.parameter_dict", "ParameterDict.get", (Hole(
            "the full name is the prefix and the name. What self._find gives for it is returned, after self._agree "
            "has looked at each attribute that was asked for, with its value. If it finds nothing, a new Parameter is "
            "made and kept under the full name.",),)),
        Part("minigluon.gluon.parameter_dict", "ParameterDict._find", (Hole(
            "the parameter of that full name: in this dict, or in the shared one; what is found there is kept here, "
            "too. None where it is in neither.",),)),
    ],
    hints={
        "ParameterInit.initialize": [
            "Three cases: the shape is known; it is not, and may be told later; it is not, and must be.",
            "The engine sets self._deferred in both later cases, and takes it back before it raises.",
        ],
        "ParameterInit._finish_deferred_init": [
            "self._deferred is None: nothing to do. It is a tuple, whose items are just what _initialize_now takes.",
        ],
        "ParameterInit._initialize_now": [
            "nd.zeros(shape, ctx=cpu(), dtype=dtype) makes the array; an initializer writes into it.",
            "{ctx: ... for ctx in contexts}, with value.copyto(ctx).",
        ],
        "ParameterGradient._attach_grad": [
            "nd.zeros takes shape, ctx=, dtype= and stype=. Both lists in the same order."],
        "Parameter._on_current": ["next(iter(arrays.values())) is the only value of a dict with one."],
        "ParameterDict.get": ["self._params is the dict; Parameter(name, **kwargs) makes one."],
        "ParameterDict._find": ["self._shared is another ParameterDict or None; its own dict is self._shared._params."],
    },
    equivalent={
        "ParameterInit._initialize_now: nd.zeros(self._shape, ctx=cpu(), dtype=self._dtype)  ->  "
        "nd.zeros(self._shape, dtype=self._dtype)": "filled on the current device, it is copied to each all the same",
    },
)
