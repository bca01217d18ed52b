"""Record a network that MXNet 1.9.1 has quantized for a CPU, with the integers of all its layers:
tests/records/data/mxnet_fused.npz.

Run it like `record_mxnet.py`. `tests/ops/test_fused_mxnet.py` compares.

Data are uint8 below 128: on processors without AVX512-VNNI, MXNet's sums of products saturate for larger ones, and int8
data are multiplied by weights of 7 bits.
"""

import os

from records import DATA

os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"

import mxnet as mx
import numpy as np
from mxnet.contrib import quantization
from mxnet.gluon import nn

SMALL = 0.4         # data that are recorded, relative to those for calibration


class Net(nn.HybridBlock):
    """A residual network in which each kind of fused layer occurs."""

    def __init__(self):
        super().__init__(prefix="net_")
        with self.name_scope():
            self.convs = nn.HybridSequential()
            self.norms = nn.HybridSequential()
            for _ in range(5):
                self.convs.add(nn.Conv2D(8, 3, padding=1, use_bias=len(self.convs) == 2,
                                         groups=8 if len(self.convs) == 4 else 1))
                self.norms.add(nn.BatchNorm())
            self.hidden, self.last = nn.Dense(16, activation="relu"), nn.Dense(5)

    def hybrid_forward(self, F, x):
        def layer(i, x):
            return self.norms[i](self.convs[i](x))
        first = F.Activation(layer(0, x), act_type="relu")
        same = F.Activation(F.elemwise_add(layer(1, first), first), act_type="relu")   # both arrays are uint8
        other = F.Activation(F.elemwise_add(layer(2, same), layer(3, same)), act_type="relu")   # an int8 array is added
        return self.last(self.hidden(F.clip(layer(4, F.Pooling(other, kernel=(2, 2), stride=(2, 2))), 0, 6)))


def main():
    mx.random.seed(0)
    rng = np.random.RandomState(0)
    net = Net()
    net.initialize(mx.init.Xavier(magnitude=3))
    net.hybridize()
    data = mx.nd.array(rng.uniform(0, 1, (8, 3, 8, 8)))
    net(data)
    for name, param in net.collect_params().items():
        if "batchnorm" in name:
            low, high = (-0.2, 0.2) if name.endswith(("beta", "mean")) else (0.5, 1.5)
            param.set_data(mx.nd.array(rng.uniform(low, high, param.shape)))
        elif name.endswith("bias"):
            param.set_data(mx.nd.array(rng.uniform(-0.2, 0.2, param.shape)))
    recorded = {"data": SMALL * data[:2].asnumpy()}
    for granularity in "tensor-wise", "channel-wise":
        loader = mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(data, data), batch_size=8)
        small = quantization.quantize_net_v2(net, "auto", "full", granularity, calib_data=loader, calib_mode="naive")
        small.export("fused")
        graph = mx.sym.load("fused-symbol.json")
        inside = graph.get_internals()
        names = [name for name in inside.list_outputs() if name not in graph.list_inputs()]
        every = mx.sym.Group([inside[name] for name in names])
        values = {name: p.data() for name, p in small.collect_params().items()}
        states = {name: values[name] for name in every.list_auxiliary_states()}
        args = {name: values[name] for name in every.list_arguments() if name != "data"}
        run = every.bind(mx.cpu(), {**args, "data": mx.nd.array(recorded["data"])}, aux_states=states)
        recorded[f"{granularity}/graph"] = np.array(graph.tojson())
        recorded |= {f"{granularity}/param/{name}": x.asnumpy() for name, x in {**args, **states}.items()}
        recorded |= {f"{granularity}/out/{name}": x.asnumpy() for name, x in zip(names, run.forward(is_train=False))}
    os.remove("fused-symbol.json")
    for name in "fused-0000.params",:
        if os.path.exists(name):
            os.remove(name)
    np.savez_compressed(DATA / "mxnet_fused.npz", **recorded)
    print(len(recorded), "arrays")


if __name__ == "__main__":
    main()
