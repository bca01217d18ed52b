"""The checks of step 5: parameters without blocks."""

import numpy as np

from ..... import autograd, initializer
from ..... import ndarray as nd
from .....base import MXNetError, ShapeError
from .....context import cpu
from .....gluon.parameter import DeferredInitializationError, Parameter, UninitializedError
from .....gluon.parameter_dict import ParameterDict
from ...checking import check, expect, same, wrong

CPU, SECOND = cpu(0), cpu(1)


def _parameter(shape=(2, 3), **how):
    return Parameter("weight", shape=shape, **how)


@check("ParameterInit._initialize_now", "a parameter of known shape has its value at once")
def initializes() -> None:
    p = _parameter(init="ones")
    p.initialize(ctx=CPU)
    expect(p.is_initialized and not p.is_deferred, "Parameter of shape (2, 3), initialize(): it has no value; expected "
           "one, because all dimensions are known")
    same("Parameter of shape (2, 3) with init='ones': its value", p.data(CPU), np.ones((2, 3), "float32"),
         "the initializer fills the array")
    p = _parameter(dtype="float64")
    p.initialize(initializer.Constant(3), ctx=CPU)
    same("Parameter of dtype float64, initialize(Constant(3)): its value", p.data(CPU), np.full((2, 3), 3.0),
         "in the parameter's dtype")
    p = _parameter()
    p.initialize(default_init=initializer.Constant(4), ctx=CPU)
    same("initialize(default_init=Constant(4)): its value", p.data(CPU), np.full((2, 3), 4, "float32"),
         "without init= and without its own init, the default fills it")
    p = Parameter("layer_bias", shape=(2,), init="ones")
    p.initialize(ctx=CPU)
    same("a parameter called layer_bias with init='ones': its value", p.data(CPU), np.ones(2, "float32"),
         "a bias is filled with zeros unless the InitDesc has {'__init__': init}")


@check("ParameterInit._initialize_now", "a copy on each device, and a given value")
def copies() -> None:
    p = _parameter(init=initializer.Uniform())
    p.initialize(ctx=[CPU, SECOND])
    same("initialize(ctx=[cpu(0), cpu(1)]): its devices", [str(c) for c in p.list_ctx()], ["cpu(0)", "cpu(1)"],
         "a copy on each device")
    same("its value on cpu(1)", p.data(SECOND), p.data(CPU).asnumpy(), "copies of the same array, not drawn twice")
    expect(p.data(CPU) is not p.data(SECOND), "the arrays on cpu(0) and cpu(1) are the same object; expected a copy on "
           "each")
    same("the device of the array on cpu(1)", str(p.data(SECOND).context), "cpu(1)", "value.copyto(ctx)")
    value = nd.array([[1, 2, 3], [4, 5, 6]])
    p._initialize_now(None, [CPU], None, value)
    same("_initialize_now with a value: the parameter's value", p.data(CPU), value.asnumpy(),
         "a value from a file is used, without an initializer")
    value[:] = 0
    same("the parameter, after the given array was overwritten", p.data(CPU)[0, 0].asscalar(), 1.0,
         "it has its own copy")
    with autograd.record():
        p.initialize("ones", ctx=CPU, force_reinit=True)
    with autograd.record():
        y = p.data(CPU) * 2
    y.backward()
    same("initialize inside record(), then y = 2 w: the gradient of w", p.grad(CPU), np.full((2, 3), 2, "float32"),
         "initialization is not part of the differentiated program")


