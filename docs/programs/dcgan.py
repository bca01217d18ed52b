"""Two convolutional networks that work against each other draw digits (Radford, Metz and Chintala, Unsupervised
representation learning with deep convolutional generative adversarial networks, 2015).

The generator turns noise into images, by transposed convolutions; the discriminator tells drawn images from real ones.
Each step trains the discriminator, and then trains the generator so that its images pass for real ones. Each has its
own Trainer, and `detach` keeps the first step's gradient out of the generator.

Quality is measured by a statistic that the losses do not show: the mean image, and the spread of each pixel around it,
for drawn digits compared with real ones.
"""

import sys

import numpy as np
from sklearn.datasets import load_digits

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn

NOISE, BATCH = 16, 64


def generator():
    """Returns a network (N, NOISE, 1, 1) -> (N, 1, 8, 8) with values from -1 to 1."""
    net = nn.HybridSequential()
    net.add(nn.Conv2DTranspose(64, 2, use_bias=False), nn.BatchNorm(), nn.Activation("relu"),
            nn.Conv2DTranspose(32, 4, strides=2, padding=1, use_bias=False), nn.BatchNorm(), nn.Activation("relu"),
            nn.Conv2DTranspose(1, 4, strides=2, padding=1, activation="tanh"))
    return net


def discriminator():
    """Returns a network (N, 1, 8, 8) -> (N, 1, 1, 1), positive for images that look real."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(32, 4, strides=2, padding=1), nn.LeakyReLU(0.2),
            nn.Conv2D(64, 4, strides=2, padding=1, use_bias=False), nn.BatchNorm(), nn.LeakyReLU(0.2),
            nn.Conv2D(1, 2))
    return net


def step(real, draw, judge, trainers, loss):
    """Trains the discriminator and then the generator; returns their losses."""
    ones, zeros = nd.ones((len(real),)), nd.zeros((len(real),))
    noise = nd.random.normal(shape=(len(real), NOISE, 1, 1))
    with autograd.record():
        drawn = draw(noise)
        error = loss(judge(real), ones) + loss(judge(drawn.detach()), zeros)
    error.backward()
    trainers[0].step(len(real))
    with autograd.record():
        fooled = loss(judge(draw(noise)), ones)
    fooled.backward()
    trainers[1].step(len(real))
    return error.mean().asscalar(), fooled.mean().asscalar()


def apart(images, real):
    """Returns the root mean square difference between the mean and spread of drawn pixels and those of real images."""
    return np.sqrt(np.mean((images.mean(0) - real.mean(0)) ** 2) + np.mean((images.std(0) - real.std(0)) ** 2))


def main(small):
    mx.random.seed(3)
    images = (load_digits().images[:, None] / 8 - 1).astype("float32")
    draw, judge = generator(), discriminator()
    for net in draw, judge:
        net.initialize(mx.init.Normal(0.02))
        net.hybridize()
    trainers = [gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-3, "beta1": 0.5})
                for net in (judge, draw)]
    loss = gluon.loss.SigmoidBinaryCrossEntropyLoss()
    noise = nd.random.normal(shape=(500, NOISE, 1, 1))
    before = apart(draw(noise).asnumpy(), images)
    batches = gluon.data.DataLoader(gluon.data.ArrayDataset(images), BATCH, shuffle=True, last_batch="discard")
    for epoch in range(5 if small else 60):
        errors = np.mean([step(real, draw, judge, trainers, loss) for real in batches], axis=0)
        if epoch % 5 == 4:
            now = apart(draw(noise).asnumpy(), images)
            print(f"epoch {epoch + 1:2}: losses {errors[0]:.2f} and {errors[1]:.2f}; {now:.2f} apart from real digits")
    for rows in draw(noise)[:6].asnumpy()[:, 0].transpose(1, 0, 2):
        print("   ".join("".join(" .:*#"[int((p + 1) * 2.49)] * 2 for p in row) for row in rows))
    after = apart(draw(noise).asnumpy(), images)
    print(f"{before:.2f} apart before training, {after:.2f} after it; halves of the real ones are "
          f"{apart(images[::2], images[1::2]):.2f} apart")
    assert after < before * (0.5 if small else 0.25)


if __name__ == "__main__":
    main(small="--small" in sys.argv)
