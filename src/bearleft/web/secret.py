"""The key that signs cookies, kept in a file that only its owner may read."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from bearleft.errors import InputError
from bearleft.runtime.store import write_error

VARIABLE = "BEARLEFT_SECRET"
MIN_LENGTH = 16


def read_secret(folder: Path) -> str:
    """Return the key: BEARLEFT_SECRET, or the file `secret` of a folder, which is created if it does not exist.

    Servers that share a database share the key.

    Raises:
        InputError: The key is too short, or the file cannot be read or created.
    """
    secret = os.environ.get(VARIABLE) or _read_file(folder / "secret")
    if len(secret) < MIN_LENGTH:
        raise InputError(f"a key of at least {MIN_LENGTH} characters", str(len(secret)), VARIABLE)
    return secret


def _read_file(path: Path) -> str:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return path.read_text(encoding="ascii").strip()
        with open(descriptor, "w", encoding="ascii") as stream:
            stream.write(secret := secrets.token_hex(32))
        return secret
    except OSError as error:
        raise write_error(error, path) from error
