"""Pictures of reports: chosen steps and places, quality, and notes on missing pictures."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from bearleft.envs.reach import ReachGame, actions_along
from bearleft.errors import InputError
from bearleft.geometry import turn
from bearleft.records import Assemble, Direction, Episode, Leg, LegTrace, Point, Pose, Reach, Trace
from bearleft.reports.film.shots import State, walk_states
from bearleft.reports.html.pictures import (
    ReportPictures,
    ReportWorlds,
    _Requests,
    encode_webp,
    make_pictures,
    open_worlds,
)
from bearleft.reports.html.quality import (
    QUALITY_LEVELS,
    SPEEDS,
    Limits,
    PictureRequest,
    QualityLevel,
    choose_quality,
    estimated_bytes,
)
from bearleft.reports.html.strips import MAX_VIEWS, MIN_GAP, TURN_DEGREES, choose_stops, pointing_places
from bearleft.world.album.write import AlbumConfig, write_album
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.shortest_paths import shortest_route
from bearleft.world.pictures import AlbumPictures, RenderedPictures
from bearleft.world.worlds import open_world
from tests.sizes import sized

WORLD = "city/3/4x5"
NO_ROOM = Limits(0.0, 1e9)
TINY_LEVEL = QualityLevel((64, 40), (128, 64), 60)


def route_of(graph: Graph, length: int = 99) -> list[str]:
    """Return a route with two turns, or its beginning."""
    return shortest_route(graph, 252, 305)[:length]


def episode_and_trace(
    places: Sequence[str], agent: str = "one", name: str = "a", world: str = WORLD
) -> tuple[Episode, Trace]:
    """Return an episode with this route and the trace that follows it."""
    graph = open_world(world)
    start, leg = Pose(Direction(77.0), places[0]), Leg("Go.", Reach(tuple(places)))
    game = ReachGame(leg, start, graph)
    for action in actions_along(graph, start, places):
        game.step(action)
    return Episode(name, "some", world, start, (leg,)), Trace(name, "some", agent, (game.trace(),))


def point_episode(place: str | None, name: str = "p", world: str = WORLD) -> Episode:
    start = Pose(Direction(0.0), place, (0.0, 0.0, 0.0))
    return Episode(name, "some", world, start, (Leg("There.", Point(Direction(30.0), place)),))


def pixels(file: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(file)) as picture:
        assert picture.format == "WEBP"
        return np.asarray(picture.convert("RGB")).astype(int)


@pytest.fixture(scope="module")
def graph() -> Graph:
    return open_world(WORLD)


@pytest.fixture(scope="module")
def worlds() -> ReportWorlds:
    return open_worlds([WORLD])


@pytest.fixture
def tiny_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make only tiny pictures, for tests that do not look at them."""
    monkeypatch.setattr("bearleft.reports.html.quality.QUALITY_LEVELS", (TINY_LEVEL,))


