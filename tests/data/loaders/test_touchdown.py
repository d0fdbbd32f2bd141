from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bearleft.data import load, open_dataset, read, write
from bearleft.data.loaders.touchdown import direction, ratio_of
from bearleft.errors import InputError
from bearleft.records import Direction, Point, Pose, Reach
from tests.data.sample_files import YAWS, click, lines, touchdown_line


def open_line(sample_data: Path, tmp_path: Path, kind: str, **changes: Any) -> list[Any]:
    path = tmp_path / "changed.jsonl"
    path.write_text(lines([touchdown_line(1, ["p0", "p1"]) | changes]))
    return list(read(kind, path, sample_data))


def test_navigation(sample_data: Path) -> None:
    episodes = load("touchdown/made", sample_data)
    assert [episode.id for episode in episodes] == ["7", "8", "9", "11"]
    third = episodes[2]
    assert third.world == "touchdown" and third.dataset == "touchdown/made"
    assert third.start == Pose(Direction(270), "p3")
    assert third.legs[0].goal == Reach(("p3", "p2"))
    assert third.legs[0].text == "Go past the café and turn left. Stop at the corner. "
    assert third.extra["follower_stats"][0]["num_attempts"] == "1"


def test_sdr(sample_data: Path) -> None:
    dataset = open_dataset("sdr/made", sample_data)
    episodes = {episode.id: episode for episode in dataset}
    expected = [f"{k}/{view}" for k in (7, 8, 9, 11) for view in ("pre", "main", "post")]
    assert list(episodes) == [name for name in expected if name not in ("8/pre", "11/main")]
    assert {note.episode for note in dataset.skipped} == {"8/pre", "11/main"}
    main = episodes["7/main"]
    goal = main.legs[0].goal
    assert isinstance(goal, Point) and goal.place == "p5" and goal.yaw == YAWS["p5"]
    assert goal.direction.heading == pytest.approx(YAWS["p5"] + 9)
    assert goal.direction.pitch == pytest.approx(90 - 180 * 0.53)
    # The writer's view, 121.5 and -0.25, would reveal the target.
    assert main.start == Pose(Direction(YAWS["p5"]), "p5") and main.extra["main_heading"] == "121.5"
    assert main.legs[0].text == "The bear sits on the blue mailbox."
    # Left of the middle by 135 degrees.
    pre = episodes["7/pre"].legs[0].goal
    assert isinstance(pre, Point) and pre.direction.heading == pytest.approx((YAWS["p1"] - 135) % 360)


def test_unusual_panoramas_are_noted(sample_data: Path) -> None:
    dataset = open_dataset("sdr/made", sample_data)
    episodes = {episode.id: episode for episode in dataset}
    noted = {note.episode: note.reason for note in dataset.notes}
    assert set(noted) == {"11/post"}
    assert "not in the graph" in noted["11/post"]
    assert episodes["11/post"].start.look == Direction(0)


def test_complete(sample_data: Path) -> None:
    dataset = open_dataset("touchdown-complete/made", sample_data)
    episodes = list(dataset)
    assert [episode.id for episode in episodes] == ["7", "8", "9", "11"]
    assert not dataset.skipped and [note.episode for note in dataset.notes] == ["11"]
    reach, point = episodes[0].legs
    assert reach.goal == Reach(("p0", "p1", "p5"))
    others = tuple(
        Point(direction(*ratio, YAWS[place]), place, YAWS[place])
        for ratio, place in (((0.125, 0.51), "p1"), ((0.99, 0.4), "p15"))
    )
    assert point.goal == Point(direction(0.525, 0.53, YAWS["p5"]), "p5", YAWS["p5"], (), others)
    # Hidden in the main panorama, and one of the others is not of the graph.
    hidden = episodes[3].legs[1].goal
    assert hidden == Point(direction(0.125, 0.51, YAWS["p8"]), "p8", YAWS["p8"])


def test_main_panorama_off_the_route_is_noted(sample_data: Path, tmp_path: Path) -> None:
    path = tmp_path / "elsewhere.jsonl"
    path.write_text(lines([touchdown_line(1, ["p0", "p1"], main_pano="p2")]))
    dataset = read("touchdown-complete", path, sample_data)
    assert len(list(dataset)) == 1
    assert [note.episode for note in dataset.notes] == ["1"]


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 360, exclude_max=True))
@example(0.9999999999999999, 0.0, 180.37342349789472)
@settings(deadline=None)
def test_ratio_round_trip(x: float, y: float, yaw: float) -> None:
    back = ratio_of(direction(x, y, yaw), yaw)
    difference = abs(back[0] - x) % 1  # the picture's two edges are one
    assert min(difference, 1 - difference) < 1e-9
    assert back[1] == pytest.approx(y, abs=1e-9)


