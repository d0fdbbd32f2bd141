"""A trained network as one file: weights, how it is built, its words, its slices, and which trunk it read.

The file is torch's own format with one line behind it, the SHA-256 of what stands before, so that torch reads it too
and a damaged one is known before anything of it is used.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from bearleft.errors import InputError, shown
from bearleft.models import BEST
from bearleft.models.pointing.network import PointNetwork
from bearleft.models.pointing.registry import config_json, from_json
from bearleft.models.vocabulary import Vocabulary
from bearleft.runtime.store import atomic_write, existing_file
from bearleft.world.slices import Slicing

FORMAT = 1
SEAL = re.compile(rb"\nsha256 ([0-9a-f]{64})\n")
SEAL_BYTES = len("\nsha256 \n") + 64
Device = str | torch.device


@dataclass(frozen=True, eq=False)
class Pointer:
    """A network that points, with all that is needed to ask it."""

    network: PointNetwork
    name: str
    config: Any  # the network's own Config
    vocabulary: Vocabulary
    slicing: Slicing
    trunk: str  # its name or file
    trunk_hash: str  # of its weights
    about: dict[str, Any] = field(default_factory=dict)  # plain values: seed, epoch, accuracy, what it was trained on

    def to(self, device: Device) -> Pointer:
        """The same pointer, moved there."""
        self.network.to(device)
        return self


def save(path: str | os.PathLike[str], pointer: Pointer) -> None:
    """Writes a pointer whole or not at all."""
    weights = {name: value.detach().cpu() for name, value in pointer.network.state_dict().items()}
    write(path, {"kind": "pointer", **described(pointer), "weights": weights})


def described(pointer: Pointer) -> dict[str, Any]:
    """All of a pointer but its weights, as plain values."""
    return {
        "network": pointer.name,
        "config": config_json(pointer.config),
        "words": list(pointer.vocabulary.words),
        "slicing": asdict(pointer.slicing),
        "trunk": pointer.trunk,
        "trunk_hash": pointer.trunk_hash,
        "about": dict(pointer.about),
    }


def load(path: str | os.PathLike[str], device: Device = "cpu") -> Pointer:
    """Reads a pointer, ready to be asked."""
    file = str(path)
    content = read(path, device, "pointer")
    try:
        network, config = from_json(str(content["network"]), content["config"])
        network.load_state_dict(content["weights"])
        pointer = Pointer(
            network.to(device).eval(),
            str(content["network"]),
            config,
            Vocabulary(tuple(content["words"])),
            Slicing(**content["slicing"]),
            str(content["trunk"]),
            str(content["trunk_hash"]),
            dict(content["about"]),
        )
    except InputError as error:
        raise error.at(file=file) from error
    except (KeyError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        got = shown(str(error).partition("\n")[0])
        hint = "It was written by another version of bearleft; train it again."
        raise InputError("a pointer's checkpoint", f"one that does not fit: {got}", file=file, hint=hint) from error
    return pointer


def write(path: str | os.PathLike[str], content: dict[str, Any]) -> None:
    """Writes tensors and plain values under a seal, whole or not at all."""
    buffer = io.BytesIO()
    torch.save({"format": FORMAT, **content}, buffer)
    held = buffer.getbuffer()
    with atomic_write(path, "wb") as stream:
        stream.write(held)
        stream.write(f"\nsha256 {hashlib.sha256(held).hexdigest()}\n".encode())


def read(path: str | os.PathLike[str], device: Device = "cpu", kind: str = "pointer") -> dict[str, Any]:
    """What `write` wrote; an error where a byte of it has changed, or where it is of another kind."""
    file = existing_file(path, f"a {kind}'s checkpoint")
    held = _unsealed(file, kind)
    try:
        content = torch.load(io.BytesIO(held), map_location=device, weights_only=True)
    except Exception as error:  # torch has many; the seal held, so somebody else wrote it
        got = shown(str(error).partition("\n")[0])
        raise InputError(f"a {kind}'s checkpoint", f"a file that torch cannot read: {got}", file=str(file)) from error
    if not isinstance(content, dict) or content.get("kind") != kind:
        got = content.get("kind", "something else") if isinstance(content, dict) else "something else"
        hint = f"The result of a training is {BEST}: {file.with_name(BEST)}" if got == "training" else ""
        raise InputError(f"a {kind}'s checkpoint", f"one of {shown(str(got))}", file=str(file), hint=hint)
    if content.get("format") != FORMAT:
        got = f"format {shown(content.get('format'))}"
        hint = "Use the bearleft that wrote it, or train again."
        raise InputError(f"a checkpoint of format {FORMAT}", got, file=str(file), hint=hint)
    return content


def _unsealed(file: Path, kind: str) -> bytes:
    """A file's content without its last line, which must tell the hash of the rest."""
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise InputError("a file that can be read", shown(error.strerror or str(error)), file=str(file)) from error
    seal = SEAL.fullmatch(raw[-SEAL_BYTES:])
    if seal is None:
        got = "an empty file" if not raw else "a file that ends early, or that bearleft did not write"
        raise InputError(f"a {kind}'s checkpoint", got, file=str(file))
    held = raw[:-SEAL_BYTES]
    if hashlib.sha256(held).hexdigest().encode() != seal[1]:
        raise InputError(f"a {kind}'s checkpoint", "a damaged file (its hash is not the one it names)", file=str(file))
    return held
