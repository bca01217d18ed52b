"""Datasets, samplers, and the loader that uses them to form batches."""

from . import batchify, dataloader, dataset, sampler, vision
from .dataloader import DataLoader
from .dataset import ArrayDataset, Dataset, RecordFileDataset, SimpleDataset
from .sampler import BatchSampler, FilterSampler, IntervalSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["ArrayDataset", "BatchSampler", "DataLoader", "Dataset", "FilterSampler", "IntervalSampler", "RandomSampler",
           "RecordFileDataset", "Sampler", "SequentialSampler", "SimpleDataset", "batchify", "dataloader", "dataset",
           "sampler", "vision"]
