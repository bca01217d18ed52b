"""Capsules: squashed vectors, routing by agreement in a hybrid block, margin loss and a decoder's reconstruction."""

from ._tools import fixed, shapes_data


def run(mx, show):
    nd, gluon, autograd, nn = mx.nd, mx.gluon, mx.autograd, mx.gluon.nn

    def squash(F, x, axis):
        square = F.sum(F.square(x), axis=axis, keepdims=True)
        return F.broadcast_mul(x, square / (1 + square) / F.sqrt(square + 1e-9))

    class PrimaryCaps(nn.HybridBlock):
        def __init__(self, capsules, length, **kwargs):
            super(PrimaryCaps, self).__init__(**kwargs)
            self._length = length
            with self.name_scope():
                self.conv = nn.Conv2D(capsules * length, kernel_size=3, strides=2)

        def hybrid_forward(self, F, x):
            return squash(F, F.reshape(self.conv(x), shape=(0, -1, self._length)), 2)

    class DigitCaps(nn.HybridBlock):
        def __init__(self, inputs, in_length, capsules, length, routings=3, **kwargs):
            super(DigitCaps, self).__init__(**kwargs)
            self._inputs, self._capsules, self._routings = inputs, capsules, routings
            with self.name_scope():
                self.weight = self.params.get("weight", shape=(1, inputs, capsules, length, in_length))

        def hybrid_forward(self, F, x, weight):
            x = F.expand_dims(F.expand_dims(x, axis=2), axis=4)                 # (N, inputs, 1, in_length, 1)
            x = F.repeat(x, repeats=self._capsules, axis=2)
            w = F.broadcast_like(weight, x, lhs_axes=(0,), rhs_axes=(0,))
            u_hat = F.linalg_gemm2(w, x)                                        # (N, inputs, capsules, length, 1)
            u_fixed, b = F.BlockGrad(u_hat), F.zeros_like(F.sum(F.BlockGrad(u_hat), axis=3, keepdims=True))
            for i in range(self._routings):
                c = F.softmax(b, axis=2)
                last = i == self._routings - 1
                s = F.sum(F.broadcast_mul(c, u_hat if last else u_fixed), axis=1, keepdims=True)
                v = squash(F, s, 3)
                if not last:
                    b = b + F.sum(F.broadcast_mul(u_fixed, v), axis=3, keepdims=True)
            return F.reshape(v, shape=(0, -3, -2)).squeeze(axis=3)

    class CapsNet(nn.HybridBlock):
        def __init__(self, **kwargs):
            super(CapsNet, self).__init__(**kwargs)
            with self.name_scope():
                self.net = nn.HybridSequential(prefix="")
                self.net.add(nn.Conv2D(4, kernel_size=3, activation="relu"), PrimaryCaps(2, 4),
                             DigitCaps(8, 4, 2, 5))
                self.decoder = nn.HybridSequential(prefix="")
                self.decoder.add(nn.Dense(12, activation="relu"), nn.Dense(64, activation="sigmoid"))

        def hybrid_forward(self, F, x, target):
            capsules = self.net(x)
            lengths = F.sqrt(F.sum(F.square(capsules), axis=2) + 1e-9)
            masked = F.sum(F.broadcast_mul(capsules, F.expand_dims(target, axis=2)), axis=1)
            return lengths, self.decoder(masked)

    def margin_loss(target, lengths):
        L = target * nd.square(nd.maximum(0., 0.9 - lengths)) + 0.5 * (1 - target) * nd.square(
            nd.maximum(0., lengths - 0.1))
        return nd.mean(nd.sum(L, 1))

    images, labels = shapes_data(mx)
    for hybrid in (False, True):
        net = CapsNet(prefix="caps_")
        net.initialize(fixed(mx))
        if hybrid:
            net.hybridize()
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
        data = gluon.data.DataLoader(gluon.data.ArrayDataset(images, labels), 8)
        losses = []
        for _ in range(5):
            for x, y in data:
                target = nd.one_hot(y, 2)
                with autograd.record():
                    lengths, rebuilt = net(x, target)
                    L = margin_loss(target, lengths) + 0.0005 * nd.mean(nd.square(rebuilt - x.reshape((8, -1)))) * 64
                L.backward()
                trainer.step(1)
                losses.append(L.asscalar())
        show("losses, hybrid %s" % hybrid, losses)
    show("lengths", net(images[:4], nd.one_hot(labels[:4], 2))[0])
