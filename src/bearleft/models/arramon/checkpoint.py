"""Checkpoints of ArraMon's networks: weights, configuration, vocabulary, views and backbone in one file."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from bearleft.errors import InputError
from bearleft.models.arramon.network import ArraMonNetwork, ArraMonShape
from bearleft.models.arramon.registry import arramon_spec
from bearleft.models.checkpoint import ARRAMON, Device, misfit_error, read_checkpoint, write_checkpoint
from bearleft.models.pointing.spec import check_setting, config_to_json, make_dataclass
from bearleft.models.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class ArraMonCheckpoint:
    """A network of ArraMon with everything that it needs to play."""

    network: ArraMonNetwork
    name: str
    config: Any  # the network's own Config
    vocabulary: Vocabulary
    backbone: str  # its name or file; empty if the network does not see
    backbone_hash: str
    view_size: int  # pixels
    training_info: dict[str, Any] = field(default_factory=dict)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the checkpoint atomically."""
        weights = {name: value.detach().cpu() for name, value in self.network.state_dict().items()}
        write_checkpoint(path, {"kind": ARRAMON, **self.metadata(), "weights": weights})

    def metadata(self) -> dict[str, Any]:
        """Return everything but the weights, as plain values."""
        return {
            "network": self.name,
            "config": config_to_json(self.config),
            "vocabulary": list(self.vocabulary.words),
            "backbone": self.backbone,
            "backbone_hash": self.backbone_hash,
            "view_size": self.view_size,
            "training_info": dict(self.training_info),
        }

    @classmethod
    def load(cls, path: str | os.PathLike[str], device: Device = "cpu") -> ArraMonCheckpoint:
        """Read a checkpoint; its network is in evaluation mode.

        Raises:
            InputError: The file is missing, damaged, of another kind, or of a version that cannot be read.
        """
        content = read_checkpoint(path, device, ARRAMON)
        try:
            spec = arramon_spec(str(content["network"]))
            values = dict(content["config"])
            shape = make_dataclass(ArraMonShape, values.pop("shape"), "shape", check_setting)
            config = spec.make_config({**values, "shape": shape})
            network = spec.build(config, None)
            network.load_state_dict(content["weights"])
            return cls(
                network.to(device).eval(),
                str(content["network"]),
                config,
                Vocabulary(tuple(content["vocabulary"])),
                str(content["backbone"]),
                str(content["backbone_hash"]),
                int(content["view_size"]),
                dict(content["training_info"]),
            )
        except InputError as error:
            raise error.at(file=str(path)) from error
        except (KeyError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            raise misfit_error(ARRAMON, path, error) from error
