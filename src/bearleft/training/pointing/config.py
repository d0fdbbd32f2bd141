"""Training configuration of pointing networks."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from bearleft.errors import InputError, format_value
from bearleft.models.pointing.levels import REGION, check_level
from bearleft.models.pointing.spec import NetworkSpec
from bearleft.models.pointing.target_maps import SIGMA

PRECISIONS = ("bfloat16", "float32")


@dataclass(frozen=True)
class TrainConfig:
    """Everything that a result depends on beside examples and features."""

    network: str
    seed: int = 0
    epochs: int = 30  # at most
    examples_per_epoch: int | None = None  # examples between two validations; by default all
    batch_size: int = 10
    learning_rate: float | None = None  # by default the network's own
    patience: int = 4  # epochs without a new best accuracy after which training ends
    validation_share: float = 0.07  # share of examples that are held out for validation
    sigma: float = SIGMA  # cells: width of the Gaussian around a target
    precision: str | None = None  # by default bfloat16 on a GPU and float32 elsewhere
    compile: bool = False  # use torch.compile on a GPU; steps that need no host are CUDA graphs anyway
    max_grad_norm: float | None = None  # by default the network's own
    released: bool = False  # network, validation split and default slicing as in the released code
    shuffle_texts: bool = False  # permute texts among examples
    level: str = REGION  # target: a region around it, its pixel (one cell), or the object next to it
    overrides: dict[str, Any] = field(default_factory=dict)  # fields of the network's Config

    def __post_init__(self) -> None:
        for name in ("epochs", "examples_per_epoch", "batch_size", "patience"):
            if (count := getattr(self, name)) is not None and count < 1:
                raise InputError("at least 1", str(count), name)
        for name in ("learning_rate", "max_grad_norm", "sigma"):
            if (value := getattr(self, name)) is not None and not 0.0 < value < 1e6:
                raise InputError("a number above 0 and below a million", str(value), name)
        for name in {"name", "shape", "seed"} & self.overrides.keys():
            raise InputError("a setting of the network", f"{format_value(name)}, which is none", "overrides")
        if not 0.0 < self.validation_share < 1.0:
            raise InputError("a share between 0 and 1", str(self.validation_share), "validation_share")
        if self.precision not in (None, *PRECISIONS):
            raise InputError(" or ".join(PRECISIONS), format_value(self.precision), "precision")
        check_level(self.level)


def network_overrides(config: TrainConfig) -> dict[str, Any]:
    """Return the fields of the network's Config that a training sets."""
    return {**({"released": True} if config.released else {}), **config.overrides}


def resume_key(config: TrainConfig, spec: NetworkSpec) -> dict[str, Any]:
    """Return the settings that must be the same when training resumes."""
    # A rate that decays to zero at the end depends on the number of epochs.
    ignored = {"compile"} if spec.cosine_decay else {"compile", "epochs"}
    settings = {name: value for name, value in asdict(config).items() if name not in ignored}
    return {**settings, "network": spec.label or config.network}