def test_panoramas_have_north_in_the_middle(
    graph: Graph, worlds: ReportWorlds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "bearleft.reports.html.quality.QUALITY_LEVELS", (replace(TINY_LEVEL, panorama=(720, 360), quality=90),)
    )
    episode = point_episode(graph.ids[40])
    pictures = make_pictures([episode], [], worlds, Limits.full())
    panorama = pixels(pictures.pictures[pictures.panoramas[WORLD, graph.ids[40]]])
    height, width = panorama.shape[:2]
    assert pictures.sizes == [(width, height)]
    assert width == 2 * height
    source = worlds(WORLD)
    assert source is not None
    difference = {}
    for heading in (0, 90, 180, 270):
        # A narrow view with the panorama's resolution agrees with the panorama at its heading.
        view = source.views([40], [float(heading)], size=(64, 64), fov=64 * 360 / width).astype(int)[0]
        middle = (width // 2 + heading * width // 360) % width
        columns = np.arange(middle - 20, middle + 20) % width
        columns_ahead = panorama[height // 2 - 20 : height // 2 + 20, columns]
        difference[heading] = float(np.abs(view[12:52, 12:52] - columns_ahead).mean())
        other = panorama[height // 2 - 20 : height // 2 + 20, (columns + width // 4) % width]
        assert difference[heading] < 0.6 * float(np.abs(view[12:52, 12:52] - other).mean()), difference
    # East is a quarter to the right; a mirrored picture would fail above.
    assert max(difference.values()) < 25, difference


@pytest.mark.usefixtures("tiny_pictures")
def test_views_show_their_steps(graph: Graph, worlds: ReportWorlds) -> None:
    episode, trace = episode_and_trace(route_of(graph))
    pictures = make_pictures([episode], [trace], worlds)
    states = walk_states(episode.legs[0], trace.legs[0], episode.start, graph)
    strip = pictures.strips[0, 0]
    assert [view.step for view in strip] == sorted({view.step for view in strip})
    assert strip[0].step == 0
    assert strip[0].caption == "start"
    assert strip[-1].step == len(states) - 1
    assert strip[-1].caption == "end"
    assert {view.caption for view in strip[1:-1]} <= {"before turning left", "before turning right", "on the way"}
    assert len(strip) == 5
    source = worlds(WORLD)
    for view in strip:
        place, heading = states[view.step]
        assert isinstance(source, RenderedPictures)
        expected = source.views([graph.place_index(place)], [float(round(heading))], size=TINY_LEVEL.view)[0]
        assert np.abs(pixels(pictures.pictures[view.picture]) - expected).mean() < 12
    visited = {place for place, _ in states}
    assert set(pictures.panoramas) == {(WORLD, place) for place in visited}
    assert pictures.notes == []


@pytest.mark.usefixtures("tiny_pictures")
def test_pictures_are_shared(graph: Graph, worlds: ReportWorlds) -> None:
    route = route_of(graph)
    episode, trace = episode_and_trace(route)
    _, other = episode_and_trace(route, "other")
    single, shared = make_pictures([episode], [trace], worlds), make_pictures([episode], [trace, other], worlds)
    assert shared.pictures == single.pictures
    assert shared.strips[0, 0] == shared.strips[1, 0] == single.strips[0, 0]
    assert len(set(shared.pictures)) == len(shared.pictures)
    stopped = replace(trace, legs=(LegTrace(("stop",), (route[0],)),), agent="stays")
    assert [view.caption for view in make_pictures([episode], [stopped], worlds).strips[0, 0]] == ["start"]


def test_turns_are_shown_in_the_direction_of_arrival() -> None:
    states: list[State] = [("a", 0.0), ("b", 0.0), ("b", 300.0), ("b", 270.0), ("c", 270.0), ("d", 300.0), ("d", 301.0)]
    pictures = [(stop.step, stop.place, stop.heading, stop.caption) for stop in choose_stops(states)]
    assert pictures == [(0, "a", 0.0, "start"), (1, "b", 0.0, "before turning left"), (6, "d", 301.0, "end")]


def test_long_straight_stretches_have_views() -> None:
    states: list[State] = [(str(k), 0.0) for k in range(31)]
    strip = choose_stops(states)
    assert [stop.step for stop in strip] == [0, 5, 10, 15, 20, 25, 30]
    assert [stop.caption for stop in strip] == ["start", *["on the way"] * 5, "end"]
    assert [stop.step for stop in choose_stops(states[:14])] == [0, 4, 8, 13]
    assert len(choose_stops([(str(k), 0.0) for k in range(200)])) == MAX_VIEWS
    assert len(choose_stops(states[:MIN_GAP])) == 2
    assert len(choose_stops(states[: MIN_GAP + 1])) == 3
    steps = [stop.step for stop in choose_stops(states[: 2 * MIN_GAP])]  # of two gaps, one would be too long
    assert max(after - before for before, after in pairwise(steps)) < MIN_GAP


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 359)), min_size=1, max_size=60))
@settings(deadline=None)
def test_strips_are_short_and_in_order(states: list[State]) -> None:
    strip = choose_stops(states)
    steps = [stop.step for stop in strip]
    assert steps == sorted(set(steps))
    assert len(steps) <= MAX_VIEWS
    assert steps[0] == 0
    assert steps[-1] == len(states) - 1
    gaps = [after - before for before, after in pairwise(steps)]
    assert len(steps) == MAX_VIEWS or max(gaps, default=0) < MIN_GAP
    for stop in strip:
        assert states[stop.step] == (stop.place, stop.heading)
        if "turning" in stop.caption:
            rest = [heading for place, heading in states[stop.step :]]
            assert any(abs(float(turn(stop.heading, heading))) > TURN_DEGREES for heading in rest)


counts = st.lists(st.integers(0, 1000), min_size=5, max_size=5)


