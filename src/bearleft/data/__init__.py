"""Datasets as episodes: catalogue, loaders, writers, validation and statistics."""

from bearleft.data.catalog import CITY_DATASETS, DATASETS, dataset_names, list_datasets, load, open_dataset, read, write
from bearleft.data.check import CheckResult, check
from bearleft.data.dataset import Dataset, DatasetFamily, DatasetNote, SplitFiles
from bearleft.data.loaders.refer360 import follower_traces
from bearleft.data.manifest import read_manifest
from bearleft.data.stats import stats

__all__ = [
    "CITY_DATASETS",
    "DATASETS",
    "CheckResult",
    "Dataset",
    "DatasetFamily",
    "DatasetNote",
    "SplitFiles",
    "check",
    "dataset_names",
    "follower_traces",
    "list_datasets",
    "load",
    "open_dataset",
    "read",
    "read_manifest",
    "stats",
    "write",
]
