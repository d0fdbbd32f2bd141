"""A whole study of ArraMon by scripted people: careful and careless ones, a reviewer, and one who leaves.

`make test` runs it on the queue as the server uses it, `make test-full` also through the real pages: on PostgreSQL if
it is installed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select

pytest.importorskip("argon2")

from bearleft.cli import cli
from bearleft.data import load
from bearleft.evaluation.score import score
from bearleft.records import Assemble, Collect, Episode
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.models import Answer, Attempt, Unit, Worker
from bearleft.web.exports import export_project, project_statistics
from bearleft.web.projects import create_project
from bearleft.web.queue import availability
from bearleft.web.reviews import review_rows, store_review
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.settings import Settings
from bearleft.web.tasks.arramon import kinds
from tests.web.admin.study import add_admins, sign_in
from tests.web.arramon.conftest import DATASET
from tests.web.arramon.people import Person, reference_actions
from tests.web.arramon.scripted import Hands, PageHands, QueueHands, Scripted
from tests.web.arramon.site import pages_missing, served
from tests.web.postgresql import programs

LEASE = 600  # seconds
REASON = "Grey houses look alike."
MAPS = 3


@dataclass
class Study:
    """A project of three maps; `hire` returns the hands of somebody new, `reject` is what the reviewer does."""

    url: str
    data: Path
    database: Database
    worlds: SceneWorlds
    hire: Callable[[], Hands]
    reject: Callable[[int], None]

    def person(self) -> Scripted:
        return Scripted(self.hire())

    def maps(self) -> list[Episode]:
        return list(self.worlds.episodes(DATASET).values())[:MAPS]

    def answers(self, kind: str) -> list[tuple[Answer, Unit, str]]:
        """Return the answers to units of a kind with the pseudonyms of their workers, in order."""
        query = select(Answer, Unit, Worker.pseudonym).join(Unit, Unit.id == Answer.unit_id)
        query = query.join(Worker, Worker.id == Answer.worker_id).where(Unit.kind == kind).order_by(Answer.id)
        with self.database.read() as session:
            return [(answer, unit, pseudonym) for answer, unit, pseudonym in session.execute(query)]

    def map_of(self, unit: Unit) -> str:
        return str(unit.payload["episode"])


@pytest.fixture(params=["queue", "pages"])
def whole_study(
    request: pytest.FixtureRequest, tmp_path: Path, short_maps: Path, model_cache: Path, worlds: SceneWorlds
) -> Iterator[Study]:
    """The study without browsers, or served to browsers."""
    if request.param == "queue":
        url = f"sqlite:///{tmp_path / 'study.sqlite'}"
        database = open_database(url)
        create_project(database, worlds, "study", "arramon", {"dataset": DATASET, "limit": MAPS})

        def reject(number: int) -> None:
            store_review(url, "study", str(number), accepted=False, reason=REASON)

        yield Study(url, short_maps, database, worlds, lambda: QueueHands(Person(database, worlds)), reject)
        database.close()
        return
    if pages_missing():
        pytest.skip(pages_missing())
    url = request.getfixturevalue("postgresql_url") if programs() else f"sqlite:///{tmp_path / 'study.sqlite'}"
    from tests.browser.report_page import DESK, chromium
    from tests.web.arramon.windows import Window, open_window
    from tests.web.window import window

    with chromium() as browser, served(url, short_maps, model_cache, limit=MAPS) as site, ExitStack() as stack:
        add_admins(site.settings)

        def reject_on_page(number: int) -> None:
            with window(browser.chromium, site, Window, DESK) as reviewer:
                page = reviewer.page
                sign_in(page, site.address, "reviewer")
                page.goto(f"{site.address}/admin/units/{number}")
                page.locator("table tbody th a").first.click()
                page.get_by_label("Reason").fill(REASON)
                page.get_by_role("button", name="Reject", exact=True).click()
                page.locator(".facts li", has_text=REASON).wait_for()

        def hire() -> Hands:
            return PageHands(stack.enter_context(open_window(browser.chromium, site)))

        yield Study(url, short_maps, site.database, site.worlds, hire, reject_on_page)


def texts_of(episode: Episode) -> list[str]:
    return [leg.text for leg in episode.legs]


def let_the_lease_run_out(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let time go by for the server."""
    now = study.database.clock

    def later() -> datetime:
        return now() + timedelta(seconds=LEASE + 1)

    study.database.clock = later
    monkeypatch.setattr(availability, "utc_now", later)


