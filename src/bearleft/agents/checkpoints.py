"""Checkpoints as agents are made of them: opened once, with the trunk that they were trained with."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from bearleft.errors import InputError
from bearleft.runtime.store import existing_file

if TYPE_CHECKING:  # torch is loaded when a checkpoint is
    from bearleft.models.backbones.registry import Trunk

WANTED = "a checkpoint of a network that points"
Path_ = str | os.PathLike[str]


@dataclass(frozen=True)
class Seeing:
    """How a trained network sees."""

    device: str | None = None  # a GPU where there is one
    data: Path_ | None = None
    pictures: Sequence[Path_] = ()  # folders of panoramas
    trunk: Path_ | None = None  # the file of the one it was trained with, where its name alone does not find it
    store: Path_ | None = None  # features that are there already
    city: int | None = None  # the seed of the one that is built on streets that have none of their own


USUAL = Seeing()


class Held(Protocol):
    """What every checkpoint says of its trunk."""

    @property
    def trunk(self) -> str: ...

    @property
    def trunk_hash(self) -> str: ...


H = TypeVar("H", bound=Held)


@dataclass(frozen=True, eq=False)
class Opened(Generic[H]):
    """A checkpoint on its device, the trunk that it sees by, and what its traces call it."""

    held: H
    trunk: Trunk
    device: str
    label: str


def opened(file: Path_, load: Callable[[Path_, str], H], seeing: Seeing) -> Opened[H]:
    """A checkpoint, read by `load`; an error where its trunk is another than the one it was trained with."""
    import torch

    from bearleft.models.backbones.registry import trunk as open_trunk
    from bearleft.models.device import usable

    device = str(usable(seeing.device or ("cuda" if torch.cuda.is_available() else "cpu")))
    held = load(file, device)
    trunk = open_trunk(seeing.trunk or held.trunk, device)
    if trunk.hash != held.trunk_hash:
        expected = f"the trunk that it was trained with, {held.trunk} ({held.trunk_hash[:8]})"
        got, hint = f"{trunk.name} ({trunk.hash[:8]})", "Name its file with --trunk FILE."
        raise InputError(expected, got, file=str(file), hint=hint)
    built = "" if seeing.city is None else f",city={seeing.city}"  # what it sees there is another world
    return Opened(held, trunk, device, f"{os.fspath(file)}[{letters(file)}{built}]")


def letters(file: Path_) -> str:
    """A few letters that change with the checkpoint, so that a run does not go on with another's traces."""
    return hashlib.sha256(existing_file(file, WANTED).read_bytes()).hexdigest()[:8]