@check("ParameterGradient._attach_grad", "each array has a gradient")
def has_gradients() -> None:
    p = _parameter(init="ones", dtype="float64")
    p.initialize(ctx=[CPU, SECOND])
    same("Parameter of dtype float64: its gradient", p.grad(SECOND), np.zeros((2, 3)),
         "zeros, of the array's shape and dtype, on its device")
    same("the device of the gradient on cpu(1)", str(p.grad(SECOND).context), "cpu(1)", "beside its array")
    with autograd.record():
        y = p.data(SECOND) * 5
    y.backward()
    same("y = 5 w on cpu(1): the gradient there", p.grad(SECOND), np.full((2, 3), 5.0),
         "mark_variables tells the tape where to store gradients")
    same("y = 5 w on cpu(1): the gradient on cpu(0)", p.grad(CPU), np.zeros((2, 3)), "each device has its own gradient")
    p = _parameter(init="ones", grad_req="add")
    p.initialize(ctx=CPU)
    for _ in range(2):
        with autograd.record():
            y = p.data(CPU) * 5
        y.backward()
    same("grad_req='add', y = 5 w and backward twice: the gradient", p.grad(CPU), np.full((2, 3), 10, "float32"),
         "self._grad_req goes to mark_variables")
    p = _parameter(init="ones", grad_stype="row_sparse")
    p.initialize(ctx=CPU)
    same("grad_stype='row_sparse': the storage of the gradient", p.grad(CPU).stype, "row_sparse",
         "stype=self.grad_stype")


@check("ParameterInit.initialize", "if the shape is unknown, initialization is deferred")
def defers() -> None:
    p = _parameter((2, 0), allow_deferred_init=True)
    p.initialize("ones", ctx=SECOND)
    expect(p.is_deferred and not p.is_initialized, "Parameter of shape (2, 0), initialize(): is_deferred is "
           "{deferred}, is_initialized is {made}; expected True and False: 0 is an unknown dimension",
           deferred=p.is_deferred, made=p.is_initialized)
    try:
        p.data()
    except DeferredInitializationError:
        pass
    else:
        wrong("data() of a deferred parameter returns a value; expected a DeferredInitializationError")
    expect(isinstance(p._deferred, tuple) and len(p._deferred) == 4, "self._deferred is {found}; expected a tuple of "
           "four: (init, contexts, default_init, None)", found=p._deferred)
    same("the contents of self._deferred after initialize('ones', ctx=cpu(1))",
         (p._deferred[0], [str(c) for c in p._deferred[1]]), ("ones", ["cpu(1)"]),
         "(init, contexts, default_init, None)")
    expect(p._deferred[2] is not None and p._deferred[3] is None, "self._deferred is {found}; expected "
           "(init, contexts, default_init, None)", found=p._deferred)
    p = _parameter((2, 0))
    try:
        p.initialize(ctx=CPU)
    except ShapeError:
        pass
    else:
        wrong("Parameter of shape (2, 0) with allow_deferred_init=False, initialize(): nothing is raised; expected a "
              "ShapeError")
    expect(not p.is_deferred, "after that ShapeError the parameter is still deferred; self._deferred must stay None")


@check("ParameterInit.initialize", "after reinitialization with another shape, nothing old is left")
def starts_anew() -> None:
    p = _parameter((2, 3), allow_deferred_init=True)
    p.initialize("ones", ctx=CPU)
    p._shape = (2, None)
    p.initialize("ones", ctx=CPU, force_reinit=True)
    expect(not p.is_initialized, "a parameter with a value, whose shape is unknown again, "
           "initialize(force_reinit=True): the old value is still there; self._replace(None) removes it")
    expect(p._grad is None, "the same: the old gradient is still there")


