"""Checkpoints of panoramic networks: weights, configuration, vocabulary and horizon in one file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from bearleft.models.checkpoint import PANORAMIC, Device
from bearleft.models.network_checkpoint import NetworkCheckpoint
from bearleft.models.panoramic.network import Config, PanoramicNetwork, PanoramicShape, build_network, make_config
from bearleft.models.pointing.spec import config_to_json, make_dataclass
from bearleft.models.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class PanoramicCheckpoint(NetworkCheckpoint):
    """A panoramic network with everything that a walk needs."""

    kind: ClassVar[str] = PANORAMIC
    network: PanoramicNetwork
    config: Config
    vocabulary: Vocabulary
    horizon: int  # of its walks, in actions
    training_info: dict[str, Any] = field(default_factory=dict)

    def metadata(self) -> dict[str, Any]:
        """Return everything but the weights, as plain values."""
        return {
            "config": config_to_json(self.config),
            "vocabulary": list(self.vocabulary.words),
            "horizon": self.horizon,
            "training_info": dict(self.training_info),
        }

    @classmethod
    def from_content(cls, content: dict[str, Any], device: Device) -> PanoramicCheckpoint:
        """Return the checkpoint of a file's content."""
        values = dict(content["config"])
        shape = make_dataclass(PanoramicShape, values.pop("shape"), "shape", lambda *_: None)
        config = make_config(shape, values)
        network = build_network(config, None)
        network.load_state_dict(content["weights"])
        return cls(
            network.to(device).eval(),
            config,
            Vocabulary(tuple(content["vocabulary"])),
            int(content["horizon"]),
            dict(content["training_info"]),
        )
