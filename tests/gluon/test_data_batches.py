"""Batches that a loader reads at once are those that it makes sample by sample."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon.data import ArrayDataset, DataLoader, SimpleDataset, batches
from minigluon.gluon.data.batchify import default_batchify_fn
from minigluon.gluon.data.vision import datasets, transforms

pytestmark = pytest.mark.once

IMAGES = np.random.RandomState(0).randint(0, 256, (13, 4, 5, 3)).astype("uint8")
LABELS = np.arange(13, dtype="int32")


class ImageSet(datasets._ImageDataset):
    def _read(self):
        return IMAGES, LABELS


class Mirrored(ArrayDataset):
    def __getitem__(self, idx):
        image, label = super().__getitem__(idx)
        return image[:, ::-1], label


class Brighter(transforms.ToTensor):
    def hybrid_forward(self, F, x):
        return super().hybrid_forward(F, x) * 2


def hooked():
    block = transforms.ToTensor()
    block.register_forward_hook(lambda *args: None)
    return block


NORMALIZE = transforms.Normalize((0.1, 0.2, 0.3), 0.5)
AT_ONCE = {
    "images": lambda: ImageSet(".", None),
    "tensors": lambda: ImageSet(".", None).transform_first(transforms.ToTensor()),
    "composed": lambda: ImageSet(".", None).transform_first(transforms.Compose([transforms.ToTensor(), NORMALIZE])),
    "hybrid": lambda: ImageSet(".", None).transform_first(transforms.HybridCompose([transforms.ToTensor(), NORMALIZE])),
    "cast": lambda: SimpleDataset(IMAGES).transform(transforms.Cast("float16")),
    "array": lambda: ArrayDataset(nd.array(IMAGES), LABELS, LABELS.astype("float64")),
    "one array": lambda: ArrayDataset(IMAGES),
    "selected": lambda: ImageSet(".", None).shard(2, 1).transform_first(transforms.ToTensor()),
    "filtered": lambda: ArrayDataset(IMAGES, LABELS).filter(lambda sample: sample[1] % 2 == 0),
}
ONE_BY_ONE = {
    "a transform of the dataset's own": lambda: ImageSet(".", lambda image, label: (image + 1, label)),
    "a subclass": lambda: Mirrored(IMAGES, LABELS),
    "a subclass of a transform": lambda: ImageSet(".", None).transform_first(Brighter()),
    "a hook": lambda: ImageSet(".", None).transform_first(hooked()),
    "a function": lambda: ImageSet(".", None).transform_first(lambda image: image.astype("float32")),
    "both parts": lambda: ArrayDataset(IMAGES, LABELS).transform(lambda image, label: (image, label + 1)),
    "composed with a function": lambda: SimpleDataset(IMAGES).transform(transforms.Compose([lambda x: x * 2])),
    "random": lambda: ImageSet(".", None).transform_first(transforms.RandomBrightness(0)),
    "a list": lambda: SimpleDataset([1, 2, 3, 4] * 4),
    "other rank": lambda: SimpleDataset(IMAGES[0]).transform(transforms.Cast("float32")).transform(lambda x: x),
}


def same(one, other):
    one, other = (x if isinstance(x, list) else [x] for x in (one, other))
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        assert (a.shape, a.dtype, a.context) == (b.shape, b.dtype, b.context)
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


@pytest.mark.parametrize("name", AT_ONCE)
@settings(max_examples=5)
@given(st.data())
def test_at_once(name, data):
    dataset = AT_ONCE[name]()
    indices = data.draw(st.lists(st.integers(0, len(dataset) - 1), min_size=1, max_size=6))
    batch = dataset.rows(indices)
    assert batch is not None
    same(batch, default_batchify_fn([dataset[i] for i in indices]))
    same(batches.read_batch(dataset, indices, default_batchify_fn), batch)


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_one_by_one(name):
    dataset = ONE_BY_ONE[name]()
    assert dataset.rows([0, 2]) is None
    same(batches.read_batch(dataset, [0, 2], default_batchify_fn), default_batchify_fn([dataset[0], dataset[2]]))


def test_where_it_is_not_asked():
    dataset, seen = AT_ONCE["tensors"](), []
    dataset.rows = seen.append
    batches.read_batch(dataset, [0, 1], list)
    with autograd.record():
        batches.read_batch(dataset, [0, 1], default_batchify_fn)
    assert seen == []
    batches.read_batch(dataset, [0, 1], default_batchify_fn)
    assert seen == [[0, 1]]


@pytest.mark.parametrize("wrong", [13, -14])
def test_indices_that_are_not_there(wrong):
    for dataset in (ArrayDataset(IMAGES, LABELS), ImageSet(".", None)):
        assert dataset.rows([0, wrong]) is None
        with pytest.raises(IndexError):
            batches.read_batch(dataset, [0, wrong], default_batchify_fn)


@pytest.mark.parametrize("options", [{}, {"num_workers": 2}, {"num_workers": 2, "thread_pool": True}])
def test_a_loader(options):
    dataset = AT_ONCE["composed"]()
    loader = DataLoader(dataset, 5, last_batch="keep", **options)
    plain = DataLoader(dataset, 5, batchify_fn=lambda samples: default_batchify_fn(samples), last_batch="keep")
    for one, other in zip(loader, plain, strict=True):
        same(one, other)


def test_a_dataset_of_ones_own_has_no_rows():
    class Mine(gluon.data.Dataset):
        def __len__(self):
            return 3

        def __getitem__(self, idx):
            return nd.array([idx])
    assert Mine().rows([0]) is None
    assert [x.asnumpy().tolist() for x in DataLoader(Mine(), 2)] == [[[0], [1]], [[2]]]
    assert mx.gluon.data.SimpleDataset(np.float32(3)).rows([0]) is None
