"""Training configuration of ArraMon's networks."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from bearleft.envs.legs import EnvOptions
from bearleft.errors import InputError, format_value, unknown_name
from bearleft.models.arramon.registry import FORCING, ArraMonSpec, arramon_spec
from bearleft.models.arramon.views import VIEW_SIZE

COLLECT_HORIZON, ASSEMBLE_HORIZON = 120, 30  # twice the longest references of city/arramon
MEMORY_SHARE = 0.5  # of a GPU's memory, for feature maps that are kept; on a CPU, MEMORY_GB
MEMORY_GB = 2.0
SCORES = ("nDTW", "CTC-3", "rPOD", "PTC")  # of the validation tasks


@dataclass(frozen=True)
class ArraMonTrainConfig:
    """Everything that a result depends on beside the tasks; None stands for the network's own setting."""

    network: str
    seed: int = 0
    epochs: int | None = None  # at most
    examples_per_epoch: int | None = None  # turns between two validations; by default all
    batch_size: int | None = None  # turns of an update: a leg in the city and one in the room each
    learning_rate: float | None = None
    patience: int = 5  # epochs without a better mean of SCORES after which training ends
    validation_share: float = 0.05  # share of the tasks that are held out, if no split is named for validation
    max_validation: int = 200  # tasks that are held out at most, or taken of the split
    forcing: str | None = None  # a key of FORCING
    dagger_after: float = 0.3  # share of the epochs after which the network learns along its own actions, too
    dagger_tasks: int = 512  # tasks that it plays before each of these epochs
    dagger_rounds: int = 4  # of them that are kept
    collect_horizon: int = COLLECT_HORIZON  # actions of a leg in the city that it plays itself
    assemble_horizon: int = ASSEMBLE_HORIZON  # actions of a leg in the room that it plays itself
    shuffle_texts: bool = False  # permute texts among tasks
    view_size: int = VIEW_SIZE  # pixels
    rows: int | None = None  # of a feature map
    view_memory: float | None = None  # gigabytes of feature maps that are kept, of all legs together
    overrides: dict[str, Any] = field(default_factory=dict)  # fields of the network's Config

    def __post_init__(self) -> None:
        arramon_spec(self.network)
        counts = ("epochs", "examples_per_epoch", "batch_size", "patience", "max_validation", "dagger_tasks")
        for name in (*counts, "dagger_rounds", "collect_horizon", "assemble_horizon", "view_size", "rows"):
            if (count := getattr(self, name)) is not None and count < 1:
                raise InputError("at least 1", str(count), name)
        if self.learning_rate is not None and not 0.0 < self.learning_rate < 1e6:
            raise InputError("a number above 0 and below a million", str(self.learning_rate), "learning_rate")
        if not 0.0 < self.validation_share < 1.0:
            raise InputError("a share between 0 and 1", str(self.validation_share), "validation_share")
        if not 0.0 <= self.dagger_after <= 1.0:
            raise InputError("a share from 0 to 1", str(self.dagger_after), "dagger_after")
        if self.forcing is not None and self.forcing not in FORCING:
            raise unknown_name("forcing", self.forcing, FORCING)
        if self.view_memory is not None and self.view_memory < 0:
            raise InputError("a number from 0 up", str(self.view_memory), "view_memory")
        for name in {"shape"} & self.overrides.keys():
            raise InputError("a setting of the network", f"{format_value(name)}, which is none", "overrides")

    @property
    def env_options(self) -> EnvOptions:
        """The rules of tasks that it plays itself."""
        return EnvOptions(collect_horizon=self.collect_horizon, assemble_horizon=self.assemble_horizon)

    @property
    def spec(self) -> ArraMonSpec:
        """The network's settings."""
        return arramon_spec(self.network)

    def resolved(self) -> dict[str, Any]:
        """Return all settings, with the network's own where none is given."""
        names = ("epochs", "batch_size", "learning_rate", "forcing", "rows")
        own, given = {name: getattr(self.spec, name) for name in names}, asdict(self)
        return given | {name: value if given[name] is None else given[name] for name, value in own.items()}

    def resume_key(self) -> dict[str, Any]:
        """Return the settings that must be the same when training resumes."""
        settings = self.resolved()
        settings.pop("view_memory")
        # A rate that decays to zero, and the epoch at which a network plays itself, depend on the epochs.
        if not self.spec.cosine_decay and settings["forcing"] != "dagger":
            settings.pop("epochs")
        return settings


def score_of(scores: dict[str, float]) -> float:
    """Return the mean of the SCORES, by which the best epoch is chosen."""
    return sum(scores[name] for name in SCORES) / len(SCORES)


def format_scores(scores: dict[str, Any]) -> str:
    """Return the SCORES for people."""
    return ", ".join(f"{name} {scores[name]:.3f}" for name in SCORES)
