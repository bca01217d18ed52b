"""Schedules of the learning rate: the library's, functions, and a change by hand in the loop."""

import math

from ._tools import draw, fixed


def run(mx, show):
    nd, gluon, autograd, schedule = mx.nd, mx.gluon, mx.autograd, mx.lr_scheduler
    schedulers = {
        "factor": lambda: schedule.FactorScheduler(step=3, factor=0.5, stop_factor_lr=0.1, base_lr=2.0),
        "multi": lambda: schedule.MultiFactorScheduler(step=[4, 8], factor=0.1, base_lr=0.5),
        "poly": lambda: schedule.PolyScheduler(max_update=10, base_lr=0.5, pwr=2, final_lr=0.01),
        "cosine": lambda: schedule.CosineScheduler(max_update=10, base_lr=0.3, final_lr=0.01),
        "warm": lambda: schedule.CosineScheduler(10, warmup_steps=4, base_lr=0.3, final_lr=0.01,
                                                 warmup_begin_lr=0.05, warmup_mode="linear"),
        "constant": lambda: schedule.MultiFactorScheduler(step=[5], factor=1, base_lr=0.5, warmup_steps=3,
                                                          warmup_mode="constant"),
    }
    for name, make in schedulers.items():
        scheduler = make()
        show(name, [scheduler(t) for t in range(1, 13)])

    class SquareRootScheduler:
        def __init__(self, lr=0.1):
            self.lr = lr

        def __call__(self, num_update):
            return self.lr * pow(num_update + 1.0, -0.5)

    class Triangular(schedule.LRScheduler):
        def __call__(self, num_update):
            return self.base_lr * abs((num_update / 4) % 2 - 1)

    X, loss = nd.array(draw(1, 6, 3)), gluon.loss.L2Loss()
    y = X.sum(axis=1)

    def train(scheduler, by_hand=False):
        net = gluon.nn.Dense(1, prefix="net_")
        net.initialize(fixed(mx))
        optimizer = mx.optimizer.SGD(lr_scheduler=scheduler, momentum=0.1) if scheduler else "sgd"
        trainer = gluon.Trainer(net.collect_params(), optimizer)
        rates = []
        for i in range(6):
            with autograd.record():
                cost = loss(net(X), y)
            cost.backward()
            trainer.step(6)
            rates.append(trainer.learning_rate)
            if by_hand:
                trainer.set_learning_rate(trainer.learning_rate * math.exp(-0.1 * i))
        return [rates, net.weight.data(), net.bias.data().asscalar()]

    show("by hand", train(None, by_hand=True))
    for name, scheduler in (("square root", SquareRootScheduler()), ("triangular", Triangular(0.3)),
                            ("factor of trainer", schedulers["factor"]()),
                            ("cosine of trainer", schedulers["cosine"]()),
                            ("function", lambda t: 0.5 / t if t else 0.5)):
        show(name, train(scheduler))
    try:
        mx.optimizer.SGD(lr_scheduler=schedulers["factor"]()).set_learning_rate(1)
    except UserWarning:
        show("refused", "the scheduler sets it")
