"""How a network that points is trained: everything a result depends on beside examples and features."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bearleft.errors import InputError, shown
from bearleft.models.pointing.levels import REGION, check_level
from bearleft.models.pointing.target_maps import SIGMA

PRECISIONS = ("bfloat16", "float32")


@dataclass(frozen=True)
class Recipe:
    """All that a result depends on beside examples and features."""

    network: str
    seed: int = 0
    epochs: int = 30  # at most
    epoch: int | None = None  # examples between two looks at the tuning accuracy; all of them where none is given
    batch: int = 10
    rate: float | None = None  # the network's own where none is given
    patience: int = 4  # epochs without a new best accuracy, after which training ends
    tuning: float = 0.07  # share of examples that are held back
    sigma: float = SIGMA  # cells: how wide a region is
    precision: str | None = None  # bfloat16 on a GPU and float32 elsewhere where none is given
    compile: bool = False  # by torch.compile, on a GPU; updates that lie there whole are recorded as graphs anyway
    clip: float | None = None  # largest length of a gradient
    released: bool = False  # the network, the tuning split and the default slicing as in the released code
    shuffled: bool = False  # texts are dealt out anew among examples
    level: str = REGION  # what is aimed at: a region around the target, its pixel (one cell), or the object next to it
    changes: dict[str, Any] = field(default_factory=dict)  # of the network's Config

    def __post_init__(self) -> None:
        for name in ("epochs", "epoch", "batch", "patience"):
            if (many := getattr(self, name)) is not None and many < 1:
                raise InputError("at least 1", str(many), name)
        for name in ("rate", "clip", "sigma"):
            if (value := getattr(self, name)) is not None and not 0.0 < value < 1e6:
                raise InputError("a number above 0 and below a million", str(value), name)
        for name in {"name", "shape", "seed"} & self.changes.keys():
            raise InputError("a setting of the network", f"{shown(name)}, which is none", "changes")
        if not 0.0 < self.tuning < 1.0:
            raise InputError("a share between 0 and 1", str(self.tuning), "tuning")
        if self.precision not in (None, *PRECISIONS):
            raise InputError(" or ".join(PRECISIONS), shown(self.precision), "precision")
        check_level(self.level)
