"""Schedules of learning rates: functions and classes of one's own, those of lr_scheduler, in a Trainer."""

import math

from ._tools import draw, fixed


def run(mx, show):
    np, autograd, gluon, nn, lr_scheduler = mx.np, mx.autograd, mx.gluon, mx.gluon.nn, mx.lr_scheduler
    features = np.array(draw(1, 20, 3))
    labels = np.dot(features, np.array([1, -2, 3])).reshape(-1, 1)

    class SquareRootScheduler:
        def __init__(self, lr=0.1):
            self.lr = lr

        def __call__(self, num_update):
            return self.lr * pow(num_update + 1.0, -0.5)

    class CosineScheduler:
        def __init__(self, max_update, base_lr=0.01, final_lr=0, warmup_steps=0, warmup_begin_lr=0):
            self.base_lr, self.final_lr, self.max_update = base_lr, final_lr, max_update
            self.warmup_steps, self.warmup_begin_lr = warmup_steps, warmup_begin_lr

        def __call__(self, epoch):
            if epoch < self.warmup_steps:
                return self.warmup_begin_lr + (self.base_lr - self.warmup_begin_lr) * epoch / self.warmup_steps
            if epoch <= self.max_update:
                part = (epoch - self.warmup_steps) / (self.max_update - self.warmup_steps)
                return self.final_lr + (self.base_lr - self.final_lr) * (1 + math.cos(math.pi * part)) / 2
            return self.final_lr

    schedulers = {
        "root": SquareRootScheduler(0.1), "own cosine": CosineScheduler(8, 0.1, 0.01, 3),
        "factor": lr_scheduler.FactorScheduler(step=2, factor=0.7, base_lr=0.1),
        "steps": lr_scheduler.MultiFactorScheduler(step=[3, 6], factor=0.5, base_lr=0.1),
        "cosine": lr_scheduler.CosineScheduler(max_update=8, base_lr=0.1, final_lr=0.01, warmup_steps=2),
        "poly": lr_scheduler.PolyScheduler(max_update=8, base_lr=0.1, pwr=2, final_lr=0.01)}
    loss = gluon.loss.L2Loss()
    for name, scheduler in schedulers.items():
        with mx.name.NameManager():
            net = nn.Dense(1)
            net.initialize(fixed(mx))
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"lr_scheduler": scheduler})
        rates, losses = [], []
        for _ in range(9):
            with autograd.record():
                l = loss(net(features), labels)
            l.backward()
            trainer.step(20)
            rates.append(float(trainer.learning_rate))
            losses.append(float(l.mean()))
        show(name, [rates, losses])
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.3})
    trainer.set_learning_rate(0.1)
    show("set", trainer.learning_rate)
    show("calls", [[scheduler(t) for t in range(1, 10)] for name, scheduler in schedulers.items() if name != "factor"])
