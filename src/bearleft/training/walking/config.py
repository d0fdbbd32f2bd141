"""Training configuration of walking networks."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from bearleft.errors import InputError, format_value, unknown_name
from bearleft.models import BEST
from bearleft.models.walking.network import MAX_STEPS
from bearleft.models.walking.registry import FORCING, WalkSpec, walk_spec
from bearleft.runtime.store import existing_file

HORIZON, TEST_HORIZON = 55, 50  # actions, in training and in validation (Touchdown, appendix E.2)
HOGWILD = {"batch_size": 1, "learning_rate": 0.00025}  # of clients, whatever the network (appendix E.2)
SUBWORD_DROPOUT = 0.1  # of merges, drawn again in every epoch


@dataclass(frozen=True)
class WalkTrainConfig:
    """Everything that a result depends on beside walks and views; None stands for the network's own setting."""

    network: str
    seed: int = 0
    epochs: int | None = None  # at most
    examples_per_epoch: int | None = None  # walks between two validations; by default all
    batch_size: int | None = None
    learning_rate: float | None = None
    patience: int = 5  # epochs without a new least SPD after which training ends
    validation_share: float = 0.07  # share of the walks that are held out, if no split is named for validation
    max_validation: int = 1500  # walks that are held out at most, or taken of the split
    horizon: int = HORIZON
    forcing: str | None = None  # a key of FORCING
    clients: int = 0  # processes of HOGWILD! training on a CPU; 0: batches. Several give another curve in each run
    auto_turn: bool = True  # walkers turn to the nearest link when they enter a junction
    shuffle_texts: bool = False  # permute texts among walks
    overrides: dict[str, Any] = field(default_factory=dict)  # fields of the network's Config
    init: str | None = None  # checkpoint, or folder of a training, that it begins with

    def __post_init__(self) -> None:
        spec = walk_spec(self.network)
        for name in ("epochs", "examples_per_epoch", "batch_size", "patience", "max_validation"):
            if (count := getattr(self, name)) is not None and count < 1:
                raise InputError("at least 1", str(count), name)
        if self.learning_rate is not None and not 0.0 < self.learning_rate < 1e6:
            raise InputError("a number above 0 and below a million", str(self.learning_rate), "learning_rate")
        if not 0.0 < self.validation_share < 1.0:
            raise InputError("a share between 0 and 1", str(self.validation_share), "validation_share")
        if not 1 <= self.horizon <= MAX_STEPS:
            raise InputError(f"a horizon of 1 to {MAX_STEPS} actions", str(self.horizon), "horizon")
        if self.forcing is not None and self.forcing not in FORCING:
            raise unknown_name("forcing", self.forcing, FORCING)
        if self.clients < 0:
            raise InputError("0 clients, for batches, or more", str(self.clients), "clients")
        if self.clients and (self.forcing or spec.forcing) != "teacher":
            hint = "Add --forcing teacher."
            raise InputError(
                "teacher forcing with HOGWILD! clients", self.forcing or spec.forcing, "forcing", hint=hint
            )
        if self.clients and self.batch_size not in (None, HOGWILD["batch_size"]):
            raise InputError("one walk per update with HOGWILD! clients", str(self.batch_size), "batch_size")
        for name in {"shape"} & self.overrides.keys():
            raise InputError("a setting of the network", f"{format_value(name)}, which is none", "overrides")

    @property
    def spec(self) -> WalkSpec:
        """The network's settings."""
        return walk_spec(self.network)

    def defaults(self) -> dict[str, Any]:
        """Return the settings that None stands for."""
        own = {name: getattr(self.spec, name) for name in ("epochs", "batch_size", "learning_rate", "forcing")}
        return own | HOGWILD if self.clients else own

    def resolved(self) -> dict[str, Any]:
        """Return all settings, with the network's own where none is given."""
        own, given = self.defaults(), asdict(self)
        if given.pop("init") is not None:
            given["init"] = self.init_hash
        return given | {name: value if given[name] is None else given[name] for name, value in own.items()}

    def resume_key(self) -> dict[str, Any]:
        """Return the settings that must be the same when training resumes."""
        # A rate that decays to zero, and the epoch at which a network begins to walk itself, depend on the epochs.
        settings = self.resolved()
        if not self.spec.cosine_decay and settings["forcing"] == "teacher":
            settings.pop("epochs")
        return settings

    @property
    def init_file(self) -> Path:
        """The file of the checkpoint that training begins with."""
        assert self.init is not None
        path = Path(self.init)
        return existing_file(path / BEST if path.is_dir() else path, "a checkpoint of a walking network")

    @cached_property
    def init_hash(self) -> str:
        """Eight hexadecimal digits of that file, which change if it is written again."""
        return hashlib.sha256(self.init_file.read_bytes()).hexdigest()[:8]
