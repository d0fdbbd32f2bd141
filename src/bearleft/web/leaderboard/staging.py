"""Files that a team has uploaded and not submitted yet: an interrupted submission finds them again by their hash.

They are checked when they arrive, so that a wrong file is refused before anything is submitted, and again when they
are submitted. Like all uploads that no submission names they are removed after a day.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from bearleft.web.database.leaderboard import Track
from bearleft.web.leaderboard.errors import UploadError
from bearleft.web.leaderboard.folders import UPLOADS, make_private
from bearleft.web.leaderboard.uploads import Receiver, StoredUpload, UploadLimits, check, discard

DIGEST = re.compile(r"[0-9a-f]{64}")
MAX_STAGED = 8  # files of a team on a track, besides those of a whole submission; the oldest make room


@dataclass(frozen=True)
class StagedFile:
    """A file that waits to be submitted.

    Attributes:
        sha256: The hash of the file as it was sent, by which it is named.
        stored: The file, decompressed.
    """

    sha256: str
    stored: StoredUpload


class Upload:
    """Receives a file of a team piece by piece, as `Receiver` does, and keeps it under the hash of what was sent.

    Args:
        folder: The private folder.
        track: The track.
        team_id: The team.
    """

    def __init__(self, folder: Path, track: Track, team_id: int) -> None:
        self.folder, self.track, self.team_id = folder, track, team_id
        self._receiver = Receiver(folder, UploadLimits.of(track))
        self._hash = sha256()

    def __enter__(self) -> Upload:
        self._receiver.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._receiver.__exit__(*error)  # type: ignore[arg-type]

    def write(self, content: bytes) -> None:
        """Receive the next bytes; raise UploadError if the file is too large, or no text."""
        self._hash.update(content)
        self._receiver.write(content)

    def finish(self, expected: str = "") -> StagedFile:
        """Check and keep the complete file.

        Args:
            expected: The hash that it should have; empty if that is not known.

        Raises:
            UploadError: It arrived damaged, or it is refused.
        """
        digest = self._hash.hexdigest()
        if expected and digest != expected:
            raise UploadError("damaged", "The file was damaged on its way. Send it again.")
        stored = self._receiver.finish()
        try:
            check(stored, self.track, folder=self.folder)
        except UploadError:
            discard([stored])
            raise
        place = make_private(_staging(self.folder, self.track, self.team_id))
        target = place / f"{digest}-{stored.sha256}.jsonl"
        stored.path.replace(target)
        _make_room(place, self.track.max_files + MAX_STAGED)
        return StagedFile(digest, StoredUpload(target, stored.bytes, stored.sha256))


def _staging(folder: Path, track: Track, team_id: int) -> Path:
    return folder / UPLOADS / f"staged-{team_id}-{track.id}"


def _make_room(place: Path, most: int) -> None:
    files = sorted(place.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    for path in files[: max(0, len(files) - most)]:
        path.unlink(missing_ok=True)


def find_staged(folder: Path, track: Track, team_id: int, digest: str) -> StagedFile | None:
    """Return the file of a team with a hash; None if the server does not have it."""
    if not DIGEST.fullmatch(digest):
        return None
    for path in _staging(folder, track, team_id).glob(f"{digest}-*.jsonl"):
        try:
            os.utime(path)  # it is wanted: the day begins again
            size = path.stat().st_size
        except FileNotFoundError:
            continue
        return StagedFile(digest, StoredUpload(path, size, path.stem.partition("-")[2]))
    return None


def take_staged(folder: Path, track: Track, team_id: int, digests: Mapping[int, str]) -> dict[int, StoredUpload]:
    """Return copies of staged files for a submission, to which they belong then; the staged ones stay.

    Args:
        folder: The private folder.
        track: The track.
        team_id: The team.
        digests: The hash of the file of each seed.

    Raises:
        UploadError: A file was not uploaded.
    """
    taken: dict[int, StoredUpload] = {}
    for seed, digest in digests.items():
        staged = find_staged(folder, track, team_id, digest)
        if staged is None:
            discard(taken.values())
            raise UploadError("not_uploaded", f"The file of seed {seed} was not uploaded, or more than a day ago.")
        name = f"{secrets.token_hex(16)}.jsonl"
        path = make_private(folder / UPLOADS / name[:2]) / name
        os.link(staged.stored.path, path)  # the submission writes its file anew, and leaves the staged one as it is
        taken[seed] = StoredUpload(path, staged.stored.bytes, staged.stored.sha256)
    return taken


def remove_staged(folder: Path, track: Track, team_id: int, digests: Iterable[str]) -> None:
    """Remove staged files that were submitted."""
    for digest in digests:
        if (staged := find_staged(folder, track, team_id, digest)) is not None:
            staged.stored.path.unlink(missing_ok=True)
