"""Small image records for tests, and what an iterator makes of them."""

import io

import numpy as np
from PIL import Image

from minigluon import recordio


def png(value):
    file = io.BytesIO()
    Image.fromarray(np.full((8, 8, 3), value, np.uint8)).save(file, "PNG")
    return file.getvalue()


def write_records(folder, name, ids, label=float):
    """Write images whose pixels are 10 · id, and their index."""
    with recordio.MXIndexedRecordIO(str(folder / f"{name}.idx"), str(folder / f"{name}.rec"), "w") as writer:
        for i in ids:
            writer.write_idx(i, recordio.pack(recordio.IRHeader(0, label(i), i, 0), png(10 * i)))
    return str(folder / f"{name}.rec")


def seen(batches):
    """(first elements of each sample, labels, padding) of each batch of two passes."""
    passes = []
    for _ in range(2):
        passes.append([(b.data[0].asnumpy().reshape(len(b.data[0]), -1)[:, 0].tolist(), b.label[0].asnumpy().tolist(),
                        b.pad) for b in batches])
        batches.reset()
    return passes
