"""A Module step by step: gradients of the input, fixed parameters, batches of other sizes, states, chains."""

import warnings

from ._tools import draw
from .module_mlp import data, first_values, perceptron


def batch(mx, size, seed=5):
    return mx.io.DataBatch([mx.nd.array(draw(seed, size, 6))], [mx.nd.array([0, 1, 2, 0, 1, 2, 0, 1, 2][:size])])


def run(mx, show):
    by_hand(mx, show)
    chain(mx, show)
    python_loss(mx, show)
    feed_forward(mx, show)
    states(mx, show)


def by_hand(mx, show):
    for devices in (1, 2):
        mod = mx.mod.Module(perceptron(mx), context=[mx.cpu(i) for i in range(devices)], work_load_list=None,
                            fixed_param_names=["fc1_bias"])
        mod.bind([("data", (4, 6))], [("softmax_label", (4,))], inputs_need_grad=True)
        mod.init_params(arg_params=first_values(mx), aux_params={})
        mod.init_optimizer(optimizer_params={"learning_rate": 0.5})
        for step, size in enumerate((4, 4, 6)):
            mod.forward(batch(mx, size), is_train=True)
            mod.backward()
            show(f"input gradients on {devices}, step {step}", mod.get_input_grads())
            mod.update()
            show(f"outputs on {devices}, step {step}", mod.get_outputs())
        args, _ = mod.get_params()
        show(f"parameters on {devices}", [args[key] for key in sorted(args)])
        show(f"parts on {devices}", [x.shape for x in mod.get_outputs(merge_multi_context=False)[0]])
    mod = mx.mod.Module(perceptron(mx))
    mod.bind([("data", (4, 6))], [("softmax_label", (4,))], grad_req="add")
    mod.init_params(arg_params=first_values(mx), aux_params={})
    for _ in range(2):
        mod.forward_backward(batch(mx, 4))
    show("added gradients", [g[0] for g in mod._exec_group.grad_arrays])


def chain(mx, show):
    first = mx.sym.Activation(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=12, name="fc1"), act_type="tanh",
                              name="act")
    last = mx.sym.FullyConnected(mx.sym.var("hidden"), num_hidden=3, name="fc2")
    last = mx.sym.SoftmaxOutput(last, name="softmax")
    net = mx.mod.SequentialModule()
    net.add(mx.mod.Module(first, label_names=[]))
    net.add(mx.mod.Module(last, data_names=["hidden"]), take_labels=True, auto_wiring=True)
    net.fit(data(mx), eval_metric="acc", optimizer_params={"learning_rate": 0.3}, arg_params=first_values(mx),
            num_epoch=2)
    args, _ = net.get_params()
    show("chain", [args[key] for key in sorted(args)])
    show("chain's names", [net.data_names, net.output_names, net.output_shapes])


def python_loss(mx, show):
    scores = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc1")
    net = mx.mod.SequentialModule()
    net.add(mx.mod.Module(scores, label_names=[]))

    def hinge(scores, labels):
        hits = mx.nd.one_hot(labels, 3) * 2 - 1
        return (scores * hits < 1) * -hits

    net.add(mx.mod.PythonLossModule(grad_func=hinge), take_labels=True, auto_wiring=True)
    values = {"fc1_weight": mx.nd.array(draw(1, 3, 6, scale=0.3)), "fc1_bias": mx.nd.zeros(3)}
    net.fit(data(mx), eval_metric="acc", optimizer_params={"learning_rate": 0.1}, arg_params=values, num_epoch=2)
    show("hinge", [net.get_params()[0][key] for key in ("fc1_bias", "fc1_weight")])
    show("hinge's score", [list(pair) for pair in net.score(data(mx), "acc")])


def feed_forward(mx, show):
    values = first_values(mx)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        model = mx.model.FeedForward(perceptron(mx), num_epoch=2, learning_rate=0.2, arg_params=values,
                                     numpy_batch_size=11)
    model.fit(data(mx), eval_data=data(mx))
    show("feed forward", [model.arg_params[key] for key in sorted(model.arg_params)])
    show("feed forward predicts", model.predict(draw(6, 5, 6)))
    show("feed forward's score", model.score(data(mx)))


def states(mx, show):
    x, state = mx.sym.var("data"), mx.sym.var("state", shape=(4, 5))
    hidden = mx.sym.FullyConnected(x, num_hidden=5, name="i2h") + state
    net = mx.sym.Group([mx.sym.SoftmaxOutput(mx.sym.FullyConnected(hidden, num_hidden=3, name="fc"), name="softmax"),
                        mx.sym.BlockGrad(hidden, name="last")])
    mod = mx.mod.Module(net, state_names=["state"])
    mod.bind([("data", (4, 6))], [("softmax_label", (4,))])
    mod.init_params(arg_params={"i2h_weight": mx.nd.array(draw(1, 5, 6)), "i2h_bias": mx.nd.zeros(5),
                                "fc_weight": mx.nd.array(draw(2, 3, 5)), "fc_bias": mx.nd.zeros(3)}, aux_params={})
    mod.init_optimizer(optimizer_params={"learning_rate": 0.1})
    mod.set_states(value=0)
    for step in range(2):
        mod.forward(batch(mx, 4))
        outputs = mod.get_outputs(merge_multi_context=False)
        mod.set_states(states=outputs[1:])
        mod.backward()
        mod.update()
        show(f"states {step}", mod.get_states(merge_multi_context=False)[0])
    show("output with states", mod.get_outputs()[0])