@pytest.mark.parametrize(
    ("kind", "changes", "message"),
    [
        ("touchdown", {"route_panoids": ["p0", "nowhere"]}, r"route_panoids\[1\].*nowhere"),
        ("touchdown", {"route_panoids": ["p0", "p5"]}, r"route_panoids\[1\].*link from p0"),
        ("touchdown", {"route_panoids": []}, "route_panoids: expected a list that is not empty"),
        ("touchdown", {"route_panoids": ["p0", 5]}, r"route_panoids\[1\]: expected a text"),
        ("touchdown", {"route_id": "1"}, "route_id: expected a whole number"),
        ("touchdown", {"route_id": True}, "route_id: expected a whole number"),
        ("touchdown", {"start_heading": "0.0"}, "start_heading: expected a number"),
        ("touchdown", {"navigation_text": " "}, "navigation_text: expected a text that is not empty"),
        ("sdr", {"main_static_center": click(-1, 0.5)}, "main_static_center.x: expected a number from 0 to 1"),
        ("sdr", {"main_static_center": click(0.5, 1.5)}, "main_static_center.y: expected a number from 0 to 1"),
        ("sdr", {"main_static_center": '{"x": 0.5}'}, "main_static_center.y: expected a field y"),
        ("sdr", {"main_static_center": '{"x": NaN, "y": 1}'}, "main_static_center: expected a finite number"),
        ("sdr", {"main_static_center": "here"}, "main_static_center: expected JSON"),
        ("sdr", {"main_static_center": 0.5}, "main_static_center: expected an object"),
        ("sdr", {"main_pano": "nowhere"}, "main_pano: expected a panorama of the graph"),
        ("touchdown-complete", {"main_pano": "nowhere"}, "main_pano: expected a panorama of the graph"),
        ("touchdown-complete", {"td_location_text": None}, "td_location_text: expected a text"),
    ],
)
def test_invalid_lines(sample_data: Path, tmp_path: Path, kind: str, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=rf"changed\.jsonl:1, field {message}"):
        open_line(sample_data, tmp_path, kind, **changes)


def test_repeated_route_ids(sample_data: Path, tmp_path: Path) -> None:
    path = tmp_path / "twice.jsonl"
    path.write_text(lines([touchdown_line(1, ["p0", "p1"]), touchdown_line(1, ["p0", "p4"])]))
    for kind in ("touchdown", "sdr", "touchdown-complete"):
        with pytest.raises(InputError, match=r"twice\.jsonl:2: expected each id once"):
            list(read(kind, path, sample_data))


def test_writing_some_panoramas_of_a_route(sample_data: Path, tmp_path: Path) -> None:
    """Panoramas that were not written are not read back."""
    mains = [episode for episode in load("sdr/made", sample_data) if episode.id.endswith("/main")]
    write("sdr", mains, tmp_path / "mains.jsonl")
    back = list(read("sdr/made", tmp_path / "mains.jsonl", sample_data))
    assert [episode.id for episode in back] == [episode.id for episode in mains]
    assert [episode.legs for episode in back] == [episode.legs for episode in mains]


def test_changed_direction_round_trip(sample_data: Path, tmp_path: Path) -> None:
    episode = load("sdr/made", sample_data)[0]
    goal = episode.legs[0].goal
    assert isinstance(goal, Point)
    leg = replace(episode.legs[0], goal=replace(goal, direction=Direction(200, 12)))
    changed = replace(episode, legs=(leg,))
    write("sdr", [changed], tmp_path / "changed.jsonl")
    (back,) = read("sdr/made", tmp_path / "changed.jsonl", sample_data)
    back_goal = back.legs[0].goal
    assert isinstance(back_goal, Point)
    assert back_goal.direction.heading == pytest.approx(200) and back_goal.direction.pitch == pytest.approx(12)
    assert back.start == changed.start


def test_new_episodes_round_trip(sample_data: Path, tmp_path: Path) -> None:
    """Episodes without the raw fields of a file can be written."""
    walk, point = load("touchdown/made", sample_data)[0], load("sdr/made", sample_data)[0]
    both = load("touchdown-complete/made", sample_data)[0]
    for kind, episode in (("touchdown", walk), ("sdr", point), ("touchdown-complete", both)):
        write(kind, [replace(episode, extra={})], tmp_path / "new.jsonl")
        (back,) = read(f"{kind}/made", tmp_path / "new.jsonl", sample_data)
        assert (back.id, back.world, back.start) == (episode.id, episode.world, episode.start)
        for leg, other in zip(back.legs, episode.legs, strict=True):
            assert leg.text == other.text
            if isinstance(leg.goal, Point) and isinstance(other.goal, Point):
                assert leg.goal.direction.heading == pytest.approx(other.goal.direction.heading)
                assert leg.goal.direction.pitch == pytest.approx(other.goal.direction.pitch)
            else:
                assert leg.goal == other.goal


@pytest.mark.parametrize(
    "kind", ["touchdown", "sdr", "touchdown-complete", "map2seq", "refer360", "arramon", "r2r", "r4r"]
)
def test_unsupported_episodes(sample_data: Path, tmp_path: Path, kind: str) -> None:
    other = load("arramon/made" if kind != "arramon" else "touchdown/made", sample_data)
    path = tmp_path / "other"
    with pytest.raises(InputError):
        write(kind, other, path)
    assert not path.exists()


def test_invalid_ids(sample_data: Path, tmp_path: Path) -> None:
    episode = load("touchdown/made", sample_data)[0]
    for name in ("seven", "07", "7.0", "²", "1" * 5000):
        with pytest.raises(InputError, match="whole number"):
            write("touchdown", [replace(episode, id=name)], tmp_path / "ids")
    with pytest.raises(InputError, match="consecutive episodes"):
        points = load("sdr/made", sample_data)
        write("sdr", [points[0], points[4], points[1]], tmp_path / "ids")
    with pytest.raises(InputError, match="one text"):
        leg = replace(points[1].legs[0], text="Another.")
        write("sdr", [points[0], replace(points[1], legs=(leg,))], tmp_path / "ids")
