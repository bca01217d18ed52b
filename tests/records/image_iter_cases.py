"""What MXNet's and our iterators over images are asked for: the same calls, on files that are made here."""

import random
import zipfile

import numpy as np

from records import DATA

__all__ = ["made", "results"]

ZIP = DATA / "images.zip"
# Those whose pixels are MXNet's to the last bit.
NAMES = ["rgb.png", "q50.jpg", "grey.png", "x.bmp", "palette.png", "bilevel.png", "full.jpg"]


def made(mx, folder):
    """Files a.rec and a.idx of images, d.rec and d.idx with boxes, a.lst, and the images themselves."""
    with zipfile.ZipFile(ZIP) as archive:
        contents = [archive.read(name) for name in NAMES]
    for name, content in zip(NAMES, contents):
        (folder / name).write_bytes(content)
    pack, header = mx.recordio.pack, mx.recordio.IRHeader
    plain = [pack(header(0, float(i) / 2, i, 0), content) for i, content in enumerate(contents)]
    boxed = [pack(header(0, np.array(label_of(i), "float32"), i, 0), content) for i, content in enumerate(contents)]
    for name, records in (("a", plain), ("d", boxed)):
        writer = mx.recordio.MXIndexedRecordIO(str(folder / f"{name}.idx"), str(folder / f"{name}.rec"), "w")
        for i, record in enumerate(records):
            writer.write_idx(i, record)
        writer.close()
    lines = [f"{i}\t{10 - i:f}\t{name}\n" for i, name in enumerate(NAMES)]
    (folder / "a.lst").write_text("".join(lines))


def label_of(i):
    """The flat label of an image with one to three boxes; one of the last image's has no area."""
    boxes = [[k, 0.1 * k, 0.2, 0.1 * k + 0.4, 0.7] for k in range(1 + i % 3)]
    return [2, 5, *sum(boxes, []), *([3, 0.5, 0.5, 0.5, 0.9] if i == len(NAMES) - 1 else [])]


def passes(iterator, count=2):
    """[(data, label, pad) of each batch] of so many passes, as arrays in one dict."""
    out = {"labels": [], "pads": [], "data": []}
    for _ in range(count):
        for batch in iterator:
            out["data"].append(batch.data[0].asnumpy())
            out["labels"].append(batch.label[0].asnumpy())
            out["pads"].append(batch.pad)
        iterator.reset()
    return {key: np.array(value) for key, value in out.items()}


def image_iters(mx, folder):
    """{name: function that makes an iterator}."""
    a, d = ({"path_imgrec": str(folder / f"{n}.rec"), "path_imgidx": str(folder / f"{n}.idx")} for n in "ad")
    shape = {"data_shape": (3, 8, 9), "inter_method": 1}
    files = {"path_root": str(folder), **shape}
    pairs = [[float(i), name] for i, name in enumerate(NAMES[:3])]
    vectors = [[[i, -i], name] for i, name in enumerate(NAMES[:3])]
    return {
        "pad": lambda: mx.image.ImageIter(3, **a, **shape),
        "no_index": lambda: mx.image.ImageIter(3, path_imgrec=a["path_imgrec"], **shape),
        "discard": lambda: mx.image.ImageIter(3, **a, **shape, last_batch_handle="discard"),
        "roll_over": lambda: mx.image.ImageIter(3, **a, **shape, last_batch_handle="roll_over"),
        "part": lambda: mx.image.ImageIter(2, **a, **shape, num_parts=3, part_index=1),
        "shuffle": lambda: mx.image.ImageIter(4, **a, **shape, shuffle=True, rand_crop=True, rand_mirror=True),
        "list_file": lambda: mx.image.ImageIter(4, path_imglist=str(folder / "a.lst"), **files),
        "list_and_records": lambda: mx.image.ImageIter(4, path_imglist=str(folder / "a.lst"), **a, **shape),
        "list": lambda: mx.image.ImageIter(3, imglist=pairs, **files),
        "vectors": lambda: mx.image.ImageIter(3, imglist=vectors, label_width=2, **files),
        "detection": lambda: mx.image.ImageDetIter(3, **d, **shape, rand_mirror=True, rand_crop=0.5, rand_pad=0.5),
        "detection_plain": lambda: mx.image.ImageDetIter(2, **d, **shape, last_batch_handle="discard"),
    }


def scaled(factor):
    return {"min_random_scale": factor, "max_random_scale": factor}


