"""Checkpoints of pointing networks: weights, configuration, vocabulary, slicing and backbone in one file.

The file is torch's own format followed by a line with the SHA-256 of everything before it. So torch can read it too,
and damaged files are detected before anything of them is used.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from bearleft.errors import InputError, format_value, unknown_name
from bearleft.models import BEST, NETWORK_FILE
from bearleft.models.backbones.base import check_uncompressed
from bearleft.models.int8 import dequantize_weights
from bearleft.models.legacy import upgrade_checkpoint, upgrade_format_2
from bearleft.models.pointing.network import PointNetwork
from bearleft.models.pointing.network_file import load_network_file
from bearleft.models.pointing.registry import NETWORKS
from bearleft.models.pointing.spec import NetworkSpec, config_to_json, network_from_json
from bearleft.models.vocabulary import Vocabulary
from bearleft.runtime.store import atomic_write, existing_file
from bearleft.world.slices import Slicing

FORMAT = 2
# Kinds of files.
POINT, LOOK, WALK, PANORAMIC, ARRAMON, TRAINING = "point", "look", "walk", "panoramic", "arramon", "training"
KIND_NAMES = {
    POINT: "a checkpoint of a pointing network",
    LOOK: "a checkpoint of a look network",
    WALK: "a checkpoint of a walking network",
    PANORAMIC: "a checkpoint of a panoramic network",
    ARRAMON: "a checkpoint of a network of ArraMon",
    TRAINING: "a training state",
}
CHECKSUM = re.compile(rb"\nsha256 ([0-9a-f]{64})\n")
CHECKSUM_BYTES = len("\nsha256 \n") + 64
Device = str | torch.device


@dataclass(frozen=True, eq=False)
class PointCheckpoint:
    """A pointing network with everything that prediction needs."""

    network: PointNetwork
    name: str
    config: Any  # the network's own Config
    vocabulary: Vocabulary
    slicing: Slicing
    backbone: str  # its name or file
    backbone_hash: str  # of its weights
    training_info: dict[str, Any] = field(default_factory=dict)  # plain values: seed, epoch, accuracy, configuration
    network_hash: str = ""  # SHA-256 of the user's file that defines the network; `name` is the file's name

    def to(self, device: Device) -> PointCheckpoint:
        """Move the network to a device and return this checkpoint."""
        self.network.to(device)
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the checkpoint atomically."""
        weights = {name: value.detach().cpu() for name, value in self.network.state_dict().items()}
        write_checkpoint(path, {"kind": POINT, **self.metadata(), "weights": weights})

    def metadata(self) -> dict[str, Any]:
        """Return everything but the weights, as plain values."""
        return {
            "network": self.name,
            "config": config_to_json(self.config),
            "vocabulary": list(self.vocabulary.words),
            "slicing": asdict(self.slicing),
            "backbone": self.backbone,
            "backbone_hash": self.backbone_hash,
            "training_info": dict(self.training_info),
            **({"network_hash": self.network_hash} if self.network_hash else {}),
        }

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], device: Device = "cpu", network: str | os.PathLike[str] | None = None
    ) -> PointCheckpoint:
        """Read the checkpoint of a pointing network.

        No code is run that a checkpoint names or contains: if its network is defined in a user's Python file, the
        caller names the file.

        Args:
            path: A file that `save` wrote, of this version of bearleft or an earlier one.
            device: Where the network is loaded.
            network: The Python file that defines the network, if it is none of bearleft; it is run.

        Returns:
            The checkpoint, with its network in evaluation mode.

        Raises:
            InputError: The file is missing, damaged, of another kind, of a version that cannot be read, or of another
                network file.
        """
        content = read_checkpoint(path, device, POINT)
        with fitting(POINT, path):
            spec = _network_spec(Path(path), str(content["network"]), str(content.get("network_hash", "")), network)
            loaded, config = network_from_json(spec, content["config"])
            loaded.load_state_dict(content["weights"])
            return cls(
                loaded.to(device).eval(),
                str(content["network"]),
                config,
                Vocabulary(tuple(content["vocabulary"])),
                Slicing(**content["slicing"]),
                str(content["backbone"]),
                str(content["backbone_hash"]),
                dict(content["training_info"]),
                spec.file_hash,
            )


def _network_spec(checkpoint: Path, name: str, network_hash: str, file: str | os.PathLike[str] | None) -> NetworkSpec:
    """Return the network of a checkpoint; a file is run only if the caller named it."""
    if not network_hash:
        if name not in NETWORKS:
            raise unknown_name("network", name, NETWORKS)
        if file is not None:
            raise InputError(f"no file: {name} is a network of bearleft", format_value(str(file)), "network")
        return NETWORKS[name]
    copy = checkpoint.with_name(NETWORK_FILE)
    if file is None:
        hint = "Add --network FILE.py. The file is run, so name only one that you trust."
        hint += f" Training left a copy: {copy}" if copy.is_file() else ""
        raise InputError(f"the Python file of its network, {format_value(name)}", "none", "network", hint=hint)
    spec = load_network_file(Path(file))
    if spec.file_hash != network_hash:
        hint = f"Training left a copy: {copy}" if copy.is_file() else "Undo the changes, or train again."
        expected = f"the network file that it was trained with, {name} ({network_hash[:8]})"
        raise InputError(expected, f"{spec.file} ({spec.file_hash[:8]})", "network", hint=hint)
    return spec


