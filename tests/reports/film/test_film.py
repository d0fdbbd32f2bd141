"""Films of traces: frames, highlighted text, outcomes and errors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from bearleft.cli import cli, main
from bearleft.data import load
from bearleft.envs.reach import actions_along
from bearleft.errors import InputError
from bearleft.geometry import angle_between
from bearleft.records import Collect, Direction, Episode, LegTrace, Point, Reach, Trace, to_json_line
from bearleft.reports.film import film as module
from bearleft.reports.film.film import FilmConfig, episode_shots, write_film
from bearleft.reports.film.frame import TARGET_COLOUR, SceneLayout
from bearleft.reports.film.layout import HIGHLIGHT
from bearleft.reports.film.shots import Pace, walk_states
from bearleft.world.album.write import AlbumConfig, write_album
from bearleft.world.graphs.graph import Graph
from bearleft.world.worlds import open_world

FAST_CONFIG = FilmConfig(size=320, fps=2, seconds=0.5, samples=1)
REACH_DATASET, LOOK_DATASET = "city/touchdown/small", "city/refer360/small"


def episode_and_trace(number: int = 9, places: Sequence[str] | None = None) -> tuple[Episode, Trace]:
    """Return an episode and a trace along its route, or along other places."""
    episode = load(REACH_DATASET)[number]
    goal = episode.legs[0].goal
    assert isinstance(goal, Reach)
    route = tuple(places or goal.route)
    graph = open_world(episode.world)
    actions = tuple(actions_along(graph, episode.start, route))
    path, position = [route[0]], 0
    for action in actions[:-1]:
        position += action not in ("left", "right")
        path.append(route[position])
    return episode, Trace(episode.id, REACH_DATASET, "gold", (LegTrace(actions, tuple(path)),))


def write_traces(folder: Path, *traces: Trace) -> Path:
    file = folder / "traces.jsonl"
    file.write_text("".join(to_json_line(trace) + "\n" for trace in traces))
    return file


def pixels(file: Path, number: int) -> Any:
    with Image.open(file) as film:
        film.seek(number % getattr(film, "n_frames", 1))
        return np.asarray(film.convert("RGB")).astype(int)


def count_colour(picture: Any, colour: tuple[int, int, int]) -> int:
    return int((np.abs(picture - colour).sum(axis=2) < 20).sum())


@pytest.mark.slow
def test_film_of_a_walk_is_reproducible(tmp_path: Path) -> None:
    episode, trace = episode_and_trace()
    file = write_traces(tmp_path, trace)
    rows = [write_film(file, episode.id, tmp_path / name, FAST_CONFIG).rows[0] for name in ("one.gif", "two.gif")]
    assert (tmp_path / "one.gif").read_bytes() == (tmp_path / "two.gif").read_bytes()
    row = rows[0]
    assert row["outcome"] == "stopped at the goal" and row["parts"] == "clauses"
    with Image.open(tmp_path / "one.gif") as film:
        frames: int = film.n_frames  # type: ignore[attr-defined]
        assert (frames, film.size) == (row["frames"], (row["width"], row["height"]))
        duration = 0.0
        for k in range(row["frames"]):
            film.seek(k)
            duration += film.info["duration"] / 1000
    assert duration == pytest.approx(row["film_seconds"], abs=0.01 * row["frames"])
    first, last = pixels(tmp_path / "one.gif", 0), pixels(tmp_path / "one.gif", -1)
    assert count_colour(first, HIGHLIGHT) > 300 and count_colour(last, HIGHLIGHT) > 300
    assert np.abs(first - last).sum() > 10**5
    assert not list(tmp_path.glob(".*"))


def test_clauses_are_highlighted_in_order_and_stop_off_the_route() -> None:
    episode, trace = episode_and_trace()
    graph = open_world(episode.world)
    shots, kind = episode_shots(episode, trace.legs, graph, Pace(2, 0.5), True)
    span_starts = [shot.highlighted[0] for shot in shots]
    text = episode.legs[0].text
    assert kind == "clauses" and span_starts == sorted(span_starts) and span_starts[0] == 0
    assert {text[:begin].rstrip()[-1:] for begin in span_starts} <= {"", ".", ","} | set("abcdefghijklmnopqrstuvwxyz")
    assert shots[-1].highlighted[1] == len(text)
    neighbours = [graph.ids[graph.target[k]] for k in graph.links(graph.place_index(str(episode.start.place)))]
    goal = episode.legs[0].goal
    assert isinstance(goal, Reach)
    other = next(place for place in neighbours if place != goal.route[1])
    episode, trace = episode_and_trace(places=(goal.route[0], other))
    shots, kind = episode_shots(episode, trace.legs, graph, Pace(2, 0.5), True)
    assert kind == "clauses" and "m from the goal" in shots[-1].outcome and not shots[-1].success
    assert {shot.highlighted[0] for shot in shots[-2:]} <= set(span_starts[:4])


def test_poses_are_interpolated_with_the_shorter_turn() -> None:
    episode, trace = episode_and_trace(2)
    graph = open_world(episode.world)
    shots, _ = episode_shots(episode, trace.legs, graph, Pace(10, 0.5), True)
    positions = np.array([shot.position(graph) for shot in shots])
    assert np.hypot(*np.diff(positions, axis=0)[:, :2].T).max() < 6.0
    rotations = [abs(Direction(b.look.heading - a.look.heading + 180).heading - 180) for a, b in pairwise(shots)]
    assert max(rotations) < 60
    uninterpolated, _ = episode_shots(episode, trace.legs, graph, Pace(10, 0.5), False)
    assert all(shot.share == 1.0 for shot in uninterpolated) and len(uninterpolated) < len(shots)


def test_path_without_actions_is_filmed() -> None:
    episode, _ = episode_and_trace()
    graph = open_world(episode.world)
    goal = episode.legs[0].goal
    assert isinstance(goal, Reach)
    states = walk_states(episode.legs[0], LegTrace((), goal.route), episode.start, graph)
    assert [place for k, (place, _) in enumerate(states) if not k or place != states[k - 1][0]] == list(goal.route)
    shots, _ = episode_shots(episode, (LegTrace((), goal.route),), graph, Pace(2, 0.5), True)
    assert shots[-1].success and shots[-1].walked == len(goal.route)


@pytest.mark.slow
def test_film_of_pointing_ends_with_target_ring_and_error(tmp_path: Path) -> None:
    episode = next(episode for episode in load(LOOK_DATASET) if episode.world.startswith("rooms/"))
    goal = episode.legs[0].goal
    assert isinstance(goal, Point)
    answer = Direction(goal.direction.heading + 20, goal.direction.pitch)
    leg_trace = LegTrace(("look",) * len(goal.views), (), (*goal.views[:-1], answer), answer)
    file = write_traces(tmp_path, Trace(episode.id, LOOK_DATASET, "me", (leg_trace,)))
    row = write_film(file, episode.id, tmp_path / "film.gif", FAST_CONFIG).rows[0]
    error = angle_between(answer, goal.direction)
    assert row["outcome"] == f"{error:.1f} degrees from the target"
    assert (
        count_colour(pixels(tmp_path / "film.gif", -1), TARGET_COLOUR)
        > 30
        > count_colour(pixels(tmp_path / "film.gif", 0), TARGET_COLOUR)
    )
    shots, _ = episode_shots(episode, (leg_trace,), None, Pace(2, 0.5), True)
    highlighted = [episode.legs[0].text[slice(*shot.highlighted)].strip() for shot in shots]
    assert [text for k, text in enumerate(highlighted) if not k or highlighted[k - 1] != text] == list(
        episode.legs[0].sentences
    )
    shots, _ = episode_shots(episode, (replace(leg_trace, answer=None),), None, Pace(2, 0.5), True)
    assert shots[-1].outcome == "no answer"


def test_film_uses_an_album_or_only_the_map(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    episode, trace = episode_and_trace()
    file = write_traces(tmp_path, trace)
    goal = episode.legs[0].goal
    assert isinstance(goal, Reach)
    (tmp_path / "ids").write_text("\n".join(goal.route))
    config = AlbumConfig((128, 64), ("rgb",), samples=1)
    write_album(tmp_path / "album", episode.world, config, places=str(tmp_path / "ids"))
    result = write_film(file, episode.id, tmp_path / "a.gif", replace(FAST_CONFIG, pictures=tmp_path / "album"))
    assert result.rows[0]["outcome"] == "stopped at the goal" and not result.remarks
    # A real world without pictures.
    graph = open_world(episode.world)
    foreign = replace(episode, world="touchdown")
    monkeypatch.setattr(module, "find_episode", lambda *_: foreign)
    monkeypatch.setattr(module, "open_world", lambda *_: graph)
    map_only = write_film(file, episode.id, tmp_path / "map.gif", FAST_CONFIG)
    assert "no pictures of touchdown" in map_only.remarks[0] and "--pictures" in map_only.remarks[0]
    assert map_only.rows[0]["parts"] == "sentences" and count_colour(pixels(tmp_path / "map.gif", -1), HIGHLIGHT) > 300


@pytest.mark.slow
def test_mp4_has_the_expected_duration(tmp_path: Path) -> None:
    import cv2

    episode, trace = episode_and_trace(2)
    row = write_film(write_traces(tmp_path, trace), episode.id, tmp_path / "film.mp4", FAST_CONFIG).rows[0]
    film = cv2.VideoCapture(str(tmp_path / "film.mp4"))
    assert film.isOpened()
    size = film.get(cv2.CAP_PROP_FRAME_WIDTH), film.get(cv2.CAP_PROP_FRAME_HEIGHT)
    assert size == (row["width"], row["height"])
    assert film.get(cv2.CAP_PROP_FRAME_COUNT) == pytest.approx(2 * row["film_seconds"], abs=2)
    film.release()


@pytest.mark.slow
def test_long_and_unusual_texts_fit() -> None:
    episode, trace = episode_and_trace()
    text = "<b>\U0001f43b</b>\n\x00" + "walk " * 3000 + "w" * 5000
    leg = replace(episode.legs[0], text=text)
    graph: Graph = open_world(episode.world)
    layout = SceneLayout(replace(episode, legs=(leg,)), trace.legs, "x" * 500, 320, graph, None, None)
    shots, _ = episode_shots(layout.episode, trace.legs, graph, Pace(2, 0.5), False)
    picture = np.asarray(layout.frame(shots[-1])).astype(int)
    assert picture.shape[0] < 400 and count_colour(picture, HIGHLIGHT) > 300


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--id", "nobody"), 'a trace of episode "nobody"'),
        (("--agent", "nobody"), 'by "nobody"'),
        (("-o", "film.avi"), ".gif or .mp4"),
        (("--fps", "0"), "1 to 60 frames"),
        (("--seconds-per-step", "0"), "seconds per step"),
        (("--size", "10"), "320 to 1920"),
        (("--city", "4"), "field city: expected the seed of"),
        (("--city", "-1"), "--city"),
    ],
)
def test_input_errors_exit_with_code_2(
    options: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, trace = episode_and_trace()
    with pytest.raises(SystemExit) as caught:
        main(["render", "episode", str(write_traces(tmp_path, trace)), "-o", str(tmp_path / "a.gif"), *options])
    assert caught.value.code == 2 and message in capsys.readouterr().err
    assert not list(tmp_path.glob("*.gif"))


def test_invalid_traces_are_rejected(tmp_path: Path) -> None:
    _, trace = episode_and_trace()
    out = tmp_path / "film.gif"
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    with pytest.raises(InputError, match="empty"):
        write_film(empty, None, out, FAST_CONFIG)
    with pytest.raises(InputError, match="nothing there"):
        write_film(tmp_path / "none.jsonl", None, out, FAST_CONFIG)
    for bad, message in (
        (replace(trace, legs=(LegTrace(),)), "at least one place"),
        (replace(trace, legs=()), "at least one leg"),
        (replace(trace, legs=(LegTrace((), ("nowhere",)),)), "places of city/3/4x5"),
        (replace(trace, episode="nowhere"), "an episode of"),
    ):
        with pytest.raises(InputError, match=message):
            write_film(write_traces(tmp_path, bad), None, out, FAST_CONFIG)
    assert not out.exists()


def test_command_prints_one_json_array(tmp_path: Path) -> None:
    episode, trace = episode_and_trace()
    out = str(tmp_path / "film.gif")
    options = ["render", "episode", str(write_traces(tmp_path, trace)), "--id", episode.id, "-o", out]
    result = CliRunner().invoke(cli, [*options, "--size", "320", "--fps", "1", "--seconds-per-step", "0.3", "--json"])
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.stdout)
    assert row["file"] == out and row["bytes"] == Path(out).stat().st_size
    assert "TRACES.jsonl" in CliRunner().invoke(cli, ["render", "episode", "--help"]).output


def test_unsupported_legs_are_reported() -> None:
    episode, trace = episode_and_trace()
    collect_leg = replace(episode.legs[0], goal=Collect(((0.0, 0.0, 0.0),), "a hat", (1.0, 0.0, 0.0)))
    with pytest.raises(InputError, match="got collect"):
        episode_shots(replace(episode, legs=(collect_leg,)), trace.legs, open_world(episode.world), Pace(2, 0.5), True)


def test_film_of_the_complete_task_points_at_the_end_of_the_walk() -> None:
    """The panorama is that of the final place, and its target the one annotated there, if any."""
    episode = load("city/touchdown-complete/small")[0]
    reach, goal = (leg.goal for leg in episode.legs)
    assert isinstance(reach, Reach) and isinstance(goal, Point)
    graph, places = open_world(episode.world), list(reach.route)
    earlier = next(propagated for propagated in goal.propagated if propagated.place in places)
    assert earlier.place is not None
    for end, target in ((earlier.place, earlier.direction), (places[-1], goal.direction), (places[0], None)):
        route = places[: places.index(end) + 1]
        walk_trace = LegTrace(tuple(actions_along(graph, episode.start, route)), tuple(route))
        legs = walk_trace, LegTrace(("point",), (end,), (), Direction(10.0))
        shots, _ = episode_shots(episode, legs, graph, Pace(4, 0.5), False)
        assert shots[-1].place == end and shots[-1].target == target


def test_predictions_are_filmed_with_their_dataset(tmp_path: Path) -> None:
    episode, trace = episode_and_trace()
    file = tmp_path / "theirs.json"
    goal = episode.legs[0].goal
    assert isinstance(goal, Reach)
    file.write_text(json.dumps({episode.id: list(goal.route)}))
    with pytest.raises(InputError, match="--dataset"):
        write_film(file, episode.id, tmp_path / "film.gif", FAST_CONFIG)
    config = replace(FAST_CONFIG, dataset=REACH_DATASET)
    (row,) = write_film(file, episode.id, tmp_path / "film.gif", config).rows
    assert (row["agent"], row["outcome"], row["dataset"]) == ("theirs", "stopped at the goal", REACH_DATASET)
    with pytest.raises(InputError, match="traces of town/dev"):
        write_film(write_traces(tmp_path, trace), None, None, replace(FAST_CONFIG, dataset="town/dev"))