@given(counts, st.floats(0.0, 20.0), st.floats(0.0, 1e7), st.sampled_from(sorted(SPEEDS)))
@settings(deadline=None, max_examples=sized(15, 60))
def test_quality_levels_respect_limits(numbers: list[int], seconds: float, size: float, backend: str) -> None:
    headings = (None, 0, 1, 2, None)
    groups = [
        [PictureRequest("w", f"{group} {k}", headings[group]) for k in range(count)]
        for group, count in enumerate(numbers)
    ]
    limits = Limits(seconds, size)
    level, chosen = choose_quality(groups, limits, {"w": backend})
    all_requests = [request for group in groups for request in group]
    assert chosen == all_requests[: len(chosen)]
    assert sum(SPEEDS[backend].seconds(request, level) for request in chosen) <= seconds + 1e-6
    assert sum(estimated_bytes(level.size(request), level.quality) for request in chosen) <= size + 1e-3
    larger_level, _ = choose_quality(groups, Limits(2 * seconds, 2 * size), {"w": backend})
    assert QUALITY_LEVELS.index(larger_level) <= QUALITY_LEVELS.index(level)
    full_level, full_requests = choose_quality(groups, Limits.full(), {"w": backend})
    assert (full_level, full_requests) == (QUALITY_LEVELS[0], all_requests)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("level", [QUALITY_LEVELS[2], QUALITY_LEVELS[-1]])
def test_estimated_bytes_are_close(graph: Graph, worlds: ReportWorlds, level: QualityLevel) -> None:
    places = list(range(0, len(graph), 80))
    source = worlds(WORLD)
    assert source is not None
    for views, size in (
        (source.panoramas(places, 0.0, level.panorama), level.panorama),
        (source.views(places, 30.0, 0.0, level.view), level.view),
    ):
        mean_bytes = sum(len(encode_webp(picture, level.quality)) for picture in views) / len(places)
        assert 0.7 < mean_bytes / estimated_bytes(size, level.quality) < 1.3


@pytest.mark.usefixtures("tiny_pictures")
def test_left_out_pictures_are_noted(graph: Graph, worlds: ReportWorlds) -> None:
    episode, trace = episode_and_trace(route_of(graph))
    episodes = [episode, point_episode(graph.ids[3]), point_episode(graph.ids[4], "q")]
    complete = make_pictures(episodes, [trace], worlds)
    limits = Limits(1e9, sum(map(len, complete.pictures[:3])) + 1)
    pictures = make_pictures(episodes, [trace], worlds, limits)
    assert pictures.pictures == complete.pictures[: len(pictures.pictures)]
    assert 1 <= len(pictures.pictures) <= 3
    assert set(pictures.panoramas) == {(WORLD, graph.ids[3]), (WORLD, graph.ids[4])}
    assert "panoramas of places on the way" in pictures.notes[0]
    assert pictures.notes[0].endswith("Say --full for all.")
    empty = make_pictures(episodes, [trace], worlds, NO_ROOM)
    assert empty.pictures == []
    assert empty.strips == {}
    assert "2 of 2 panoramas to point in" in empty.notes[0]


@pytest.mark.usefixtures("tiny_pictures")
def test_missing_picture_of_an_album_is_noted(graph: Graph, tmp_path: Path) -> None:
    route = route_of(graph, 5)
    (tmp_path / "ids").write_text("\n".join(route))
    write_album(
        tmp_path / "album", WORLD, AlbumConfig((128, 64), samples=1, picture="png"), places=str(tmp_path / "ids")
    )
    episode, trace = episode_and_trace(route)
    source = open_worlds([WORLD], [tmp_path / "album"])
    assert isinstance(source(WORLD), AlbumPictures)
    complete = make_pictures([episode], [trace], source)
    assert set(complete.panoramas) == {(WORLD, place) for place in route}
    missing = next((tmp_path / "album").rglob(f"*{route[2]}*.png"))
    missing.unlink()
    calls: list[tuple[str, int, int]] = []
    pictures = make_pictures(
        [episode], [trace], open_worlds([WORLD], [tmp_path / "album"]), progress=lambda *call: calls.append(call)
    )
    assert set(pictures.panoramas) == {(WORLD, place) for place in route if place != route[2]}
    assert set(pictures.pictures) < set(complete.pictures)
    assert "missing" in pictures.notes[0]
    assert missing.name in pictures.notes[0]
    assert not any("--full" in note for note in pictures.notes)
    assert calls[-1][1] == calls[-1][2] == len(complete.pictures)
    assert [done for _, done, _ in calls] == sorted(done for _, done, _ in calls)