@contextlib.contextmanager
def fitting(kind: str, path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn errors of the content of a checkpoint that was read into InputErrors that name its file."""
    try:
        yield
    except InputError as error:
        raise error.at(file=str(path)) from error
    except (KeyError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        got = f"one that does not fit: {format_value(str(error).partition(chr(10))[0])}"
        hint = "It was written by another version of bearleft; train it again."
        raise InputError(KIND_NAMES[kind], got, file=str(path), hint=hint) from error


def write_checkpoint(path: str | os.PathLike[str], content: dict[str, Any]) -> None:
    """Write tensors and plain values with a checksum, atomically."""
    buffer = io.BytesIO()
    torch.save({"format": FORMAT, **content}, buffer)
    data = buffer.getbuffer()
    with atomic_write(path, "wb") as stream:
        stream.write(data)
        stream.write(f"\nsha256 {hashlib.sha256(data).hexdigest()}\n".encode())


def read_checkpoint(path: str | os.PathLike[str], device: Device = "cpu", kind: str = POINT) -> dict[str, Any]:
    """Return the content of a file that `write_checkpoint` wrote, upgraded to the current format.

    Args:
        path: The file.
        device: Where its tensors are loaded.
        kind: The kind that the file must have: a key of KIND_NAMES.

    Raises:
        InputError: The file is missing, damaged, of another kind, or of a format that cannot be read.
    """
    file = existing_file(path, KIND_NAMES[kind])
    content = _load(file, device, kind)
    if not isinstance(content, dict) or content.get("kind") != kind:
        got = str(content.get("kind", "another file")) if isinstance(content, dict) else "another file"
        hint = f"The result of a training is {BEST}: {file.with_name(BEST)}" if got == TRAINING else ""
        raise InputError(KIND_NAMES[kind], KIND_NAMES.get(got, format_value(got)), file=str(file), hint=hint)
    if content.get("format") != FORMAT:
        got = f"format {format_value(content.get('format'))}"
        hint = "Use the bearleft that wrote it, or train again."
        raise InputError(f"a checkpoint of format {FORMAT}", got, file=str(file), hint=hint)
    if content.get("weight_bits") == 8:
        with fitting(kind, file):
            content["weights"] = dequantize_weights(content["weights"])
    return content


def checkpoint_kind(path: str | os.PathLike[str]) -> str:
    """Return the kind of a file that `write_checkpoint` wrote: a key of KIND_NAMES; POINT if it cannot be told."""
    try:
        content = _load(existing_file(path, KIND_NAMES[POINT]), "cpu", POINT)
    except InputError:  # whoever loads it reports it
        return POINT
    kind = content.get("kind") if isinstance(content, dict) else None
    return kind if kind in KIND_NAMES else POINT


def _load(file: Path, device: Device, kind: str) -> Any:
    """Return the content of a file, upgraded to the current format; errors name the kind that was expected."""
    data = _read_verified(file, kind)
    check_uncompressed(io.BytesIO(data), file, KIND_NAMES[kind])
    try:
        content = torch.load(io.BytesIO(data), map_location=device, weights_only=True)
    except Exception as error:  # torch raises many kinds; the checksum is right, so another program wrote the file
        got = format_value(str(error).partition("\n")[0])
        raise InputError(KIND_NAMES[kind], f"a file that torch cannot read: {got}", file=str(file)) from error
    if isinstance(content, dict) and content.get("format") == 1:
        content = upgrade_checkpoint(content)
    elif isinstance(content, dict) and content.get("format") == 2:
        content = upgrade_format_2(content)
    return content


def _read_verified(file: Path, kind: str) -> bytes:
    """Return a file's content without its last line, which must be the checksum of the rest."""
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise InputError(
            "a file that can be read", format_value(error.strerror or str(error)), file=str(file)
        ) from error
    checksum = CHECKSUM.fullmatch(raw[-CHECKSUM_BYTES:])
    if checksum is None:
        got = "an empty file" if not raw else "a file that ends early, or that bearleft did not write"
        raise InputError(KIND_NAMES[kind], got, file=str(file))
    data = raw[:-CHECKSUM_BYTES]
    if hashlib.sha256(data).hexdigest().encode() != checksum[1]:
        raise InputError(KIND_NAMES[kind], "a damaged file (its checksum is wrong)", file=str(file))
    return data
