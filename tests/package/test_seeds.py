"""What Gluon's tutorials and comparisons show, run here, but for what needs a GPU or a graph executor."""

import numpy as np
import pytest
from helpers import tutorials
from helpers.tutorials import AlexNet, lenet

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn


@pytest.mark.parametrize("name", tutorials.PROGRAMS)
def test_program(name, request):
    tutorials.run(name, request)


# -- a tutorial: LeNet, blocks, parameters ------------------------------------------------------------------------

def test_the_training_loop_learns():
    mx.random.seed(0)
    rng = np.random.default_rng(0)
    digits = np.zeros((10, 28, 28, 1))      # each class has its own place for a bright patch
    for i in range(10):
        row, column = divmod(i, 5)
        digits[i, 3 + 12 * row:13 + 12 * row, 1 + 5 * column:6 + 5 * column] = 255
    noisy = [np.clip(digits + rng.normal(0, 20, digits.shape), 0, 255) for _ in range(16)]
    images, labels = np.concatenate(noisy).astype("uint8"), np.tile(np.arange(10), 16)
    data = gluon.data.DataLoader(gluon.data.ArrayDataset(nd.array(images), nd.array(labels)), batch_size=32,
                                 shuffle=True)
    net = lenet()
    net.initialize(mx.init.Xavier(), ctx=mx.cpu())
    softmax_loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})

    def accuracy(output, label):
        return nd.mean(output.argmax(axis=1) == label).asscalar()

    for _ in range(8):
        total_loss = total_accuracy = 0
        for x, label in data:
            x = x.transpose((0, 3, 1, 2)).astype("float32").as_in_context(mx.cpu()) / 255
            label = label.astype("float32").as_in_context(mx.cpu())
            with autograd.record():
                output = net(x)
                loss = softmax_loss(output, label)
            loss.backward()
            trainer.step(32)
            total_loss += nd.mean(loss).asscalar()
            total_accuracy += accuracy(output, label)
    assert total_accuracy / len(data) == 1
    assert total_loss / len(data) < 0.1


# -- hybrid blocks ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("cut", [
    lambda F, x: x[:, :, 1:, 1:],
    lambda F, x: F.slice(x, begin=(None, None, 1, 1), end=(None, None, None, None))])
def test_three_ways_to_cut_an_array(cut):
    class Cut(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return cut(F, x)

    x = nd.arange(36).reshape((1, 1, 6, 6))
    np.testing.assert_array_equal(Cut()(x).asnumpy(), x.asnumpy()[:, :, 1:, 1:])
    assert Cut()(mx.sym.var("data")).infer_shape(data=(1, 1, 6, 6))[1] == [(1, 1, 5, 5)]


# -- a comparison with another library ----------------------------------------------------------------------------

def test_arrays_print_as_mxnets_do():
    x = nd.arange(12)
    assert str(x) == "\n[ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11.]\n<NDArray 12 @cpu(0)>"
    assert (x.shape, x.size) == ((12,), 12)


def test_gradient_of_an_expression():
    x = nd.arange(1, 13).reshape((3, 4))
    x.attach_grad()
    with autograd.record():
        y = x ** 2 + 4 * x
        z = 2 * y + 3
    z.backward()
    assert str(z) == ("\n[[ 13.  27.  45.  67.]\n [ 93. 123. 157. 195.]\n [237. 283. 333. 387.]]\n"
                      "<NDArray 3x4 @cpu(0)>")
    assert str(x.grad) == "\n[[12. 16. 20. 24.]\n [28. 32. 36. 40.]\n [44. 48. 52. 56.]]\n<NDArray 3x4 @cpu(0)>"


POOL = "MaxPool2D(size=(3, 3), stride=(2, 2), padding=(0, 0), ceil_mode=False, global_pool=False, pool_type=max, " \
       "layout=NCHW)"
ALEXNET = f"""AlexNet(
  (features): Sequential(
    (0): Conv2D(None -> 64, kernel_size=(11, 11), stride=(4, 4), padding=(2, 2), Activation(relu))
    (1): {POOL}
    (2): Conv2D(None -> 192, kernel_size=(5, 5), stride=(1, 1), padding=(2, 2), Activation(relu))
    (3): {POOL}
    (4): Conv2D(None -> 384, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), Activation(relu))
    (5): Conv2D(None -> 256, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), Activation(relu))
    (6): Conv2D(None -> 256, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), Activation(relu))
    (7): {POOL}
    (8): Flatten
    (9): Dense(None -> 4096, Activation(relu))
    (10): Dropout(p = 0.5, axes=())
    (11): Dense(None -> 4096, Activation(relu))
    (12): Dropout(p = 0.5, axes=())
  )
  (output): Dense(None -> 1000, linear)
)"""


def test_alexnet_prints_its_structure():
    assert repr(AlexNet()) == ALEXNET

