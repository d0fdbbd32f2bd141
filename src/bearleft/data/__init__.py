"""What is asked: the papers' datasets as episodes, read one by one and written back."""

from bearleft.data.catalog import CITY, DATASETS, datasets, load, names, open_dataset, read, write
from bearleft.data.check import Checked, check
from bearleft.data.dataset import Dataset, Remark
from bearleft.data.loaders.refer360 import followers
from bearleft.data.stats import stats

__all__ = [
    "CITY",
    "DATASETS",
    "Checked",
    "Dataset",
    "Remark",
    "check",
    "datasets",
    "followers",
    "load",
    "names",
    "open_dataset",
    "read",
    "stats",
    "write",
]
