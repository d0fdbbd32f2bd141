"""Passwords of admins, hashed by argon2id."""

from __future__ import annotations

import secrets
import threading
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from bearleft.errors import InputError
from bearleft.web.database.values import check_text

MIN_LENGTH, MAX_LENGTH = 12, 1000  # characters
_AT_ONCE = threading.BoundedSemaphore(2)  # each hash takes 64 MB of memory
_hasher = PasswordHasher()


def check_password(password: str) -> str:
    """Return a password that may be used; raise InputError if it is too short, too long, or no text."""
    check_text(password, "password")
    if len(password) < MIN_LENGTH:
        raise InputError(f"a password of at least {MIN_LENGTH} characters", f"{len(password)}", "password")
    if len(password) > MAX_LENGTH:
        raise InputError(f"a password of at most {MAX_LENGTH:,} characters", f"{len(password):,}", "password")
    return password


def hash_password(password: str) -> str:
    """Return the hash of a password, with its salt and parameters."""
    with _AT_ONCE:
        return _hasher.hash(check_password(password))


def verify_password(stored: str | None, password: str) -> bool:
    """Return whether a password is the one of a hash.

    Args:
        stored: The hash; None for an account that does not exist, which takes as long.
        password: What was typed.
    """
    # Too long ones are cut, not refused, so that they take as long.
    typed = password[: MAX_LENGTH + 1].encode("utf-8", "replace")
    try:
        with _AT_ONCE:
            _hasher.verify(stored if stored is not None else _hash_of_nobody(), typed)
        return stored is not None
    except (VerificationError, InvalidHashError):
        return False


def needs_new_hash(stored: str) -> bool:
    """Return whether a hash was made with other parameters than new ones are."""
    return _hasher.check_needs_rehash(stored)


@cache
def _hash_of_nobody() -> str:
    return _hasher.hash(secrets.token_hex(16))


def prepare() -> None:
    """Compute what the first verification would otherwise compute, and take longer for."""
    _hash_of_nobody()
