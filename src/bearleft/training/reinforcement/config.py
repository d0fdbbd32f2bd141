"""Training configurations of learning by rewards: of panoramic networks, and of walking networks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from bearleft.envs.rewards import REWARDS
from bearleft.errors import InputError, format_value, unknown_name
from bearleft.models.walking.registry import TEACHER
from bearleft.training.pointing.config import PRECISIONS
from bearleft.training.walking.config import WalkTrainConfig

NETWORK = "panoramic"
WALK_SELECTION = ("SDTW", "SPD")  # scores by which the best epoch of a walking network can be chosen
SCORES = ("nDTW", "SDTW", "SR")  # of the validation walks; SR in percent
SELECTION = ("nDTW", "SDTW")  # scores by which the best epoch can be chosen
MAX_HORIZON = 200


@dataclass(frozen=True, kw_only=True)
class ActorCriticConfig:
    """Settings of learning by rewards, mixed with imitation; the defaults are those of VALAN."""

    normalize_advantages: ClassVar[bool] = False  # divide them by their root mean square in the batch

    reward: str = "fidelity"  # a key of REWARDS
    imitation: float = 0.5  # probability of an episode to be learned from the teacher
    discount: float = 0.95
    entropy_weight: float = 1e-4
    value_weight: float = 0.5
    decay: float = 0.8  # of the learning rate, every `decay_updates`
    decay_updates: int = 5000
    max_grad_norm: float = 40.0

    def __post_init__(self) -> None:
        if self.reward not in REWARDS:
            raise unknown_name("reward", self.reward, REWARDS)
        if self.decay_updates < 1:
            raise InputError("at least 1", str(self.decay_updates), "decay_updates")
        if not 0.0 < self.max_grad_norm < 1e6:
            raise InputError("a number above 0 and below a million", str(self.max_grad_norm), "max_grad_norm")
        for name in ("imitation", "discount", "decay"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError("a number from 0 to 1", str(getattr(self, name)), name)
        for name in ("entropy_weight", "value_weight"):
            if not 0.0 <= getattr(self, name) < 1e6:
                raise InputError("a number from 0 up, below a million", str(getattr(self, name)), name)

    def scheduled_rate(self, learning_rate: float, update: int) -> float:
        """Return the learning rate of an update, of the first one's rate."""
        return learning_rate * self.decay ** (update // self.decay_updates)


@dataclass(frozen=True)
class ReinforceConfig(ActorCriticConfig):
    """Everything that a result depends on beside walks and features; rates, weights and batches are those of VALAN."""

    network: ClassVar[str] = NETWORK

    seed: int = 0
    epochs: int = 200  # at most
    examples_per_epoch: int | None = None  # walks between two validations; by default all
    batch_size: int = 128
    learning_rate: float = 1e-4
    horizon: int | None = None  # actions of a walk; by default twice those of the longest reference
    select: str = "nDTW"  # one of SELECTION
    patience: int = 20  # epochs without a better one after which training ends
    validation_share: float = 0.07  # share of the walks that are held out, if no split is named for validation
    max_validation: int = 2500  # walks that are held out at most, or taken of the split
    shuffle_texts: bool = False  # permute texts among walks
    precision: str = "float32"  # of updates; validation is in float32
    overrides: dict[str, Any] = field(default_factory=dict)  # fields of the network's Config

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.select not in SELECTION:
            raise unknown_name("score", self.select, SELECTION)
        if self.precision not in PRECISIONS:
            raise InputError(" or ".join(PRECISIONS), format_value(self.precision), "precision")
        for name in ("epochs", "examples_per_epoch", "batch_size", "patience", "max_validation"):
            if (count := getattr(self, name)) is not None and count < 1:
                raise InputError("at least 1", str(count), name)
        if not 0.0 < self.learning_rate < 1e6:
            raise InputError("a number above 0 and below a million", str(self.learning_rate), "learning_rate")
        if not 0.0 < self.validation_share < 1.0:
            raise InputError("a share between 0 and 1", str(self.validation_share), "validation_share")
        if self.horizon is not None and not 1 <= self.horizon <= MAX_HORIZON:
            raise InputError(f"a horizon of 1 to {MAX_HORIZON} actions", str(self.horizon), "horizon")
        for name in {"shape"} & self.overrides.keys():
            raise InputError("a setting of the network", f"{format_value(name)}, which is none", "overrides")

    def resume_key(self) -> dict[str, Any]:
        """Return the settings that must be the same when training resumes; more epochs may be asked for."""
        settings = asdict(self)
        settings.pop("epochs")
        return settings


@dataclass(frozen=True, kw_only=True)
class WalkReinforceConfig(WalkTrainConfig, ActorCriticConfig):
    """Everything that a result of learning by rewards depends on beside walks and views; None stands for a default.

    Walks through streets have several times as many actions as those that VALAN's discount was chosen for.
    """

    normalize_advantages: ClassVar[bool] = True

    discount: float = 0.99
    temperature: float = 0.25  # of the policy that actions are drawn from; with a low one, nearly as they are chosen
    select: str = "SDTW"  # one of WALK_SELECTION

    def __post_init__(self) -> None:
        WalkTrainConfig.__post_init__(self)
        ActorCriticConfig.__post_init__(self)
        if not 0.01 <= self.temperature <= 10.0:
            raise InputError("a temperature from 0.01 to 10", str(self.temperature), "temperature")
        if self.select not in WALK_SELECTION:
            raise unknown_name("score", self.select, WALK_SELECTION)
        if self.forcing not in (None, TEACHER):
            hint = "Leave out --forcing: with a reward, the network learns along its own walks anyway."
            raise InputError("teacher forcing of the episodes that are imitated", self.forcing, "forcing", hint=hint)
        if self.clients:
            hint = "Leave out --clients, or --reward."
            raise InputError("batches, to learn by rewards", f"{self.clients} HOGWILD! clients", "clients", hint=hint)

    def defaults(self) -> dict[str, Any]:
        """Return the settings that None stands for."""
        return {"epochs": 50, "batch_size": 128, "learning_rate": 1e-4, "forcing": TEACHER}

    def resume_key(self) -> dict[str, Any]:
        """Return the settings that must be the same when training resumes; more epochs may be asked for."""
        settings = self.resolved()
        settings.pop("epochs")
        return settings


def format_scores(scores: Mapping[str, float]) -> str:
    """Return the SCORES for people."""
    return f"nDTW {scores['nDTW']:.3f}, SDTW {scores['SDTW']:.3f}, SR {scores['SR']:.1f} %"
