"""What people are told that units pay is what the ledger books."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Project
from bearleft.web.payments.amounts import Work, amounts
from bearleft.web.payments.offers import find_offer, project_offer, task_offer
from bearleft.web.payments.rates import parse_rates
from bearleft.web.projects import create_project
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.settings import Settings
from tests.web.server import running

WRITER, READER = 1, 2
PAIRS = [
    ("touchdown", "touchdown/writing", "touchdown/validation"),
    ("refer360", "refer360/description", "refer360/finding"),
    ("arramon", "arramon/writing", "arramon/following"),
]


def project(family: str, **settings: Any) -> Project:
    return Project(name="study", family=family, settings=settings)


@pytest.mark.parametrize(("family", "writing", "reading"), PAIRS)
@pytest.mark.parametrize("changed", [{}, {"writer_bonus": 0}])
def test_an_offer_is_what_the_ledger_books(family: str, writing: str, reading: str, changed: dict[str, int]) -> None:
    rates = parse_rates(family, changed)
    assert rates is not None
    offers = {WRITER: find_offer(rates, writing), READER: find_offer(rates, reading)}
    count = offers[WRITER].units
    answers = [Work(f"w{k}", WRITER, k, None, writing, False) for k in range(count)]
    answers += [Work(f"r{k}", READER, count + k, 0, reading, k == 0) for k in range(count)]
    booked = {worker: [row for row in amounts(rates, answers) if row.worker == worker] for worker in offers}
    for worker, offer in offers.items():
        assert offer.base == sum(row.cents for row in booked[worker] if row.reason == "base")
        bonuses = [row.cents for row in booked[worker] if row.reason != "base"]
        assert bonuses == [cents for cents, reason in offer.bonuses if "correct" not in reason]


def test_offers_are_told_in_words() -> None:
    streets = project("touchdown")
    assert task_offer(streets, "touchdown/writing") == "0.60 USD, 0.25 USD more if somebody finds your bear"
    assert task_offer(streets, "touchdown/validation") == "0.25 USD, 0.10 USD more if you find the bear"
    assert task_offer(streets, "touchdown/segmentation") == "0.12 USD"
    assert project_offer(streets) == "0.12 to 0.60 USD a task, and bonuses"
    assert task_offer(project("refer360"), "refer360/ablation") == "2.25 USD for 8 tasks"
    assert project_offer(project("refer360")) == "2.25 USD for 8 tasks, and bonuses"
    assert project_offer(project("arramon")) == "0.20 to 0.80 USD a task, and bonuses"
    own = project("arramon", currency="GBP", rates={"writing": 20, "writer_bonus": 0, "milestones": {"2": 7}})
    assert task_offer(own, "arramon/writing") == "0.20 GBP, 0.07 GBP more when 2 of your texts are correct"


def test_nothing_is_told_where_there_is_no_pay() -> None:
    streets = project("touchdown")
    assert task_offer(streets, "touchdown/qualification") == ""
    assert task_offer(project("arramon"), "arramon/quiz-writing") == ""
    for family in ("play", "ndtw-study"):
        assert project_offer(project(family)) == task_offer(project(family), f"{family}/x") == ""
    volunteers = project("refer360", rates={"session": 0, "writer_bonus": 0, "finder_bonus": 0})
    assert project_offer(volunteers) == task_offer(volunteers, "refer360/finding") == ""


def test_the_cards_of_projects_and_tasks_say_what_they_pay(tmp_path: Any) -> None:
    settings = Settings(database=str(tmp_path / "web.sqlite"), cache=tmp_path, secret="0123456789abcdef")
    database = open_database(settings.database)
    paid = {"qualification": False, "limit": 1, "platform": "mturk", "check_every": 0}
    unpaid = {"rates": dict.fromkeys(("session", "writer_bonus", "finder_bonus"), 0), "limit": 1}
    create_project(database, SceneWorlds(), "streets", "touchdown", paid)
    create_project(database, SceneWorlds(), "rooms", "refer360", unpaid)
    database.close()
    with running(settings) as address, httpx.Client(base_url=address) as client:
        first = client.get("/").text
        assert first.count('class="pay"') == 1 and "Pays 0.12 to 0.60 USD a task, and bonuses" in first
        streets, rooms = (client.get(f"/projects/{name}").text for name in ("streets", "rooms"))
    assert "Pays 0.60 USD, 0.25 USD more if somebody finds your bear" in streets
    assert "is paid there when your submission is approved" in streets
    assert 'class="pay"' not in rooms and "is paid there" not in rooms
