"""Settings of the web application."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bearleft.errors import InputError, format_value
from bearleft.runtime.store import cache_folder
from bearleft.types import DataFolder
from bearleft.web.operations.options import Operations

MIN_LEASE = 1  # seconds


@dataclass(frozen=True)
class Settings:
    """Settings of the web application.

    Attributes:
        database: URL of a database ("postgresql://...", "sqlite:///FILE"), or the path of a SQLite file.
        data: Folder of datasets.
        pictures: Folders of albums of panoramas.
        city: Seed of the city to build on streets that have none.
        device: "cpu" or "cuda", for rendering.
        secret: Key that signs cookies; servers of one project share it. A random one by default, which signs people out
            when the server starts again.
        cache: Folder of rendered panoramas and 3-D models.
        lease_seconds: How long a unit is kept for a worker whose browser is silent.
        secure_cookies: Whether cookies are sent over HTTPS only, and browsers are told to use nothing else.
        operations: Limits, proxies, metrics and logs.
        leaderboard: Private folder of the leaderboard: answers and uploads. None serves none.
    """

    database: str = "bearleft.sqlite"
    data: DataFolder = None
    pictures: Sequence[str | os.PathLike[str]] = ()
    city: int | None = None
    device: str = "cpu"
    secret: str = field(default_factory=lambda: secrets.token_hex(32), repr=False)
    cache: Path = field(default_factory=lambda: cache_folder() / "panoramas")
    lease_seconds: int = 600
    secure_cookies: bool = False
    operations: Operations = field(default_factory=Operations)
    leaderboard: Path | None = None

    def __post_init__(self) -> None:
        if len(self.secret) < 16:
            raise InputError("a secret of at least 16 characters", f"{len(self.secret)}", "secret")
        if self.lease_seconds < MIN_LEASE:
            raise InputError("a lease of at least a second", format_value(self.lease_seconds), "lease_seconds")


def user_folder() -> Path:
    """Return the folder of what belongs to this user: the key that signs cookies, and what was played."""
    import platformdirs

    return Path(os.environ.get("BEARLEFT_HOME") or platformdirs.user_data_dir("bearleft"))