def record_iters(mx, folder):
    a, d = ({"path_imgrec": str(folder / f"{n}.rec")} for n in "ad")
    shape = {"data_shape": (3, 8, 9), "verbose": 0}
    colors = {"mean_r": 10, "mean_g": 20, "mean_b": 30, "std_r": 2, "std_g": 3, "std_b": 4, "scale": 0.5}
    index = {"path_imgidx": str(folder / "a.idx")}
    # 7 images and batches of 7: each pass is one batch.
    whole = {**a, "data_shape": (3, 23, 31), "verbose": 0, "batch_size": 7, "dtype": "uint8"}
    boxed = {**d, **shape, "batch_size": 7}
    return {
        "record": lambda: mx.io.ImageRecordIter(**a, **shape, batch_size=3),
        "record_resize": lambda: mx.io.ImageRecordIter(**a, **shape, **colors, batch_size=7, resize=12),
        "record_enlarged": lambda: mx.io.ImageRecordIter(**a, data_shape=(3, 40, 33), verbose=0, batch_size=7),
        "record_grey": lambda: mx.io.ImageRecordIter(**a, data_shape=(1, 8, 9), verbose=0, batch_size=7),
        "record_pad": lambda: mx.io.ImageRecordIter(**a, data_shape=(3, 27, 35), verbose=0, batch_size=7, pad=2,
                                                    fill_value=7, mirror=True),
        "record_part": lambda: mx.io.ImageRecordIter(**a, **index, **shape, batch_size=3, num_parts=2, part_index=0),
        "record_list": lambda: mx.io.ImageRecordIter(**a, path_imglist=str(folder / "a.lst"), **shape, batch_size=7),
        "record_uint8": lambda: mx.io.ImageRecordUInt8Iter(**a, **shape, batch_size=7),
        "record_int8": lambda: mx.io.ImageRecordInt8Iter(**a, **shape, batch_size=7),
        "record_rotate": lambda: mx.io.ImageRecordIter(**whole, rotate=30, fill_value=7),
        "record_scale": lambda: mx.io.ImageRecordIter(**whole, **scaled(1.7)),
        "record_cubic": lambda: mx.io.ImageRecordIter(**whole, **scaled(1.3), rotate=20, inter_method=2),
        "record_lanczos": lambda: mx.io.ImageRecordIter(**whole, rotate=70, inter_method=4),
        "record_by_size": lambda: mx.io.ImageRecordIter(**a, **shape, **scaled(0.6), batch_size=7, inter_method=9),
        "record_limits": lambda: mx.io.ImageRecordIter(**a, **shape, batch_size=7, min_img_size=25, max_img_size=29),
        "record_ratio": lambda: mx.io.ImageRecordIter(**whole, min_aspect_ratio=1.5, max_aspect_ratio=1.5),
        "record_shear": lambda: mx.io.ImageRecordIter(**whole, max_shear_ratio=0.4),
        "record_mean": lambda: mx.io.ImageRecordIter(**a, **shape, batch_size=7, mean_img=str(folder / "m.bin")),
        "record_mean_again": lambda: mx.io.ImageRecordIter(**a, **shape, **colors, batch_size=7, mirror=True,
                                                           mean_img=str(folder / "m.bin")),
        "record_dtype_int8": lambda: mx.io.ImageRecordIter(**a, **shape, **colors, batch_size=7, dtype="int8"),
        "record_dtype_uint8": lambda: mx.io.ImageRecordIter(**a, **shape, **colors, batch_size=7, dtype="uint8"),
        "record_det_mirror": lambda: mx.io.ImageDetRecordIter(**boxed, rand_mirror_prob=1, resize=12),
        "record_det_fit": lambda: mx.io.ImageDetRecordIter(**boxed, resize_mode="fit"),
        "record_det_shrink": lambda: mx.io.ImageDetRecordIter(**d, data_shape=(3, 20, 40), verbose=0, batch_size=7,
                                                              resize_mode="shrink", label_pad_value=-2),
        "record_det_mean_img": lambda: mx.io.ImageDetRecordIter(**boxed, mean_img=str(folder / "n.bin"), std_g=2),
        "record_det": lambda: mx.io.ImageDetRecordIter(**d, **shape, batch_size=7, label_pad_width=20),
        "record_det_mean": lambda: mx.io.ImageDetRecordIter(**d, **shape, batch_size=2, mean_r=5, std_g=2, scale=2),
    }


def results(mx, folder):
    """{'case|data': array, ...}; of the data of both passes, as little as tells them apart."""
    made(mx, folder)
    out = {}
    for name, make in {**image_iters(mx, folder), **record_iters(mx, folder)}.items():
        random.seed(5)
        np.random.seed(5)
        iterator = make()
        for key, value in passes(iterator).items():
            out[f"{name}|{key}"] = value
        if name in ("record_det_fit", "record_det_shrink"):     # MXNet leaves there what the memory was
            rows, columns = out[f"{name}|labels"][0, 0, 1:3].astype(int)
            out[f"{name}|data"][..., rows:, :] = out[f"{name}|data"][..., columns:] = 0
        shapes = [tuple(desc) for desc in [*iterator.provide_data, *iterator.provide_label]]
        out[f"{name}|provided"] = np.array(repr(shapes))
    return out
