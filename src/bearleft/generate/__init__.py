"""Dataset generation in generated worlds: routes, splits, scenes, examples and whole datasets."""

from bearleft.generate.datasets import ensure_samples, make_dataset

__all__ = ["ensure_samples", "make_dataset"]
