"""Dataset generation: routes, splits, scenes, examples and whole datasets in generated worlds."""

from bearleft.generate.datasets import make, sampled

__all__ = ["make", "sampled"]
