"""Tasks II to IV over HTTP: who gets what, when the bear is found, and what becomes of a text."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from bearleft import load
from bearleft.geometry import turn
from bearleft.records import Direction, Point, Reach, Trace
from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Answer, Project, Unit
from bearleft.web.settings import Settings
from bearleft.web.tasks.touchdown import allowed_kinds, create_units, is_qualified
from bearleft.web.tasks.touchdown.segmentation import segments, text_tokens
from tests.web.server import person, running
from tests.web.touchdown.driver import BEAR as BEAR_PART
from tests.web.touchdown.driver import BEARS, NAME, TEXT, WAY, Worker, click_at, create_study

BEAR = BEARS["0"]
ROUTE = next(iter(load("city/touchdown/small"))).legs[0].goal.route  # type: ignore[union-attr]
Hire = Callable[[], Worker]


@pytest.fixture
def written(hire: Hire) -> Worker:
    """The writer of a text that has just been submitted."""
    writer = hire()
    assert writer.claim("writing")
    writer.write(BEAR)
    return writer


@pytest.fixture
def propagated(written: Worker, hire: Hire) -> Worker:
    """Somebody who has shown the bear in the first neighbouring panorama, and not in the second."""
    assert written.unit
    worker = hire()
    for shown in (True, False):
        assert worker.claim("propagation")
        if shown:
            worker.act("place", **click_at(Direction(BEAR.heading + 8, BEAR.pitch)))
        else:
            worker.act("occluded")
        worker.submit()
    return worker


def rows(settings: Settings, kind: str) -> list[tuple[Unit, list[Answer]]]:
    """The units of a kind with their answers."""
    database = open_database(settings.database)
    with database.read() as session:
        units = session.scalars(select(Unit).where(Unit.kind == f"touchdown/{kind}").order_by(Unit.id)).all()
        found = [
            (unit, list(session.scalars(select(Answer).where(Answer.unit_id == unit.id).order_by(Answer.id))))
            for unit in units
        ]
    database.close()
    return found


def test_a_text_whose_goal_has_no_neighbours_is_validated_at_once(hire: Hire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bearleft.web.tasks.touchdown.writing.propagation_units", lambda *_: ())
    writer = hire()
    assert writer.claim("writing")
    writer.write(BEAR)
    assert not writer.claim("validation")
    assert hire().claim("validation")


def test_the_writer_gets_none_of_the_follow_ups(written: Worker, hire: Hire) -> None:
    assert not written.claim("propagation")
    assert hire().claim("propagation")


@pytest.mark.usefixtures("written")
def test_propagation_shows_the_original_and_its_neighbour(hire: Hire) -> None:
    worker = hire()
    worker.claim("propagation")
    view = worker.view
    assert view["original"] == {"place": ROUTE[-1], "heading": BEAR.heading, "pitch": BEAR.pitch}
    assert view["place"] != ROUTE[-1]
    assert view["text"] == TEXT
    assert (view["bear"], view["occluded"]) == (None, False)
    assert "Click where the bear would sit" in worker.not_submitted()
    worker.act("occluded")
    worker.reload()
    assert worker.view["occluded"]
    worker.act("place", **click_at(BEAR))
    worker.reload()
    assert worker.view["bear"]["heading"] == BEAR.heading
    assert not worker.view["occluded"]
    assert "an action" in worker.refused("move", place=ROUTE[-2])
    assert "inside the view" in worker.refused("place", **(click_at(BEAR) | {"heading": 0.0}))
    assert worker.submit()["accepted"]


@pytest.mark.usefixtures("written")
def test_validation_waits_for_the_last_propagation(hire: Hire, settings: Settings) -> None:
    first, second = hire(), hire()
    assert first.claim("propagation")
    assert second.claim("propagation")
    first.act("occluded")
    first.submit()
    assert not rows(settings, "validation")
    second.act("place", **click_at(BEAR))
    second.submit()
    ((unit, _),) = rows(settings, "validation")
    assert [target["place"] for target in unit.payload["targets"]] == [ROUTE[-1], second.view["place"]]
    assert unit.payload["start"] == ROUTE[0]


@pytest.mark.slow
def test_last_propagations_at_the_same_time_make_one_validation(database_url: str, tmp_path: Path) -> None:
    settings = Settings(database=database_url, cache=tmp_path, secret="0123456789abcdef")
    create_study(settings, limit=5)
    with running(settings) as address, ExitStack() as stack, ThreadPoolExecutor(2) as pool:
        writers = [Worker(stack.enter_context(person(address))) for _ in range(5)]
        others = [Worker(stack.enter_context(person(address))) for _ in range(2)]
        for writer in writers:
            assert writer.claim("writing")
            writer.write(Direction(BEAR.heading, -40.0))
        for done in range(1, 6):
            for worker in others:
                assert worker.claim("propagation")
                worker.act("occluded")
            # The two units of one text, but for those of a goal with more neighbours.
            answers = list(pool.map(lambda worker: worker.submit(), others))
            assert all(answer["accepted"] for answer in answers)
            assert len(rows(settings, "validation")) <= done
        while others[0].claim("propagation"):
            others[0].act("occluded")
            others[0].submit()
    validations = rows(settings, "validation")
    assert sorted(unit.payload["writing"] for unit, _ in validations) == sorted(
        unit.id for unit, _ in rows(settings, "writing")
    )


def test_who_knows_the_place_does_not_search(propagated: Worker, written: Worker, hire: Hire) -> None:
    assert not propagated.claim("validation")
    assert not written.claim("validation")
    assert hire().claim("validation")


@pytest.mark.slow
@pytest.mark.usefixtures("propagated")
def test_a_search_starts_where_the_writer_started(hire: Hire) -> None:
    worker = hire()
    worker.claim("validation")
    view = worker.view
    assert (view["walk"]["place"], view["walk"]["heading"]) == (ROUTE[0], 0.0)
    assert (view["attempts"], view["attempts_left"], view["found"], view["done"]) == (5, 5, False, False)
    assert "route" not in view


@pytest.mark.slow
@pytest.mark.usefixtures("propagated")
def test_the_bear_is_found_at_the_goal(hire: Hire, settings: Settings) -> None:
    worker = hire()
    worker.claim("validation")
    answer = worker.search(list(ROUTE), BEAR)
    assert answer["accepted"]
    assert answer["feedback"]["found"]
    ((unit, (stored,)),) = rows(settings, "validation")
    assert unit.closed
    assert (stored.data["found"], stored.data["attempts"]) == (True, 1)
    trace = Trace.from_json(stored.data["trace"])
    assert trace.legs[0].path == ROUTE
    assert trace.legs[0].actions == (*ROUTE[1:], "stop")
    assert trace.legs[1].answer == BEAR
    assert len(rows(settings, "segmentation")) == 1


@pytest.mark.usefixtures("propagated")
def test_who_finds_the_bear_is_told_how_far_off_the_click_was(hire: Hire) -> None:
    worker = hire()
    worker.claim("validation")
    worker.walk(list(ROUTE))
    click = click_at(Direction(BEAR.heading + 3.0, BEAR.pitch), width=900)
    assert set(worker.act("guess", **click)) == {"found", "attempts_left", "done"}
    # A view of 900 x 600 pixels and 60 degrees from top to bottom, whose middle was clicked.
    expected = round(300 / math.tan(math.radians(30)) * math.tan(math.radians(3.0)))
    feedback = worker.submit()["feedback"]
    assert feedback["pixels_off"] == expected == 27
    assert feedback["message"] == "You found the bear! Your click was 27 pixels off."


@pytest.mark.usefixtures("propagated")
def test_who_does_not_find_the_bear_is_told_no_distance(hire: Hire) -> None:
    worker = hire()
    worker.claim("validation")
    feedback = worker.search(list(ROUTE), BEAR, misses=5)["feedback"]
    assert set(feedback) == {"found", "attempts", "message"} and "pixel" not in feedback["message"]


@pytest.mark.slow
@pytest.mark.usefixtures("propagated")
def test_the_bear_is_found_from_a_neighbour_that_shows_it_only(hire: Hire, settings: Settings) -> None:
    (shown, _), (hidden, _) = rows(settings, "propagation")
    worker = hire()
    worker.claim("validation")
    worker.walk(list(ROUTE))
    at = {}
    for unit in (hidden, shown):
        worker.act("move", place=unit.payload["place"])
        result = worker.act("guess", **click_at(Direction(BEAR.heading + 8, BEAR.pitch)))
        at[unit.id] = result
        if not result["done"]:
            worker.act("move", place=ROUTE[-1])
    assert not at[hidden.id]["found"]
    assert at[shown.id] == {"found": True, "attempts_left": 3, "done": True}


@pytest.mark.slow
@pytest.mark.usefixtures("propagated")
def test_clicks_are_judged_within_ninety_pixels_and_elsewhere_not_at_all(hire: Hire) -> None:
    worker = hire()
    worker.claim("validation")
    result = worker.act("guess", **click_at(BEAR))  # the right direction at the wrong place
    assert result == {"found": False, "attempts_left": 4, "done": False}
    worker.walk(list(ROUTE))
    # 900 x 600 pixels of 60 degrees: 90 pixels are 9.8 degrees at the centre.
    assert not worker.act("guess", **click_at(Direction(BEAR.heading + 10.2, BEAR.pitch)))["found"]
    assert worker.act("guess", **click_at(Direction(BEAR.heading + 9.4, BEAR.pitch)))["found"]


@pytest.mark.slow
@pytest.mark.usefixtures("propagated")
def test_a_search_ends_after_five_clicks(hire: Hire, settings: Settings) -> None:
    worker = hire()
    worker.claim("validation")
    assert "0 of 5 clicks" in worker.not_submitted()
    for left in (4, 3, 2, 1, 0):
        result = worker.act("guess", **click_at(Direction(0, 0)))
        assert (result["attempts_left"], result["done"]) == (left, left == 0)
        worker.reload()
        assert worker.view["attempts_left"] == left
        assert len(worker.view["guesses"]) == 5 - left
    assert "no action after the end" in worker.refused("guess", **click_at(BEAR))
    assert "no action after the end" in worker.refused("move", place=ROUTE[1])
    answer = worker.submit()
    assert not answer["accepted"]
    # Another worker, not the same, tries once more.
    assert not worker.claim("validation")
    second = hire()
    assert second.claim("validation")
    assert second.search(list(ROUTE), BEAR, misses=4)["accepted"]
    ((unit, answers),) = rows(settings, "validation")
    assert [answer.accepted for answer in answers] == [False, True]
    assert unit.closed
    assert len(rows(settings, "segmentation")) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("propagated")
def test_a_text_that_two_cannot_follow_is_discarded(hire: Hire, settings: Settings) -> None:
    for _ in range(2):
        worker = hire()
        assert worker.claim("validation")
        assert not worker.search([ROUTE[0]], BEAR, misses=5)["accepted"]
    assert not hire().claim()
    assert not rows(settings, "segmentation")


@pytest.mark.slow
@pytest.mark.usefixtures("propagated")
def test_a_found_bear_ends_the_search(hire: Hire) -> None:
    worker = hire()
    worker.claim("validation")
    worker.walk(list(ROUTE))
    assert "an action" in worker.refused("place", **click_at(BEAR))
    assert worker.act("guess", **click_at(BEAR))["done"]
    assert "no action after the end" in worker.refused("guess", **click_at(BEAR))
    worker.reload()
    assert worker.view["found"]
    worker.submit()


@pytest.fixture
def found(propagated: Worker, hire: Hire) -> Worker:
    """Somebody who has found the bear."""
    assert propagated.unit
    worker = hire()
    assert worker.claim("validation")
    worker.search(list(ROUTE), BEAR)
    return worker


@pytest.mark.slow
@pytest.mark.usefixtures("found")
def test_a_text_is_divided(hire: Hire, settings: Settings) -> None:
    worker = hire()
    assert worker.claim("segmentation")
    tokens = worker.view["tokens"]
    assert tokens == TEXT.split()
    assert "Mark the last of them" in worker.not_submitted()
    way, bear = len(WAY.split()), len(tokens) - len(BEAR_PART.split())
    assert worker.act("way", end=way) == {"way_end": way, "bear_begin": None}
    assert "Mark the first of them" in worker.not_submitted()
    worker.act("bear", begin=bear + 1)
    assert f'none for "{tokens[bear]}"' in worker.not_submitted()
    worker.act("bear", begin=len(tokens) - 1)
    worker.act("way", end=len(tokens))
    assert "a second part that mentions the bear" in worker.not_submitted()
    worker.act("bear", begin=bear)
    worker.act("way", end=way)
    worker.reload()
    assert (worker.view["way_end"], worker.view["bear_begin"]) == (way, bear)
    worker.submit()
    ((_, (answer,)),) = rows(settings, "segmentation")
    assert answer.data["navigation_text"] == WAY
    assert answer.data["td_location_text"] == BEAR_PART


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("data", [{"end": 0}, {"end": 10_000}, {"end": 1.5}, {"end": "1"}, {"end": True}, {}])
@pytest.mark.usefixtures("found")
def test_words_that_do_not_exist_are_refused(hire: Hire, data: dict[str, Any]) -> None:
    worker = hire()
    worker.claim("segmentation")
    assert worker.refused("way", **data)
    assert worker.refused("bear", begin=len(worker.view["tokens"]))
    assert "an action" in worker.refused("guess")


def test_segments_overlap_and_hold_all_words() -> None:
    text = "Walk  ahead. Stop at the\ndoor where the bear is."
    count = len(text_tokens(text))
    for way_end in range(1, count + 1):
        for bear_begin in range(way_end + 1):
            if bear_begin < count:
                way, bear = segments(text, way_end, bear_begin)
                assert len(way.split()) + len(bear.split()) == count + way_end - bear_begin
                assert text.startswith(way)
                assert text.endswith(bear)


@pytest.mark.slow
def test_three_of_four_searches_qualify(settings: Settings) -> None:
    create_study(settings, qualification=True)
    episodes = {episode.id: episode for episode in load("city/touchdown-complete/small")}
    with running(settings) as address, ExitStack() as stack:
        good, bad = (Worker(stack.enter_context(person(address))) for _ in range(2))
        for worker, missed in ((good, {"2"}), (bad, {"1", "4"})):
            assert not worker.claim("writing")
            assert "0 of 4 searches done" in worker.client.get(f"/projects/{NAME}").text
            for k in range(1, 5):  # nobody qualifies with the route that is to be written
                assert worker.claim("qualification")
                episode = episodes[str(k)]
                walk, point = (leg.goal for leg in episode.legs)
                assert isinstance(walk, Reach)
                assert isinstance(point, Point)
                assert worker.view["text"] == episode.extra["full_text"]
                answer = worker.search(list(walk.route), point.direction, 5 if episode.id in missed else 0)
                assert answer["accepted"] == (episode.id not in missed)
            assert not worker.claim("qualification")
            assert worker.claim("writing") == (worker is good)
            told = (
                "you may hide bears" if worker is good else "You found 2 of 4 bears in the qualification; 3 were needed"
            )
            assert told in worker.client.get(f"/projects/{NAME}").text
    database = open_database(settings.database)
    with database.read() as session:
        project = session.scalars(select(Project)).one()
        good_id, *_, bad_id = session.scalars(select(Answer.worker_id).order_by(Answer.id))
        assert [is_qualified(session, project, number) for number in (good_id, bad_id, 3)] == [True, False, False]
        assert "touchdown/writing" in allowed_kinds(session, project, good_id)
        assert "touchdown/qualification" in allowed_kinds(session, project, bad_id)
        assert not any(unit.closed for unit in session.scalars(select(Unit).where(Unit.kind.like("%qualification"))))
    database.close()


def test_units_of_a_project() -> None:
    from bearleft.web.scenes.worlds import SceneWorlds

    worlds = SceneWorlds()
    units = create_units(worlds, {"dataset": "city/touchdown/small", "limit": 3})
    assert [unit.kind for unit in units] == ["touchdown/writing"] * 3 + ["touchdown/qualification"] * 4
    assert units[0].payload["route"] == list(ROUTE)
    # Nobody is to write for a route whose text they have followed.
    assert [unit.payload["episode"] for unit in units[3:]] == ["3", "4", "5", "6"]
    everything = create_units(worlds, {})
    assert [unit.payload["episode"] for unit in everything[-4:]] == ["0", "1", "2", "3"], "all routes are written"
    chosen = create_units(worlds, {"limit": 1, "qualification_episodes": ["7", "9"]})
    assert [unit.payload.get("episode") for unit in chosen] == [None, "7", "9"]
    assert all(abs(turn(unit.payload["heading"], 0.0)) < 1e-9 and unit.payload["targets"] for unit in chosen[1:])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dataset": "city/sdr/small"}, "a dataset of routes"),
        ({"dataset": "city/nowhere/small"}, "expected"),
        ({"limit": 0}, "limit"),
        ({"limit": "three"}, "limit"),
        ({"qualification_episodes": ["nobody"]}, "an episode of city/touchdown-complete/small"),
        ({"qualification_dataset": "city/touchdown/small"}, "a dataset of the complete task"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], message: str) -> None:
    from bearleft.errors import InputError
    from bearleft.web.scenes.worlds import SceneWorlds

    with pytest.raises(InputError, match=message):
        create_units(SceneWorlds(), settings)