def test_albums_and_cities_of_other_worlds_are_rejected(tmp_path: Path) -> None:
    write_album(tmp_path / "album", "rooms/3/8", AlbumConfig((32, 16), samples=1), places="1..2")
    with pytest.raises(InputError, match="one of rooms/3/8"):
        open_worlds([WORLD], [tmp_path / "album"])
    with pytest.raises(InputError, match="field city: expected a world of streets"):
        open_worlds([WORLD], city=4)
    with pytest.raises(InputError, match="device"):
        open_worlds([WORLD], device="toaster")
    rooms = open_worlds(["rooms/3/8", WORLD], [tmp_path / "album"])
    assert isinstance(rooms("rooms/3/8"), AlbumPictures)
    assert isinstance(rooms(WORLD), RenderedPictures)
    ambiguous = open_worlds(["rooms/3/8"], [tmp_path / "album"] * 2)
    with pytest.raises(InputError, match="one album of the world"):
        ambiguous("rooms/3/8")


@pytest.mark.usefixtures("tiny_pictures")
def test_film_options_equal_those_of_the_report() -> None:
    assert open_worlds([WORLD]).command_options(WORLD) == []
    options = open_worlds(["town/0", WORLD], city=3, data="my/data")
    assert options.command_options("town/0") == ["--data", "my/data", "--city", "3"]
    assert options.command_options(WORLD) == ["--data", "my/data"]
    assert open_worlds(["refer360"]).command_options("refer360") is None  # neither pictures nor a map


@pytest.mark.slow
def test_notes_on_worlds_without_pictures_name_options() -> None:
    episode, trace = episode_and_trace(list(open_world("town/0").ids[:1]), world="town/0")
    without_pictures = open_worlds(["town/0", "refer360", "simroom"])
    assert make_pictures([episode, point_episode("x", world="refer360")], [trace], without_pictures) == ReportPictures()
    assert without_pictures.notes == [
        "There are no pictures of town/0. Say --pictures FOLDER, or --city 0 for bearleft's city on its streets.",
        "There are no pictures of refer360. Say --pictures FOLDER.",
    ]
    assert without_pictures("simroom") is None
    assert len(without_pictures.notes) == 2
    scans = open_worlds([f"matterport/{k}" for k in range(5)])
    assert [scans(f"matterport/{k}") for k in range(5)] == [None] * 5
    assert scans.notes == [
        "There are no pictures of matterport/0, matterport/1, matterport/2 and 2 more. Say --pictures FOLDER."
    ]
    assert without_pictures.map_source("refer360") is None
    assert isinstance(without_pictures.map_source("town/0"), Graph)
    with_city = open_worlds(["town/0"], city=1)
    assert isinstance(with_city(episode.world), RenderedPictures)
    assert len(make_pictures([episode], [trace], with_city).pictures) == 2


@pytest.mark.usefixtures("tiny_pictures")
def test_legs_without_places_have_no_pictures(worlds: ReportWorlds) -> None:
    rooms = open_worlds(["rooms/3/8"])
    place = open_world("rooms/3/8").ids[2]
    pictures = make_pictures([point_episode(place, world="rooms/3/8")], [], rooms)
    assert list(pictures.panoramas) == [("rooms/3/8", place)]
    without_place = point_episode(None)
    assemble_episode = replace(without_place, id="b", legs=(Leg("Put it.", Assemble((0, 0, 0))),))
    trace = Trace("b", "some", "one", (LegTrace((), ((0, 0, 0),)),))
    assert make_pictures([without_place, assemble_episode], [trace], worlds) == ReportPictures()


def test_leg_without_a_place_points_at_the_end_of_the_walk(graph: Graph) -> None:
    episode, _ = episode_and_trace(graph.ids[:1])
    point = Leg("There.", Point(Direction(3.0)))
    assert pointing_places(replace(episode, legs=(*episode.legs, point))) == [(1, graph.ids[0])]


def test_main_pictures_of_a_small_report_are_as_wide_as_on_a_desktop() -> None:
    level, chosen = choose_quality(
        [[PictureRequest("w", "p", None, True)], [], [], [], []], Limits.default(), {"w": "cpu"}
    )
    assert len(chosen) == 1 and level.size(chosen[0])[0] >= 1250
    assert level.size(PictureRequest("w", "p", 90, True))[0] >= 450
    assert level.size(PictureRequest("w", "p"))[0] < level.size(chosen[0])[0]


def test_a_place_that_is_pointed_in_and_walked_has_one_panorama() -> None:
    requests = _Requests()
    requests.points[PictureRequest("w", "p", large=True)] = None
    requests.walked.update([PictureRequest("w", "p"), PictureRequest("w", "q")])
    points, *_, walked = requests.groups()
    assert points == [PictureRequest("w", "p", large=True)] and walked == [PictureRequest("w", "q")]
