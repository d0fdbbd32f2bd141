"""Reports and films of ArraMon show the states that were played."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from bearleft.data import load
from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.collect import CollectGame
from bearleft.envs.arramon.pictures import ArraMonPictures, city_viewpoint, room_viewpoint
from bearleft.envs.legs import initial_task_state, make_game
from bearleft.errors import InputError
from bearleft.evaluation.play import step_game
from bearleft.records import Assemble, Collect, Episode, LegTrace, Trace, to_json_line
from bearleft.reports.arramon_pictures import TaskPictures
from bearleft.reports.arramon_replay import ReplayedLeg, replay
from bearleft.reports.film.arramon import task_shots
from bearleft.reports.film.film import FilmConfig, write_film
from bearleft.reports.film.shots import Pace
from bearleft.reports.html.data import examples_data, summary_data
from bearleft.reports.html.groups import (
    frequent_phenomena,
    group_episodes,
    make_charts,
    phenomenon_spans,
    played_episodes,
)
from bearleft.reports.html.loading import load_report_data
from bearleft.reports.html.pictures import ReportPictures, StripView
from bearleft.reports.html.strips import choose_task_stops
from bearleft.world.arramon.room import WALLS
from bearleft.world.arramon.task_setup import RoomItem, TaskSetup
from bearleft.world.pictures import make_lens

DATASET, WORLD = "city/arramon/small", "sections/0"
# A player that picks up nothing, places the item given instead, walks on, and never places again.
ACTIONS = (
    ["left", "forward", "forward", "right"],
    ["right", "right", "place", "right", "forward", "place"],
    ["right", "right", "forward", "pick"],
    ["left"],
)


@pytest.fixture(scope="module")
def episode() -> Episode:
    """Return an episode whose targets lie far from its starts."""

    def shortest_path(episode: Episode) -> int:
        return min(len(leg.goal.path) for leg in episode.legs[::2])  # type: ignore[union-attr]

    return max(load(DATASET), key=shortest_path)


def play_actions(episode: Episode) -> tuple[Trace, list[list[tuple[Any, float]]], list[tuple[int, int]]]:
    """Play ACTIONS; return the trace, the states, and the counts of city and room items at the start of each leg."""
    task_state, start, states, counts, legs = initial_task_state(episode), episode.start, [], [], []
    assert task_state is not None
    for leg, actions in zip(episode.legs, ACTIONS, strict=True):
        game = make_game(leg, start, episode, np.random.default_rng(0), task_state=task_state)
        assert isinstance(game, CollectGame | AssembleGame)
        game.horizon = len(actions) if actions[-1] not in ("pick", "place") else 99
        counts.append((len(task_state.city_items), len(task_state.room_items)))
        views = [_pose(game)]
        for action in actions:
            step_game(game, action)
            if not game.done or action not in ("pick", "place"):
                views.append(_pose(game))
        assert game.done
        states.append(views)
        legs.append(game.trace())
        start = game.end
    return Trace(episode.id, DATASET, "me", tuple(legs)), states, counts


def _pose(game: CollectGame | AssembleGame) -> tuple[Any, float]:
    return (game.floor_cell if isinstance(game, AssembleGame) else game.position[:2]), game.heading


def test_replay_equals_the_played_states(episode: Episode) -> None:
    trace, states, counts = play_actions(episode)
    assert trace.legs[0].answer is None and trace.legs[1].actions[2] == "refused"
    replayed = list(replay(episode, trace))
    assert [leg.states for leg in replayed] == states
    assert [(len(leg.city_items), len(leg.room_items)) for leg in replayed] == counts
    city_items, room_items = (
        len(part) for part in (TaskSetup.from_episode(episode).city_items, TaskSetup.from_episode(episode).room_items)
    )
    assert counts == [
        (city_items, room_items),
        (city_items - 1, room_items),
        (city_items - 1, room_items + 1),
        (city_items - 2, room_items + 1),
    ]
    first, second = replayed[0].picked_item, replayed[2].picked_item
    assert first is not None and second is not None and replayed[1].carried == first.item
    assert first not in replayed[2].city_items and replayed[3].carried == second.item
    assert replayed[2].room_items[-1] == RoomItem(first.item, trace.legs[1].answer)  # type: ignore[arg-type]
    assert replayed[3].cell == trace.legs[3].answer


def test_path_without_actions_is_replayed(episode: Episode) -> None:
    goal = episode.legs[0].goal
    assert isinstance(goal, Collect)
    other = next(city_item for city_item in TaskSetup.from_episode(episode).city_items if city_item.item != goal.item)
    cells = ((2, 1, 0), (3, 1, 0), (3, 1, 1))
    legs = (LegTrace((), goal.path[:3], (), other.item), LegTrace((), cells, (), (3, 1, 2)))
    walk, room = replay(episode, Trace(episode.id, DATASET, "me", legs))
    assert walk.picked_item is not None and walk.picked_item.item == room.carried == other.item
    places = [spot for k, (spot, _) in enumerate(walk.states) if not k or spot != walk.states[k - 1][0]]
    assert places == [step[:2] for step in goal.path[:3]]
    assert [heading for _, heading in room.states] == [0.0, 90.0, 90.0, 0.0, 0.0]
    assert list(replay(load("town/dev")[0], Trace("x", "town/dev", "me", (LegTrace(),)))) == []


def test_pictures_show_city_and_room_items(episode: Episode) -> None:
    trace, _, _ = play_actions(episode)
    legs = list(replay(episode, trace))
    task_pictures, lens = TaskPictures(WORLD), make_lens("view", (48, 32), 90.0)
    names = [task_pictures.add(legs[0], 0), task_pictures.add(legs[1], 1), task_pictures.add(legs[2], 3)]
    views = task_pictures.views([task_pictures.place_index(name) for name in names], 0.0, size=(48, 32))
    (spot, heading), (last, last_heading) = legs[0].states[0], legs[2].states[3]
    pictures = ArraMonPictures(WORLD)
    for picture, viewpoint in zip(
        views,
        (
            city_viewpoint(spot, heading, legs[0].city_items),
            room_viewpoint((2, 1, 0), 30.0, legs[1].room_items),
            city_viewpoint(last, last_heading, legs[2].city_items),
        ),
        strict=True,
    ):
        assert (picture == pictures.render(viewpoint, lens).rgb[0]).all()
    assert (
        task_pictures.add(legs[0], 0) == names[0]
        and len(task_pictures.moments) == 3
        and task_pictures.with_samples(2).place_index(names[2]) == 2
    )
    with pytest.raises(InputError, match="panorama"):
        task_pictures.panoramas([0])


def test_film_strips_begin_and_end_with_the_leg() -> None:
    states = [((float(k), 0.0), 90.0) for k in range(30)]
    walk = ReplayedLeg(0, False, states, (), ())
    assert [choose_task_stops(walk)[k].step for k in (0, -1)] == [0, 29] and len(choose_task_stops(walk)) > 3
    assert [stop.step for stop in choose_task_stops(replace(walk, inside=True))][::2] == [0, 29]
    assert choose_task_stops(replace(walk, states=[])) == []


def test_film_strips_of_collecting_show_the_largest_turns() -> None:
    turns = (60.0, 90.0, 60.0, 180.0, 60.0, 120.0, 60.0)
    states, heading = [((0.0, 0.0), 0.0)], 0.0
    for k, turn_degrees in enumerate(turns, 1):
        states.append(((float(k), 0.0), heading))
        heading += turn_degrees
        states.append(((float(k), 0.0), heading % 360.0))
    states.append(((9.0, 0.0), heading % 360.0))
    views = choose_task_stops(ReplayedLeg(0, False, states, (), ()))
    assert [stop.step for stop in views] == [0, 3, 7, 11, len(states) - 1]


def test_report_data_equals_the_played_states(tmp_path: Path, episode: Episode) -> None:
    trace, states, _ = play_actions(episode)
    (tmp_path / "me.jsonl").write_text(to_json_line(trace) + "\n")
    report_data = load_report_data([tmp_path / "me.jsonl"])
    keys = played_episodes(report_data)
    spans_by_episode = {key: phenomenon_spans(report_data.datasets[key[0]].episodes[key[1]]) for key in keys}
    phenomena = frequent_phenomena(spans_by_episode)
    groups = group_episodes(report_data, spans_by_episode, phenomena)
    summary = summary_data(report_data, make_charts(report_data, groups), phenomena, "title", [])
    report_pictures = ReportPictures([b""], {}, {(0, 1): [StripView(0, 0, "start")]})
    examples = json.loads(
        json.dumps(examples_data(report_data, groups, spans_by_episode, phenomena, {WORLD: None}, report_pictures))
    )
    assert [wall[0] for wall in summary["room"]["walls"]] == list(WALLS)
    (example,), (places,) = examples["examples"], examples["places"]
    setup = TaskSetup.from_episode(episode)
    assert [(item[0], places["x"][item[4]], places["y"][item[4]]) for item in example["items"]] == [
        (city_item.item, round(city_item.at[0], 2), round(city_item.at[1], 2)) for city_item in setup.city_items
    ]
    assert [(item[0], item[4] % 5, item[5], item[4] // 5) for item in example["room_items"]] == [
        (item.item, *item.cell) for item in setup.room_items
    ]
    legs = example["traces"][0]["legs"]
    for k in (0, 2):
        positions = [(places["x"][place], places["y"][place]) for place in legs[k]["places"]]
        assert positions == [(round(spot[0], 2), round(spot[1], 2)) for spot, _ in states[k]]
        assert legs[k]["headings"] == [round(heading) % 360 for _, heading in states[k]]
    assert [(cell % 5, cell // 5) for cell in legs[1]["cells"]] == [spot for spot, _ in states[1]]
    picked = setup.city_items[legs[0]["picked"]].item
    assert [legs[k]["tried_to_pick"] for k in (0, 2)] == [trace.legs[k].actions[-1] == "pick" for k in (0, 2)]
    assert legs[0]["item"] is None and legs[1]["carried"][0] == picked and legs[1]["placed"] and not legs[3]["placed"]
    cells = [list(result.answer) for result in trace.legs[1::2]]  # type: ignore[arg-type]
    assert [leg.get("cell") for leg in legs][1::2] == cells
    goal = episode.legs[1].goal
    assert isinstance(goal, Assemble) and example["legs"][1]["cell"] == list(goal.cell)
    assert legs[1]["strip"] == [[0, 0, "start"]] and "imperative" in phenomena
    # Each turn has its own value, of which the example's is the mean.
    values = example["traces"][0]["values"]
    turns = {group["metric"]: group for group in summary["groups"] if group["by"] == "turn"}
    assert {summary["metrics"][m]["name"] for m in turns} >= {"nDTW", "CTC-3", "PTC"}
    for m, group in turns.items():
        assert group["names"] == ["turn 1", "turn 2"] and [cell[5] for cell in group["cells"]] == [1, 1]
        assert np.mean([cell[2] for cell in group["cells"]]) == pytest.approx(values[m], abs=1e-4)


def test_film_shows_every_state_and_outcome(tmp_path: Path, episode: Episode) -> None:
    trace, states, _ = play_actions(episode)
    shots = task_shots(episode, trace, Pace(2, 0.5))
    assert [shot.state for shot in shots if shot.leg == 0] == [0, 1, 2, 3, 4, 4]
    ends = [shot for shot in shots if shot.outcome]
    assert [shot.leg for shot in ends] == [0, 1, 2, 3] and "nothing picked up" in ends[0].outcome
    assert [shot.success for shot in ends] == [False] * 4
    assert [shot.xy for shot in ends] == [pytest.approx(leg[-1][0]) for leg in states]
    (tmp_path / "me.jsonl").write_text(to_json_line(trace) + "\n")
    config = FilmConfig(size=320, fps=2, seconds=0.5)
    row = write_film(tmp_path / "me.jsonl", None, tmp_path / "film.gif", config).rows[0]
    assert row["frames"] == sum(len(leg) + 1 for leg in states) and row["parts"] == "sentences"
    with Image.open(tmp_path / "film.gif") as film:
        assert film.n_frames == row["frames"]  # type: ignore[attr-defined]
    # Encoding an MP4 is slow, so by default each step is one frame.
    default_shots = task_shots(episode, trace, FilmConfig().pace(".mp4", tasks=True))
    assert [shot.state for shot in default_shots if shot.leg == 0] == [0, 1, 2, 3, 4, 4]
    assert len(default_shots) < len(task_shots(episode, trace, FilmConfig().pace(".mp4")))
    assert FilmConfig(fps=12.0).pace(".mp4", tasks=True) == FilmConfig().pace(".mp4")
    with pytest.raises(InputError, match="field city: expected a world of places"):
        write_film(tmp_path / "me.jsonl", None, tmp_path / "no.gif", replace(config, city=3))


def test_reference_succeeds_in_every_leg(episode: Episode) -> None:
    legs = [
        LegTrace(goal.actions, goal.path, (), goal.item if isinstance(goal, Collect) else goal.cell)
        for goal in (leg.goal for leg in episode.legs)
        if isinstance(goal, Collect | Assemble)
    ]
    trace = Trace(episode.id, DATASET, "gold", tuple(legs))
    ends = [shot for shot in task_shots(episode, trace, Pace(2, 0.5)) if shot.outcome]
    assert all(shot.success for shot in ends) and [shot.outcome for shot in ends][1::2] == ["placed right"] * 2
    failed_leg = replace(legs[0], answer=None, path=legs[0].path[:2], actions=())
    ends = [
        shot for shot in task_shots(episode, replace(trace, legs=(failed_leg, *legs[1:])), Pace(2, 0.5)) if shot.outcome
    ]
    assert (
        ends[1].outcome == "placed right, but its object was not collected" and not ends[1].success and ends[3].success
    )
