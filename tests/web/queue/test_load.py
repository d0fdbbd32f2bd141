"""Many workers at once, two hundred in full runs: every answer is stored once, no unit is with two, nothing is lost."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

import pytest
from sqlalchemy import select

from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Answer, Attempt, Unit
from bearleft.web.queue.slots import Lease, NewUnit
from tests.sizes import sized
from tests.web.queue.desk import LEASE, Clock, Desk

WORKERS = sized(50, 200)
UNITS = sized(250, 1000)
LEAVING = WORKERS // 10


@dataclass
class Crowd:
    """Workers in threads, and who has what.

    Attributes:
        desk: The project.
        holders: The worker who has a unit at present, by unit.
        stored: The codes of stored answers, by attempt.
        errors: What went wrong.
        claims: Seconds of every claim.
        pause: Seconds that a worker thinks at most, before each request.
    """

    desk: Desk
    holders: dict[int, int] = field(default_factory=dict)
    stored: dict[str, str] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    claims: list[float] = field(default_factory=list)
    pause: float = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def claim(self, worker: int) -> Lease | None:
        start = time.perf_counter()
        lease = self.desk.claim(worker)
        seconds = time.perf_counter() - start
        with self.lock:
            self.claims.append(seconds)
            if lease is not None and self.holders.setdefault(lease.unit_id, worker) != worker:
                self.errors.append(f"unit {lease.unit_id} is with {self.holders[lease.unit_id]} and {worker}")
        return lease

    def work(self, worker: int, leaves_after: int | None) -> None:
        """Work until nothing is left; or walk away in the middle of a unit, after some."""
        rng = random.Random(worker)
        done = 0
        try:
            time.sleep(rng.uniform(0, self.pause))
            while (lease := self.claim(worker)) is not None:
                for number in range(rng.randrange(3)):
                    time.sleep(rng.uniform(0, self.pause))
                    self.desk.append(worker, lease, number, {"n": number})
                if done == leaves_after:
                    return
                if rng.random() < 0.1 and self.claim(worker) != lease:  # the page is loaded again
                    self.errors.append(f"worker {worker} got another unit")
                time.sleep(rng.uniform(0, self.pause))
                with self.lock:  # the server may give the unit away from now on
                    self.holders.pop(lease.unit_id)
                first = self.desk.submit(worker, lease)
                if self.desk.submit(worker, lease) != first:
                    self.errors.append(f"worker {worker} got another answer")
                with self.lock:
                    self.stored[lease.attempt_id] = first.code
                done += 1
                time.sleep(rng.uniform(0, self.pause))
        except Exception as error:
            self.errors.append(f"worker {worker}: {error!r}")
            raise

    def run(self, workers: range, leave: bool) -> None:
        threads = [
            threading.Thread(target=self.work, args=(k, k % 2 if leave and k < LEAVING else None)) for k in workers
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def run_crowd(url: str, pause: float = 0) -> Crowd:
    """Let all workers work, some walk away, and the others finish what is left when the leases have expired."""
    database = open_database(url, clock=Clock())
    desk = Desk.of(database, WORKERS)
    desk.add(*(NewUnit("a", {"number": k}) for k in range(UNITS)))
    crowd = Crowd(desk, pause=pause)
    crowd.run(range(WORKERS), leave=True)
    assert crowd.errors == []
    left = dict(crowd.holders)
    assert len(crowd.stored) == UNITS - len(left)
    assert len(left) == LEAVING
    desk.clock.advance(LEASE)
    crowd.holders.clear()
    crowd.run(range(LEAVING, WORKERS), leave=False)
    assert crowd.errors == [] and crowd.holders == {}
    return crowd


def test_many_workers_do_many_units(database_url: str) -> None:
    crowd = run_crowd(database_url)
    desk = crowd.desk
    answers = desk.answers()
    assert len(answers) == UNITS
    assert len({answer.unit_id for answer in answers}) == UNITS
    assert {answer.attempt_id: answer.code for answer in answers} == crowd.stored
    assert len({answer.code for answer in answers}) == UNITS
    desk.check()
    with desk.database.read() as session:
        assert Counter(session.scalars(select(Attempt.state))) == {"submitted": UNITS, "expired": LEAVING}
        assert all(session.scalars(select(Unit.closed)))
    desk.database.close()


PROCESS = """
import sys
from bearleft.web.database.engines import open_database
from bearleft.web.database.values import utc_now
from tests.web.queue.desk import Desk
url, project, *workers = sys.argv[1:]
desk = Desk(open_database(url), utc_now, int(project), [int(worker) for worker in workers])
waiting = set(range(len(workers)))
while waiting:
    for worker in sorted(waiting):
        lease = desk.claim(worker)
        if lease is None:
            waiting.remove(worker)
            continue
        desk.append(worker, lease, 0, {"worker": worker})
        assert desk.submit(worker, lease) == desk.submit(worker, lease)
"""


@pytest.mark.slow(keep=1)
def test_servers_in_several_processes_share_the_work(database_url: str) -> None:
    database = open_database(database_url, clock=Clock())
    desk = Desk.of(database, 8)
    desk.add(*[NewUnit("a", {}, slots=2)] * 60)
    command = [sys.executable, "-c", PROCESS, database_url, str(desk.project)]
    processes = [
        subprocess.Popen([*command, *map(str, desk.workers[k : k + 2])], stderr=subprocess.PIPE, text=True)
        for k in range(0, 8, 2)
    ]
    for process in processes:
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
    with database.read() as session:
        found = [tuple(row) for row in session.execute(select(Answer.unit_id, Answer.worker_id))]
    assert len(found) == len(set(found)) == 120
    assert set(Counter(unit for unit, _ in found).values()) == {2}
    desk.check()
    database.close()


if __name__ == "__main__":  # BEARLEFT_FULL_TESTS=1 python -m tests.web.queue.test_load URL PAUSE: how long claims take
    measured = sorted(run_crowd(sys.argv[1], float(sys.argv[2])).claims)
    for share in (0.5, 0.95, 0.99):
        print(f"{share:.0%} of {len(measured)} claims within {measured[int(share * len(measured))]:.3f} s")
