"""The parts of the engine that the learner writes, with tasks and hints."""

from ...step import Hole, Part, Step

PARAMETER = "minigluon.gluon.parameter"
INIT, GRADIENT = "minigluon.gluon.parameter_init", "minigluon.gluon.parameter_gradient"

STEP = Step(
    title="Parameter, and deferred initialization",
    parts=[
        Part(INIT, "ParameterInit.initialize", (Hole(
            "if the shape is completely known, self._initialize_now creates the arrays; it takes the items of the "
            "tuple below as arguments. Otherwise store (init, contexts, default_init, None) in self._deferred; the old "
            "value is no longer valid: call self._replace(None), and drop the gradient. If self._allow_deferred_init "
            "is not set, store nothing, and raise a ShapeError that says that the shape is unknown.",
            "if self._is_shape_known()", "if not self._allow_deferred_init"),)),
        Part(INIT, "ParameterInit._finish_deferred_init", (Hole(
            "carry out the initialization that initialize has deferred, if any. Raise a DeferredInitializationError if "
            "the shape is still unknown. Clear self._deferred last: another thread must never see a parameter that is "
            "neither deferred nor initialized.",),)),
        Part(INIT, "ParameterInit._initialize_now", (Hole(
            "value is an array, or None. If None, create zeros of shape self._shape and dtype self._dtype on the CPU, "
            "and fill them: initializer.create(default_init)(desc, array), where desc is an "
            "initializer.InitDesc(self.name, {'__init__': init}). Then call self._replace with a dict from each "
            "context to self._stored(a copy of the value there).",
            "if value is None", "self._replace"),)),
        Part(GRADIENT, "ParameterGradient._attach_grad", (Hole(
            "create a gradient of zeros for each device, with the array's shape and dtype and storage type "
            "self.grad_stype, in the dict self._grad; then call autograd.mark_variables(arrays, gradients, "
            "self._grad_req) with two lists.",
            "self._grad = {ctx", "autograd.mark_variables"),)),
        Part("minigluon.gluon.parameter_devices", "ParameterDevices._on_current", (Hole(
            "arrays is a dict from devices to arrays. If it has only one, return it; otherwise return the one of "
            "current_context(). If there is none, call self._raise_unavailable with that device and "
            "arrays.",),), in_lenet=False),
        Part("minigluon.gluon.parameter_dict", "ParameterDict.get", (Hole(
            "the full name is the prefix and the name. If self._find returns a parameter for it, check each given "
            "attribute and its value with self._agree, and return the parameter. Otherwise create a new Parameter and "
            "store it under the full name.",),)),
        Part("minigluon.gluon.parameter_dict", "ParameterDict._find", (Hole(
            "return the parameter with that full name, from this dict or the shared one; one found there is also "
            "stored here. Return None if it is in neither.",),)),
    ],
    hints={
        "ParameterInit.initialize": [
            "Three cases: the shape is known; it is unknown, but may become known later; it is unknown, but must be "
            "known.",
            "The engine sets self._deferred in the last two cases, and resets it before it raises.",
        ],
        "ParameterInit._finish_deferred_init": [
            "If self._deferred is None, there is nothing to do. Otherwise it is a tuple whose items are the "
            "arguments of _initialize_now.",
        ],
        "ParameterInit._initialize_now": [
            "nd.zeros(shape, ctx=cpu(), dtype=dtype) creates the array; an initializer writes into it.",
            "{ctx: ... for ctx in contexts}, with value.copyto(ctx).",
        ],
        "ParameterGradient._attach_grad": [
            "nd.zeros takes shape, ctx=, dtype= and stype=. Both lists in the same order."],
        "ParameterDevices._on_current": ["next(iter(arrays.values())) is the value of a dict that has only one."],
        "ParameterDict.get": ["self._params is the dict; Parameter(name, **kwargs) creates a parameter."],
        "ParameterDict._find": ["self._shared is another ParameterDict or None; its dict is self._shared._params."],
    },
    equivalent={
        "ParameterInit._initialize_now: nd.zeros(self._shape, ctx=cpu(), dtype=self._dtype)  ->  "
        "nd.zeros(self._shape, dtype=self._dtype)": "filled on the current device, it is still copied to each device",
    },
)
