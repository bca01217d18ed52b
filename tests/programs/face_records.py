"""Faces in records: an indexed record file with a range for each person, an iterator that draws, flips and decodes, and
ArcFace's margin between the normalized features and the person's center, all in symbols."""

import math
import os
import struct
import tempfile
import zlib

import numpy as np

from ._tools import draw, fixed

PERSONS, EACH, SIZE, BATCH = 4, 6, 12, 8


def png(pixels):
    """A PNG file's bytes of (height, width, 3) uint8."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def write_records(mx, prefix):
    """Record 0 says where persons begin and end; after the images, each person's record says which are his."""
    record = mx.recordio.MXIndexedRecordIO(prefix + ".idx", prefix + ".rec", "w")
    images = PERSONS * EACH
    record.write_idx(0, mx.recordio.pack(mx.recordio.IRHeader(2, [images + 1, images + 1 + PERSONS], 0, 0), b""))
    for i in range(images):
        person = i // EACH
        face = np.clip(draw(person, SIZE, SIZE, 3) * 60 + draw(100 + i, SIZE, SIZE, 3) * 20 + 128, 0, 255)
        header = mx.recordio.IRHeader(0, float(person), i + 1, 0)
        record.write_idx(i + 1, mx.recordio.pack(header, png(face.astype("uint8"))))
    for person in range(PERSONS):
        header = mx.recordio.IRHeader(2, [person * EACH + 1, (person + 1) * EACH + 1], 0, 0)
        record.write_idx(images + 1 + person, mx.recordio.pack(header, b""))
    record.close()


def arcface(mx, margin=0.5, scale=8.0):
    data, label = mx.symbol.Variable("data"), mx.symbol.Variable("softmax_label")
    body = mx.sym.Convolution((data - 127.5) * 0.0078125, kernel=(3, 3), stride=(2, 2), pad=(1, 1), num_filter=6,
                              name="conv0")
    body = mx.sym.LeakyReLU(body, act_type="leaky", slope=0.1, name="leaky0")
    body = mx.sym.FullyConnected(body, num_hidden=10, name="pre_fc1")
    embedding = mx.sym.BatchNorm(body, fix_gamma=True, eps=2e-5, momentum=0.9, name="fc1")
    center = mx.symbol.Variable("fc7_weight", shape=(PERSONS, 10), lr_mult=1.0, wd_mult=10)
    center = mx.symbol.L2Normalization(center, mode="instance")
    features = mx.symbol.L2Normalization(embedding, mode="instance", name="fc1n") * scale
    fc7 = mx.sym.FullyConnected(data=features, weight=center, no_bias=True, num_hidden=PERSONS, name="fc7")
    cosine = mx.sym.pick(fc7, label, axis=1) / scale
    sine = mx.sym.sqrt(1.0 - cosine * cosine)
    further = cosine * math.cos(margin) - sine * math.sin(margin)
    past = cosine - math.sin(math.pi - margin) * margin                     # where the angle would pass pi
    new = mx.sym.where(mx.symbol.Activation(cosine - math.cos(math.pi - margin), act_type="relu"), further, past)
    change = mx.sym.expand_dims((new - cosine) * scale, 1)
    hot = mx.sym.one_hot(label, depth=PERSONS, on_value=1.0, off_value=0.0)
    fc7 = fc7 + mx.sym.broadcast_mul(hot, change)
    softmax = mx.symbol.SoftmaxOutput(data=fc7, label=label, name="softmax", normalization="valid")
    return mx.symbol.Group([mx.symbol.BlockGrad(embedding), softmax])


def run(mx, show):
    class FaceIter(mx.io.DataIter):
        def __init__(self, path, chance):
            super(FaceIter, self).__init__()
            self.record = mx.recordio.MXIndexedRecordIO(path + ".idx", path + ".rec", "r")
            header, _ = mx.recordio.unpack(self.record.read_idx(0))
            begin, end = int(header.label[0]), int(header.label[1])
            ranges = [mx.recordio.unpack(self.record.read_idx(i))[0].label for i in range(begin, end)]
            self.sequence = [i for a, b in ranges for i in range(int(a), int(b))]
            self.chance, self.batch_size = chance, BATCH
            self.provide_data = [("data", (BATCH, 3, SIZE, SIZE))]
            self.provide_label = [("softmax_label", (BATCH,))]
            self.reset()

        def reset(self):
            self.place, self.order = 0, [self.sequence[i] for i in self.chance.permutation(len(self.sequence))]

        def next(self):
            if self.place + BATCH > len(self.order):
                raise StopIteration
            data, label = mx.nd.empty((BATCH, 3, SIZE, SIZE)), mx.nd.empty((BATCH,))
            for i, index in enumerate(self.order[self.place:self.place + BATCH]):
                header, content = mx.recordio.unpack(self.record.read_idx(index))
                image = mx.image.imdecode(content)
                if self.chance.rand() < 0.5:
                    image = mx.ndarray.flip(data=image, axis=1)
                data[i][:] = mx.nd.transpose(image, axes=(2, 0, 1))
                label[i][:] = header.label
            self.place += BATCH
            return mx.io.DataBatch([data], [label], 0)

    class LossOf(mx.metric.EvalMetric):
        def __init__(self):
            super(LossOf, self).__init__("lossvalue", output_names=["softmax_output"], label_names=["softmax_label"])

        def update(self, labels, preds):
            rows = preds[-1].asnumpy()[np.arange(BATCH), labels[0].asnumpy().astype("int32")]
            self.sum_metric += float(-np.log(rows).mean())
            self.num_inst += 1

    losses = []

    def note(param):
        losses.append(param.eval_metric.get()[1])
        param.eval_metric.reset()

    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "faces")
        write_records(mx, prefix)
        train = FaceIter(prefix, np.random.RandomState(5))
        symbol = arcface(mx)
        model = mx.mod.Module(context=[mx.cpu()], symbol=symbol)
        model.fit(train, num_epoch=7, eval_metric=LossOf(), optimizer="sgd", initializer=fixed(mx, 0.1),
                  optimizer_params={"learning_rate": 0.1, "momentum": 0.9, "wd": 0.0005},
                  batch_end_callback=note, allow_missing=True)
        show("losses", losses)
        show("sizes", [len(train.sequence), len(train.record.keys), os.path.getsize(prefix + ".rec")])
        train.record.close()
    args, _ = model.get_params()
    show("centers", args["fc7_weight"])
    show("arguments", symbol.list_arguments())