@pytest.mark.slow(keep=1)
def test_a_study_from_the_first_text_to_the_exported_dataset(
    whole_study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = whole_study
    leaver, careless, doubtful, careful, newcomer = people = [study.person() for _ in range(5)]
    left, wrong, vague = study.maps()

    # One leaves in the middle of the first map.
    leaver.begin(kinds.WRITING)
    leaver.hands.act(reference_actions(left)[0][:3])
    leaver.hands.leave()
    # One writes too little, is blocked, and mends it: with the texts of another map, which nobody can follow.
    hasty = [[text] for text in texts_of(left)]
    hasty[0].insert(0, "Go there.")
    hasty[2].append(f"Turn around. {hasty[2][0]}")  # the walk begins with a turn
    careless.write(reference_actions(wrong), hasty)
    assert careless.blocked == ["words", "turn"]
    # One writes what a reviewer will not accept, though it is followed well.
    doubtful.follow()
    texts = texts_of(vague)
    texts[0] = texts[0].replace("Collect it.", "Walk past the grey house and collect it.")
    doubtful.write(reference_actions(vague), [[text] for text in texts])
    careful.follow()
    careful.follow()
    ((number, note),) = {(row["set"], row["note"].partition(":")[0]) for row in review_rows(study.url, "study")}
    assert note == '"grey house"'
    study.reject(number)
    assert review_rows(study.url, "study") == []
    assert REASON in doubtful.hands.rejections()
    # Nobody gets the map of the one who has left before the lease has run out.
    assert careful.hands.next() is None
    let_the_lease_run_out(study, monkeypatch)
    careful.write(reference_actions(left), [[text] for text in texts_of(left)])
    # One of three follows these texts well; one goes a long way round, and one puts a thing in a wrong place.
    careless.follow("astray")
    doubtful.follow("misplacing")
    newcomer.follow()
    newcomer.follow()
    for person in (careless, doubtful, careful, newcomer):
        assert person.hands.next() is None

    check_answers(study, people)
    check_statistics(study, people)
    check_export(study, tmp_path / "out")


def check_answers(study: Study, people: list[Scripted]) -> None:
    """Check that what is stored is what was done, that nobody got an own text, and who followed well."""
    left, wrong, vague = (episode.id for episode in study.maps())
    for kind, number in Counter(kind for person in people for kind in person.done).items():
        assert len(study.answers(kind)) == number, kind
    writers = {study.map_of(unit): worker for _, unit, worker in study.answers(kinds.WRITING)}
    assert set(writers) == {left, wrong, vague}
    assert len(set(writers.values())) == len(study.answers(kinds.WRITING)) == 3
    with study.database.read() as session:
        (lost,) = session.scalars(select(Attempt).where(Attempt.state == "expired"))
        assert study.map_of(session.get_one(Unit, lost.unit_id)) == left
        assert session.get_one(Worker, lost.worker_id).pseudonym != writers[left]
    followings = [(study.map_of(unit), worker, answer) for answer, unit, worker in study.answers(kinds.FOLLOWING)]
    assert all(worker != writers[of_map] for of_map, worker, _ in followings)
    assert len({(of_map, worker) for of_map, worker, _ in followings}) == len(followings)
    followed = Counter((of_map, answer.accepted) for of_map, _, answer in followings)
    assert followed == {(left, True): 1, (left, False): 2, (wrong, False): 3, (vague, True): 1}
    astray, misplaced, well = (answer.data["turns"] for of_map, _, answer in followings if of_map == left)
    assert all(turn["PTC"] == 1.0 and 0.0 < turn["nDTW"] <= 0.2 for turn in astray)
    assert all(turn["PTC"] == 0.0 and turn["nDTW"] > 0.9 for turn in misplaced)
    assert all(turn["PTC"] == 1.0 and turn["nDTW"] > 0.9 for turn in well)


def check_statistics(study: Study, people: list[Scripted]) -> None:
    """Check that the statistics, in Python and on the command line, are those of what was done."""
    done = Counter(kind for person in people for kind in person.done)
    rows = project_statistics(study.url, "study", "arramon", study.data)
    counts = {row["metric"]: row["ours"] for row in rows if row["table"] == "sections 4 and 5"}
    assert counts == {
        "workers, stage 1": sum(kinds.WRITING in person.done for person in people),
        "workers, stage 2": sum(kinds.FOLLOWING in person.done for person in people),
        "instruction sets collected": done[kinds.WRITING],
        "instruction sets kept": 1,
        "instruction sets discarded": 2,
        "instruction sets under way": 0,
        "doubtful instruction sets": 1,
        "reviewed instruction sets": 1,
        "rejected instruction sets": 1,
        "blocked texts": sum(len(person.blocked) for person in people),
        "followers of instruction sets": done[kinds.FOLLOWING],
    }
    left = study.maps()[0]
    values = {(row["row"], row["metric"]): row["ours"] for row in rows}
    for phase, goal in (("navigation", Collect), ("assembly", Assemble)):
        legs = [leg.goal for leg in left.legs if isinstance(leg.goal, goal)]
        assert values[f"{phase}, actions, study", "mean"] == sum(len(leg.actions) for leg in legs)
    assert values["best follower of each set, study", "PTC"] == 1.0
    assert values["all followers, study", "PTC"] == round((1.0 + 0.0 + 1.0) / 3, 4)
    command = ["paper", "arramon", "--project", "study", "--database", study.url, "--data", str(study.data), "--json"]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == rows


def check_export(study: Study, folder: Path) -> None:
    """Check that the exported dataset is the kept texts, and that their followers' traces are scored as stored."""
    left, wrong, vague = study.maps()
    export_project(Settings(database=study.url, data=study.data), "study", folder)
    (episode,) = load("city/arramon/study", folder)
    assert episode.id == left.id
    assert episode.legs == left.legs
    followers = episode.extra["bearleft"]["followers"]
    assert [one["followed"] for one in followers] == [False, False, True]
    discarded = load(str(folder / "study-discarded.jsonl"))
    assert [one.id for one in discarded] == [wrong.id, vague.id]
    for number, follower in enumerate(followers, 1):
        rows = score(folder / f"study-traces-{number}.jsonl", data=folder, resamples=1).rows
        scores = {row["metric"]: row["value"] for row in rows}
        for metric in ("nDTW", "PTC"):
            of_turns = sum(turn[metric] for turn in follower["turns"]) / 2
            assert scores[metric] == pytest.approx(of_turns, abs=1e-4)
