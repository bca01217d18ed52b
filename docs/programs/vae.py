"""A variational autoencoder learns to draw digits (Kingma and Welling, Auto-Encoding Variational Bayes, 2013).

The encoder turns an image x into a normal distribution over a code z, and the decoder turns a code into one probability
for each pixel. Training maximizes the lower bound on log p(x):

    log p(x) >= E[log p(x | z)] - KL(q(z | x) || p(z)),    p(z) = N(0, 1)

The noise is drawn inside the hybridized network, so that an epoch is a loop around one compiled step. At the end, the
program compares its result on held-out images with that of the best model without a code: independent pixels, each of
which is on with its mean frequency.
"""

import sys

import numpy as np
from sklearn.datasets import load_digits

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn

CODE = 8                # the length of a latent code
HELD_OUT = 360          # images


class VAE(gluon.HybridBlock):
    """A network: x (N, pixels), 0 or 1 -> minus the bound for each image (N,), in nats."""

    def __init__(self, pixels, hidden, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.encoder = nn.HybridSequential()
            self.encoder.add(nn.Dense(hidden, activation="relu"), nn.Dense(2 * CODE))
            self.decoder = nn.HybridSequential()
            self.decoder.add(nn.Dense(hidden, activation="relu"), nn.Dense(pixels))

    def hybrid_forward(self, F, x):
        mean, log_variance = F.split(self.encoder(x), num_outputs=2, axis=1)
        code = mean + F.exp(log_variance / 2) * F.random.normal_like(mean)
        logits = self.decoder(code)
        # -log p(x | z) of pixels that are on with probability sigmoid(logits), in a form that cannot overflow
        misfit = F.sum(F.relu(logits) - logits * x + F.Activation(-F.abs(logits), act_type="softrelu"), axis=1)
        divergence = F.sum(F.exp(log_variance) + mean ** 2 - 1 - log_variance, axis=1) / 2
        return misfit + divergence


def pixel_by_pixel(train, test):
    """Returns the nats per image of `test` under a model with independent pixels."""
    on = (train.sum(axis=0) + 1) / (len(train) + 2)
    return float(-(test * np.log(on) + (1 - test) * np.log(1 - on)).sum(axis=1).mean())


def main(small):
    mx.random.seed(1)
    images = (load_digits().data > 7).astype("float32")
    train, test = images[:-HELD_OUT], images[-HELD_OUT:]
    net = VAE(images.shape[1], hidden=128)
    net.initialize(mx.init.Xavier())
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 2e-3})
    batches = gluon.data.DataLoader(gluon.data.ArrayDataset(train), batch_size=100, shuffle=True, last_batch="discard")
    for epoch in range(30 if small else 150):
        for x in batches:
            with autograd.record():
                loss = net(x)
            loss.backward()
            trainer.step(len(x))
        if epoch % 30 == 29:
            print(f"epoch {epoch + 1:3}: {net(nd.array(test)).mean().asscalar():.2f} nats for a held-out image")

    bound = net(nd.array(test)).mean().asscalar()
    baseline = pixel_by_pixel(train, test)
    drawn = nd.sigmoid(net.decoder(nd.random.normal(shape=(4, CODE)))).asnumpy()
    for rows in drawn.reshape(4, 8, 8).transpose(1, 0, 2):
        print("   ".join("".join(" .:*#"[int(p * 4.99)] * 2 for p in row) for row in rows))
    print(f"pixel by pixel: {baseline:.2f} nats; with a code: {bound:.2f}")
    assert bound < baseline * (0.85 if small else 0.78)


if __name__ == "__main__":
    main(small="--small" in sys.argv)