@check("ParameterInit._finish_deferred_init", "deferred initialization happens when the shape is known")
def finishes() -> None:
    p = _parameter((2, 0), allow_deferred_init=True)
    p.initialize(initializer.Constant(3), ctx=SECOND)
    try:
        p._finish_deferred_init()
    except DeferredInitializationError as error:
        expect("weight" in str(error), "_finish_deferred_init() with shape (2, 0) raises: {error}. Expected the "
               "message to name the parameter, self.described()", error=error)
    else:
        wrong("_finish_deferred_init() with shape (2, 0): nothing is raised; expected a DeferredInitializationError")
    p.shape = (2, 4)
    p._finish_deferred_init()
    same("shape (2, 0), initialize(Constant(3), ctx=cpu(1)), then shape (2, 4): the value", p.data(SECOND),
         np.full((2, 4), 3, "float32"), "as requested in initialize")
    expect(not p.is_deferred, "after _finish_deferred_init the parameter is still deferred: set self._deferred to None")
    p.set_data(nd.ones((2, 4)))
    p._finish_deferred_init()
    same("_finish_deferred_init() a second time: the value", p.data(SECOND), np.ones((2, 4), "float32"),
         "nothing is deferred, so nothing changes")
    states = []

    class Watched(Parameter):
        def _initialize_now(self, *how):
            states.append(self.is_deferred)
            super()._initialize_now(*how)

    p = Watched("weight", shape=(0,), allow_deferred_init=True)
    p.initialize("ones", ctx=CPU)
    p.shape = (2,)
    p._finish_deferred_init()
    same("while its arrays are created: is_deferred", states, [True], "self._deferred is cleared last, for the sake of "
         "other threads")


@check("ParameterDevices._on_current", "without a device, data() uses the current one or the only one")
def finds_device() -> None:
    p = _parameter(init="ones")
    p.initialize(ctx=SECOND)
    same("a parameter only on cpu(1): the device of data()", str(p.data().context), "cpu(1)", "the only device")
    p = _parameter(init="ones")
    p.initialize(ctx=[CPU, SECOND])
    with SECOND:
        same("a parameter on cpu(0) and cpu(1), with cpu(1) current: the device of data()", str(p.data().context),
             "cpu(1)", "the device current_context()")
    with cpu(2):
        try:
            array = p.data()
        except (UninitializedError, MXNetError):
            return
        wrong("a parameter on cpu(0) and cpu(1), with cpu(2) current: data() is on {found}; expected the error that "
              "self._raise_unavailable raises", found=array.context)


@check("ParameterDict.get", "a parameter is created once, under its full name")
def gets() -> None:
    params = ParameterDict("dense0_")
    p = params.get("weight", shape=(2, 0))
    expect(isinstance(p, Parameter), "get('weight') returns {found}; expected a Parameter", found=p)
    same("get('weight') of the dict with prefix 'dense0_': the name", p.name, "dense0_weight", "prefix and name")
    expect("dense0_weight" in params, "get('weight') has created a parameter that is not in the dict; store it under "
           "its full name")
    same("its shape", p.shape, (2, 0), "other arguments of get go to Parameter")
    expect(params.get("weight") is p, "get('weight') twice returns two parameters; expected the first one again")
    same("get('weight', shape=(2, 3)) of one of shape (2, 0): the shape", params.get("weight", shape=(2, 3)).shape,
         (2, 3), "self._agree fills in what is unknown")
    try:
        params.get("weight", shape=(2, 5))
    except MXNetError:
        return
    wrong("get('weight', shape=(2, 5)) of one of shape (2, 3): nothing is raised; expected the MXNetError of "
          "self._agree")


@check("ParameterDict._find", "parameters of another dict are shared")
def shares() -> None:
    other = ParameterDict("first_")
    p = other.get("weight", shape=(2, 3))
    params = ParameterDict("first_", shared=other)
    expect(params.get("weight") is p, "a ParameterDict with shared=other, get('weight'): a new parameter; expected the "
           "one of the other dict")
    same("the names in the dict afterwards", list(params.keys()), ["first_weight"],
         "a parameter found there is also stored here")
    q = params.get("bias", shape=(2,))
    same("get('bias'), which is in neither dict: the names in the other dict", list(other.keys()), ["first_weight"],
         "a new parameter belongs to the dict on which get was called")
    expect(params.get("bias") is q, "get('bias') twice returns two parameters")
    same("_find of a name that is in neither dict", params._find("nothing"), None, "None means that it must be created")
    same("_find in a dict without another", ParameterDict("a_")._find("nothing"), None, "shared may be None")
