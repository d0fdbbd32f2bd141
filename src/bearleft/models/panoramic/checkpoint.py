"""Checkpoints of panoramic networks: weights, configuration, vocabulary and horizon in one file."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from bearleft.errors import InputError
from bearleft.models.checkpoint import PANORAMIC, Device, misfit_error, read_checkpoint, write_checkpoint
from bearleft.models.panoramic.network import Config, PanoramicNetwork, PanoramicShape, build_network, make_config
from bearleft.models.pointing.spec import config_to_json, make_dataclass
from bearleft.models.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class PanoramicCheckpoint:
    """A panoramic network with everything that a walk needs."""

    network: PanoramicNetwork
    config: Config
    vocabulary: Vocabulary
    horizon: int  # of its walks, in actions
    training_info: dict[str, Any] = field(default_factory=dict)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the checkpoint atomically."""
        weights = {name: value.detach().cpu() for name, value in self.network.state_dict().items()}
        write_checkpoint(path, {"kind": PANORAMIC, **self.metadata(), "weights": weights})

    def metadata(self) -> dict[str, Any]:
        """Return everything but the weights, as plain values."""
        return {
            "config": config_to_json(self.config),
            "vocabulary": list(self.vocabulary.words),
            "horizon": self.horizon,
            "training_info": dict(self.training_info),
        }

    @classmethod
    def load(cls, path: str | os.PathLike[str], device: Device = "cpu") -> PanoramicCheckpoint:
        """Read a checkpoint; its network is in evaluation mode.

        Raises:
            InputError: The file is missing, damaged, of another kind, or of a version that cannot be read.
        """
        content = read_checkpoint(path, device, PANORAMIC)
        try:
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
        except InputError as error:
            raise error.at(file=str(path)) from error
        except (KeyError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            raise misfit_error(PANORAMIC, path, error) from error
