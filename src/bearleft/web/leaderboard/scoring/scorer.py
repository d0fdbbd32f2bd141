"""Scorers: each claims a submission, has it scored by a confined process, and stores the result."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType

from bearleft.errors import InputError
from bearleft.types import DataFolder
from bearleft.web.database.engines import BusyError, Database, open_database
from bearleft.web.leaderboard.folders import inside
from bearleft.web.leaderboard.scoring import claims
from bearleft.web.leaderboard.scoring.claims import LEASE_SECONDS, Claim
from bearleft.web.leaderboard.scoring.client import (
    AbandonedError,
    ProcessEndedError,
    ScoringProcess,
    ScoringRequest,
)
from bearleft.web.leaderboard.scoring.failures import ScoringFailure
from bearleft.web.leaderboard.tracks import answers_source
from bearleft.web.leaderboard.uploads import remove_abandoned
from bearleft.web.settings import Settings

log = logging.getLogger("bearleft.web.leaderboard")
RENEWALS = 6  # of a lease, in its time
CLEANING = 3600.0  # seconds between two searches for files that no submission names
PAUSE = 0.5  # seconds between two looks into an empty queue, or at what happens while a submission is scored


class Scorer:
    """Scores submissions, one after the other.

    Args:
        database: The database.
        folder: The private folder of answers and uploads.
        data: The folder of real datasets.
        process: The process that scores; a new one by default.
        on_step: Called with what has just been done: "claimed", "scored", "stored".

    Attributes:
        ending: Set to end after the submission under way has been given back.
    """

    def __init__(
        self,
        database: Database,
        folder: Path,
        data: DataFolder = None,
        process: ScoringProcess | None = None,
        on_step: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.database, self.folder, self.data, self.on_step = database, folder, data, on_step
        self.ending = threading.Event()
        self.owner = f"process {os.getpid()}"
        self._process = process or ScoringProcess()

    def __enter__(self) -> Scorer:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        self._process.stop()

    def score_next(self) -> bool:
        """Score one submission; return whether one waited.

        Raises:
            BusyError: Other transactions were in the way for too long; the lease ends by itself.
        """
        database = self.database
        with database.read() as session:
            if not claims.is_waiting(session, database.now()):  # does not wait for writers
                return False
        claimed = database.transact(lambda session: claims.claim(session, database.now(), self.owner))
        if claimed is None:
            return False
        self.on_step("claimed")
        about = {"submission": claimed.submission_id, "track": claimed.track.name}
        try:
            result = self._process.score(self._request(claimed), self._keeping(claimed), PAUSE)
        except ScoringFailure as failure:
            log.info("submission failed", extra={**about, "code": failure.code})
            reason = failure
            database.transact(lambda session: claims.fail(session, claimed, reason, database.now()))
        except ProcessEndedError as error:
            log.error("scoring ended: %s", error, extra=about)
            last = ScoringFailure(error.code, {"count": claims.MAX_ATTEMPTS})
            database.transact(lambda session: claims.postpone(session, claimed, last, database.now()))
        except AbandonedError:
            log.info("scoring abandoned", extra=about)
            database.transact(lambda session: claims.release(session, claimed))
        else:
            self.on_step("scored")
            stored = database.transact(lambda session: claims.store(session, claimed, result, database.now()))
            log.info("submission scored" if stored else "figures dropped", extra=about)
        self.on_step("stored")
        return True

    def _request(self, claimed: Claim) -> ScoringRequest:
        track = claimed.track
        source = answers_source(self.folder, track, self.data)
        files = tuple((seed, inside(self.folder, path)) for seed, path in claimed.files)
        return ScoringRequest(
            source.dataset, source.data, track.hidden, files, track.max_bytes, track.time_limit_s, track.memory_limit_mb
        )

    def _keeping(self, claimed: Claim) -> Callable[[], bool]:
        """Return a function that renews a lease when it is time, and says whether scoring goes on."""
        renewed = time.monotonic()

        def keep() -> bool:
            nonlocal renewed
            if self.ending.is_set():
                return False
            if time.monotonic() - renewed < LEASE_SECONDS / RENEWALS:
                return True
            renewed = time.monotonic()
            try:
                return self.database.transact(lambda session: claims.renew(session, claimed, self.database.now()))
            except BusyError:
                return True  # the lease lasts for several renewals

        return keep

    def run(self) -> None:
        """Score submissions as they come, until `ending` is set; remove abandoned uploads when none waits."""
        next_cleaning = time.monotonic()
        while not self.ending.is_set():
            try:
                if self.score_next():
                    continue
                if time.monotonic() >= next_cleaning:
                    next_cleaning = time.monotonic() + CLEANING
                    if count := remove_abandoned(self.database, self.folder):
                        log.info("abandoned uploads removed", extra={"count": count})
            except BusyError:
                log.warning("the database is busy")
            self.ending.wait(PAUSE)


def score_next(database: Database, folder: Path, data: DataFolder = None) -> bool:
    """Score one submission in a new process; return whether one waited.

    Args:
        database: The database.
        folder: The private folder of answers and uploads.
        data: The folder of real datasets.
    """
    with Scorer(database, folder, data) as scorer:
        return scorer.score_next()


def serve_submissions(settings: Settings) -> None:
    """Score submissions until SIGTERM; the one under way is given back to the queue.

    Raises:
        InputError: The database cannot be opened, or there is no folder of a leaderboard.
    """
    if settings.leaderboard is None:
        raise InputError("the folder of a leaderboard", "none", "leaderboard")
    database = open_database(settings.database)
    with Scorer(database, settings.leaderboard, settings.data) as scorer:

        def end(_signal: int, _frame: FrameType | None) -> None:
            scorer.ending.set()

        signal.signal(signal.SIGTERM, end)
        scorer.run()
    database.close()
