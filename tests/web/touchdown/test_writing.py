"""Task I over HTTP: the walk, the text, the bear's place, what is refused, and what follows."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import select

from bearleft.records import Direction
from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Answer, Unit
from bearleft.web.settings import Settings
from bearleft.web.tasks.touchdown.walks import count_reached
from bearleft.world.worlds import open_world
from tests.web.server import person, running
from tests.web.touchdown.driver import BEARS, OTHER_TEXT, TEXT, WORLD, Worker, click_at, create_study

BEAR = BEARS["0"]
Hire = Callable[[], Worker]


@pytest.fixture
def writer(hire: Hire) -> Worker:
    """A worker with the open writing unit."""
    worker = hire()
    assert worker.claim("writing")
    return worker


def test_the_writer_starts_facing_north_with_the_route(writer: Worker) -> None:
    view = writer.view
    assert view["walk"]["place"] == view["route"][0]
    assert view["walk"]["heading"] == 0.0
    assert len(view["route_positions"]) == len(view["route"])
    assert (view["reached"], view["at_goal"], view["text"], view["bear"]) == (1, False, "", None)
    assert len(view["rules"]) >= 3


@pytest.mark.slow
def test_a_text_is_written_and_its_neighbours_follow(writer: Worker, settings: Settings) -> None:
    route = writer.view["route"]
    assert writer.walk(route)["at_goal"] is True
    assert writer.act("draft", text=TEXT)["findings"] == []
    assert writer.act("place", **click_at(BEAR))["bear"]["heading"] == BEAR.heading
    answer = writer.submit()
    assert answer["accepted"]
    assert answer["code"]
    database = open_database(settings.database)
    with database.read() as session:
        units = session.scalars(select(Unit).where(Unit.kind == "touchdown/propagation").order_by(Unit.id)).all()
        stored = session.scalars(select(Answer)).one()
    database.close()
    neighbours = {place for link in [route[-1]] for place in _neighbours(link)}
    assert {unit.payload["place"] for unit in units} == neighbours
    assert len(units) == len(neighbours)
    assert {unit.writer_id for unit in units} == {stored.worker_id}
    assert stored.data["text"] == TEXT
    assert stored.data["path"] == route
    assert stored.data["bear"]["view"] == pytest.approx(click_at(BEAR)["view"])


def _neighbours(place: str) -> set[str]:
    graph = open_world(WORLD)
    here = graph.place_index(place)
    return {graph.ids[int(graph.target[link])] for link in graph.links(here)}


def test_every_action_survives_a_reload(writer: Worker) -> None:
    route = writer.view["route"]
    for k, place in enumerate(route[1:], 2):
        writer.act("move", place=place)
        writer.act("draft", text=TEXT[: 5 * k])
        writer.reload()
        assert writer.view["walk"]["place"] == place
        assert writer.view["visited"] == route[:k]
        assert writer.view["reached"] == k
        assert writer.view["text"] == TEXT[: 5 * k]
    writer.act("place", **click_at(BEAR))
    writer.reload()
    assert writer.view["bear"]["pitch"] == BEAR.pitch
    writer.act("cannot-place", reason="there is only a wall")
    writer.reload()
    assert (writer.view["bear"], writer.view["reason"]) == (None, "there is only a wall")
    writer.act("place", **click_at(BEAR))
    writer.reload()
    assert writer.view["reason"] == ""


def test_the_walker_faces_the_way_it_went(writer: Worker) -> None:
    view = writer.view
    link = next(link for link in view["walk"]["links"] if link["place"] == view["route"][1])
    walk = writer.act("move", place=link["place"])["walk"]
    assert walk["heading"] == link["heading"]


def test_only_linked_places_can_be_walked_to(writer: Worker) -> None:
    here = writer.view["walk"]["place"]
    assert f"expected a place linked to {here}" in writer.refused("move", place=writer.view["route"][5])
    assert "a place linked" in writer.refused("move", place="nowhere")
    assert "a field place" in writer.refused("move")
    assert "a text" in writer.refused("move", place=7)
    assert "an action" in writer.refused("fly", place="up")


def test_the_bear_needs_the_end_of_the_route(writer: Worker) -> None:
    route = writer.view["route"]
    assert "expected the route walked to its end, got 1 of its" in writer.refused("place", **click_at(BEAR))
    assert "the route walked" in writer.refused("cannot-place", reason="no idea")
    writer.walk(route)
    writer.act("move", place=route[-2])
    assert "expected you at the end of the route" in writer.refused("place", **click_at(BEAR))
    writer.act("move", place=route[-1])
    writer.act("place", **click_at(BEAR))


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("direction", "what"),
    [(Direction(0.0, 60.0), "the sky"), (Direction(10.0, -3.0), "")],
)
def test_the_bear_sits_on_something_that_stays(writer: Worker, direction: Direction, what: str) -> None:
    writer.walk(writer.view["route"])
    if what:
        assert f"got {what}. Click on something else." in writer.refused("place", **click_at(direction))
        return
    # Among the directions along the street there are vehicles.
    answers = {
        writer.try_act("place", click_at(Direction(heading, pitch))).text
        for heading in range(0, 360, 10)
        for pitch in (-10.0, -3.0)
    }
    assert any("something that does not move, got a" in answer for answer in answers)


def test_the_text_is_checked_while_it_is_written(writer: Worker) -> None:
    findings = writer.act("draft", text="Walk up Broadway.")["findings"]
    assert {finding["rule"] for finding in findings} == {"length", "bear", "street"}
    assert writer.act("draft", text="")["findings"] == []
    # The world's own names are known.
    text = f"{TEXT} That is behind the hudson street crossing."
    assert [finding["rule"] for finding in writer.act("draft", text=text)["findings"]] == ["street"]
    assert "at most 4000 characters" in writer.refused("draft", text="x" * 100_000)
    assert "without NUL characters" in writer.refused("draft", text="a\0b")
    assert "without control characters" in writer.refused("draft", text="a\x1b[31mb")
    assert "a text" in writer.refused("draft", text=["a"])
    assert "a field text" in writer.refused("draft")


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script> ", "'; DROP TABLE units; -- ", "🐻🐻🐻 ", "</script><b>", "{{ 7 * 7 }} "]
)
def test_hostile_texts_are_stored_as_they_are(writer: Worker, text: str) -> None:
    full = f"{TEXT} {text}"
    writer.act("draft", text=full)
    writer.reload()
    assert writer.view["text"] == full
    assert text.strip("🐻 ") == "" or f">{text}<" not in writer.traffic[-1][1]


def test_submitting_names_what_is_missing(writer: Worker) -> None:
    assert "expected the route walked to its end" in writer.not_submitted()
    writer.walk(writer.view["route"])
    assert "expected the bear placed in the picture, got no bear" in writer.not_submitted()
    writer.act("place", **click_at(BEAR))
    assert "Write at least" in writer.not_submitted()
    writer.act("draft", text=f"{TEXT} Then walk up Broadway.")
    assert "a name of a street" in writer.not_submitted()
    writer.act("draft", text=f"{TEXT} There are 3 of them.")
    assert "your confirmation of: count" in writer.not_submitted()
    assert "your confirmation of: count" in writer.not_submitted(confirmed=["name"])
    assert "a list" in writer.not_submitted(confirmed="count")
    assert writer.submit(confirmed=["count"])["accepted"]


def test_detours_are_allowed_and_left_routes_are_not(writer: Worker) -> None:
    route = writer.view["route"]
    writer.act("move", place=route[1])
    writer.act("move", place=route[0])
    writer.act("move", place=route[1])
    result = writer.act("move", place=route[2])
    assert result["reached"] == 3
    for place in route[3:]:
        result = writer.act("move", place=place)
    assert result["at_goal"]


def test_a_place_that_is_no_good_ends_the_unit(writer: Worker, settings: Settings) -> None:
    writer.walk(writer.view["route"])
    assert "a reason of 3 to 500 characters" in writer.refused("cannot-place", reason=" a ")
    assert "a reason of 3 to 500 characters" in writer.refused("cannot-place", reason="a" * 501)
    assert "a field reason" in writer.refused("cannot-place")
    writer.act("cannot-place", reason="only cars are to be seen")
    answer = writer.submit()
    assert not answer["accepted"]
    assert answer["code"]
    assert not writer.claim()
    database = open_database(settings.database)
    with database.read() as session:
        assert session.scalars(select(Unit.kind)).all() == ["touchdown/writing"]
        assert session.scalars(select(Answer)).one().data["cannot_place"] == "only cars are to be seen"
    database.close()


def test_a_submit_that_is_sent_twice_is_stored_once(writer: Worker, settings: Settings) -> None:
    first = writer.write(BEAR)
    assert writer.submit() == first
    assert writer.try_submit(key="other").status_code == 409
    database = open_database(settings.database)
    with database.read() as session:
        kinds = session.scalars(select(Unit.kind)).all()
    database.close()
    assert kinds.count("touchdown/propagation") == 2


@pytest.mark.slow
def test_a_copy_of_an_own_text_is_refused(settings: Settings) -> None:
    create_study(settings, limit=2)
    with running(settings) as address, person(address) as client, person(address) as other:
        writer = Worker(client)
        assert writer.claim("writing")
        first = writer.unit["attempt"]
        writer.write(BEAR)
        assert writer.claim("writing")
        assert writer.unit["attempt"] != first
        writer.walk(writer.view["route"])
        writer.act("place", **click_at(Direction(BEAR.heading, -30.0)))
        writer.act("draft", text=TEXT.replace("white", "red"))
        assert "expected a text of its own" in writer.not_submitted()
        assert {unit.payload["text"] for unit in follow_ups(settings)} == {TEXT}
        stranger = Worker(other)
        assert not stranger.claim("writing")  # nothing was given away
        writer.act("draft", text=OTHER_TEXT)
        assert writer.submit()["accepted"]
        assert {unit.payload["text"] for unit in follow_ups(settings)} == {TEXT, OTHER_TEXT}


def follow_ups(settings: Settings) -> list[Unit]:
    """The propagation units."""
    database = open_database(settings.database)
    with database.read() as session:
        units = list(session.scalars(select(Unit).where(Unit.kind == "touchdown/propagation")))
    database.close()
    return units


def test_routes_are_counted_in_order() -> None:
    route = ["a", "b", "c", "d"]
    assert count_reached(["a"], route) == 1
    assert count_reached(["a", "c", "d"], route) == 1
    assert count_reached(["a", "b", "x", "b", "c", "d"], route) == 4
    assert count_reached(["x"], route) == 0
    assert count_reached(["a", "b", "a", "b"], ["a", "b", "a", "b"]) == 4
