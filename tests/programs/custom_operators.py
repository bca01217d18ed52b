"""Operators written in Python: on arrays, on the tape, in a graph, with several outputs, states and a loss."""

from ._tools import draw


def define(mx):
    nd = mx.nd

    class Softmax(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], nd.softmax(in_data[0]))

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            hits = nd.one_hot(in_data[1], out_data[0].shape[1])
            self.assign(in_grad[0], req[0], out_data[0] - hits)

    @mx.operator.register("program_softmax")
    class SoftmaxProp(mx.operator.CustomOpProp):
        def __init__(self):
            super().__init__(need_top_grad=False)

        def list_arguments(self):
            return ["data", "label"]

        def list_outputs(self):
            return ["output"]

        def infer_shape(self, in_shape):
            return [in_shape[0], (in_shape[0][0],)], [in_shape[0]], []

        def create_operator(self, ctx, shapes, dtypes):
            return Softmax()

    class Polar(mx.operator.CustomOp):
        def __init__(self, scale):
            super().__init__()
            self.scale = scale

        def forward(self, is_train, req, in_data, out_data, aux):
            x, y = in_data
            self.assign(out_data[0], req[0], nd.sqrt(x * x + y * y) * self.scale)
            self.assign(out_data[1], req[1], nd.arctan(y / x))
            if is_train:
                aux[0][:] += 1

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            x, y = in_data
            square = x * x + y * y
            radius = nd.sqrt(square)
            self.assign(in_grad[0], req[0], out_grad[0] * x / radius * self.scale - out_grad[1] * y / square)
            self.assign(in_grad[1], req[1], out_grad[0] * y / radius * self.scale + out_grad[1] * x / square)

    @mx.operator.register("program_polar")
    class PolarProp(mx.operator.CustomOpProp):
        def __init__(self, scale="1"):
            super().__init__(need_top_grad=True)
            self.scale = float(scale)

        def list_arguments(self):
            return ["x", "y"]

        def list_outputs(self):
            return ["radius", "angle"]

        def list_auxiliary_states(self):
            return ["count"]

        def infer_shape(self, in_shape):
            return [in_shape[0]] * 2, [in_shape[0]] * 2, [(1,)]

        def create_operator(self, ctx, shapes, dtypes):
            return Polar(self.scale)


def run(mx, show):
    define(mx)
    nd, autograd = mx.nd, mx.autograd
    x, y, count = nd.array(draw(1, 2, 3)), nd.array(draw(2, 2, 3)), nd.zeros(1)
    show("arrays", nd.Custom(x, y, count, op_type="program_polar", scale=2))
    x.attach_grad()
    y.attach_grad()
    with autograd.record():
        radius, angle = nd.Custom(x * 2, y, count, op_type="program_polar", scale=2)
        loss = (radius * angle).sum() + radius.sum()
    loss.backward()
    show("gradients", [x.grad, y.grad, count])

    graph = mx.sym.Custom(x=mx.sym.var("x"), op_type="program_polar", name="polar", scale=3)
    show("graph", [graph.list_arguments(), graph.list_outputs(), graph.list_auxiliary_states(), graph.tojson()])
    run_ = (graph[0] * graph[1]).simple_bind(mx.cpu(), x=(2, 3), grad_req={"x": "add", "polar_y": "write"})
    run_.arg_dict["x"][:], run_.arg_dict["polar_y"][:] = x, y
    for step in range(2):
        run_.forward(is_train=True)
        run_.backward(nd.ones((2, 3)))
        show(f"executor {step}", [run_.outputs[0], run_.grad_dict["x"], run_.grad_dict["polar_y"],
                                  run_.aux_dict["polar_count"]])

    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    net = mx.sym.Custom(net, mx.sym.var("softmax_label"), op_type="program_softmax", name="softmax")
    data = draw(3, 20, 4)
    batches = mx.io.NDArrayIter(data, data[:, :3].argmax(1).astype("float32"), 5)
    mod = mx.mod.Module(net)
    mod.fit(batches, optimizer_params={"learning_rate": 0.5}, num_epoch=2,
            arg_params={"fc_weight": nd.array(draw(4, 3, 4)), "fc_bias": nd.zeros(3)})
    show("module", [mod.get_params()[0][key] for key in ("fc_bias", "fc_weight")])

    class Block(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.dense = mx.gluon.nn.Dense(3, in_units=4, use_bias=False)

        def hybrid_forward(self, F, x, label):
            return F.Custom(self.dense(x), label, op_type="program_softmax")

    for hybridize in (False, True):
        block = Block(prefix="block_")
        block.initialize()
        block.dense.weight.set_data(nd.array(draw(5, 3, 4)))
        if hybridize:
            block.hybridize()
        with autograd.record():
            out = block(nd.array(data[:4]), nd.array([0, 1, 2, 1]))
        out.backward()
        show(f"hybridized {hybridize}", [out, block.dense.weight.grad()])
