"""Tricks of papers' code: shared branches, frozen parts, accumulated gradients, target networks, penalties, blocks."""

import numpy as np

from ._tools import draw, fixed


def run(mx, show):
    nd, gluon, autograd, init, nn = mx.nd, mx.gluon, mx.autograd, mx.init, mx.gluon.nn

    # Siamese: one branch, run twice before backward
    branch = nn.HybridSequential()
    branch.add(nn.Dense(4, activation="relu"), nn.BatchNorm(), nn.Dense(2))
    branch.initialize(fixed(mx))
    a, b = nd.array(draw(1, 4, 3)), nd.array(draw(2, 4, 3))
    trainer = gluon.Trainer(branch.collect_params(), "sgd", {"learning_rate": 0.1})
    with autograd.record():
        distance = ((branch(a) - branch(b)) ** 2).sum()
    distance.backward()
    trainer.step(4)
    show("siamese", [distance, branch[0].weight.data(), branch[2].bias.grad()])

    # gradients accumulated over several batches
    net = nn.Dense(1, in_units=1)
    net.initialize("ones")
    net.collect_params().setattr("grad_req", "add")
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    for _ in range(2):
        net.collect_params().zero_grad()
        for i in range(3):
            with autograd.record():
                loss = net(nd.ones((2, 1)) * i).sum()
            loss.backward()
        trainer.step(6)
    show("accumulated", [net.weight.data(), net.bias.data()])

    # fine-tuning: a frozen body, a head with a larger rate
    net = nn.HybridSequential(prefix="tuned_")
    with net.name_scope():
        net.add(nn.Dense(2, in_units=2))
        net.add(nn.Dense(1, in_units=2, prefix="output_"))
    net.initialize(init.One())
    net[0].collect_params().setattr("grad_req", "null")
    net[1].collect_params().setattr("lr_mult", 10)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "wd": 0.001})
    with autograd.record():
        loss = net(nd.ones((1, 2)))
    loss.backward()
    trainer.step(1)
    show("tuned", [list(net.collect_params()), net[0].weight.data(), net[1].weight.data(), net[1].bias.data()])

    # Q-learning with a target network, copied and mixed
    online, target = nn.Dense(2, in_units=3), nn.Dense(2, in_units=3)
    online.initialize(fixed(mx))
    target.initialize(init.Zero())
    for p, q in zip(online.collect_params().values(), target.collect_params().values()):
        q.set_data(p.data())
    state, action, reward, done = nd.array(draw(3, 2, 3)), nd.array([0, 1]), nd.array([1, 2]), nd.array([0, 1])
    expected = reward + 0.9 * target(state).max(axis=1) * (1 - done)
    with autograd.record():
        loss = gluon.loss.HuberLoss()(nd.pick(online(state), action), expected)
    loss.backward()
    show("q", [loss, online.weight.grad()])
    for p, q in zip(online.collect_params().values(), target.collect_params().values()):
        q.set_data(0.1 * nd.ones_like(p.data()) + 0.9 * q.data())
    show("mixed", target.weight.data())
    logits = nd.array([[0.1, 0.2, 0.3]])
    logits.attach_grad()
    with autograd.record():
        p = nd.softmax(logits)
        loss = -nd.log(nd.pick(p, nd.array([1]))) * 2.5 - 0.01 * (p * nd.log(p)).sum()
    loss.backward()
    show("policy", logits.grad)

    # an adversarial step on the input
    x = nd.array(draw(4, 2, 3))
    x.attach_grad()
    with autograd.record():
        loss = gluon.loss.SoftmaxCrossEntropyLoss()(online(x), nd.array([0, 1]))
    loss.backward()
    show("adversarial", [x + 0.1 * nd.sign(x.grad), x.grad.norm(axis=1)])

    # a loss with parameters, smooth labels, mixed examples
    class CenterLoss(gluon.HybridBlock):
        def __init__(self, classes, size, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.centers = self.params.get("centers", shape=(classes, size), init=init.Constant(0.5))

        def hybrid_forward(self, F, x, y, centers):
            return F.sum(F.square(x - F.take(centers, y)), axis=1) / 2

    center = CenterLoss(3, 3)
    center.initialize()
    with autograd.record():
        loss = center(x, nd.array([0, 2]))
    loss.backward()
    show("centers", [loss, center.centers.grad(), x.grad, list(center.collect_params())])
    y = nd.one_hot(nd.array([0, 2]), 3)
    smooth = gluon.loss.SoftmaxCrossEntropyLoss(sparse_label=False)(x, y * 0.9 + 0.1 / 3)
    show("soft labels", [smooth, 0.3 * y + 0.7 * y[::-1]])

    # squeeze and excitation, grouped convolution, bilinear upsampling, sub-pixel convolution, capsules
    class Excitation(nn.HybridBlock):
        def __init__(self, channels, ratio, **kwargs):
            super().__init__(**kwargs)
            self.pool = nn.GlobalAvgPool2D()
            self.fc = nn.HybridSequential()
            self.fc.add(nn.Dense(channels // ratio, activation="relu", use_bias=False),
                        nn.Dense(channels, activation="sigmoid", use_bias=False))

        def hybrid_forward(self, F, x):
            scale = self.fc(self.pool(x))
            return F.broadcast_mul(x, scale.expand_dims(axis=2).expand_dims(axis=2))

    images = nd.array(draw(5, 1, 4, 4, 4))
    block = Excitation(4, 2)
    block.initialize(fixed(mx))
    show("excitation", [block(images)[0, :, 0, 0], repr(block)])
    depthwise = nn.Conv2D(8, 3, padding=1, groups=4, in_channels=4, use_bias=False)
    depthwise.initialize(fixed(mx))
    show("depthwise", [depthwise(images).sum(axis=(2, 3)), depthwise.weight.shape, repr(depthwise)])

    def bilinear_kernel(channels, size):
        factor = (size + 1) // 2
        center = factor - 1 if size % 2 == 1 else factor - 0.5
        og = np.ogrid[:size, :size]
        filt = (1 - abs(og[0] - center) / factor) * (1 - abs(og[1] - center) / factor)
        weight = np.zeros((channels, channels, size, size), dtype="float32")
        weight[range(channels), range(channels), :, :] = filt
        return nd.array(weight)

    up = nn.Conv2DTranspose(4, kernel_size=4, padding=1, strides=2)
    up.initialize(init.Constant(bilinear_kernel(4, 4)))
    show("upsampled", [up(images)[0, 1, :3], nd.UpSampling(images, scale=2, sample_type="nearest")[0, 0, 0]])
    x = images.reshape((0, -4, -1, 4, 0, 0)).reshape((0, 0, -4, 2, 2, 0, 0))
    show("sub-pixel", x.transpose((0, 1, 4, 2, 5, 3)).reshape((0, 0, -3, -3))[0, 0, :2])
    u = nd.array(draw(6, 2, 3, 4))
    norm = nd.sum(nd.square(u), axis=2, keepdims=True)
    squashed = norm / (1 + norm) * u / nd.sqrt(norm)
    show("capsules", [nd.batch_dot(squashed, squashed, transpose_b=True),
                      nd.linalg_gemm2(u[0], u[1], transpose_b=True)])
