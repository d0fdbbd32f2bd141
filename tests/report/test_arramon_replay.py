"""ArraMon in reports and films: what is shown is what was played."""

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
from bearleft.envs.arramon.pictures import ArraMonEyes, stand_in_city, stand_in_room
from bearleft.envs.legs import begin, gathering_of
from bearleft.errors import InputError
from bearleft.evaluate.play import take
from bearleft.records import Assemble, Collect, Episode, LegTrace, Trace, to_line
from bearleft.report.arramon_pictures import TaskEyes
from bearleft.report.arramon_replay import Played, played
from bearleft.report.film.arramon import task_script
from bearleft.report.film.film import Filming, write_film
from bearleft.report.film.shots import Pace
from bearleft.report.html.data import head, rows
from bearleft.report.html.groups import charts, groupings, marks_of, phenomena_of
from bearleft.report.html.groups import played as played_in
from bearleft.report.html.loading import gather
from bearleft.report.html.pictures import Sights, View
from bearleft.report.html.strips import task_stops
from bearleft.world.arramon.room import WALLS
from bearleft.world.arramon.task_setup import RoomItem, TaskSetup
from bearleft.world.pictures import lens_of

DATASET, WORLD = "city/arramon/small", "sections/0"
# One who picks up nothing, places what is given for that, walks on, and never places again.
ACTIONS = (
    ["left", "forward", "forward", "right"],
    ["right", "right", "place", "right", "forward", "place"],
    ["right", "right", "forward", "pick"],
    ["left"],
)


@pytest.fixture(scope="module")
def episode() -> Episode:
    """One whose targets lie far from its starts."""
    return max(load(DATASET), key=lambda one: min(len(leg.goal.path) for leg in one.legs[::2]))  # type: ignore[union-attr]


def walked(episode: Episode) -> tuple[Trace, list[list[tuple[Any, float]]], list[tuple[int, int]]]:
    """The trace of ACTIONS, the states of its games, and how much lay and stood around as each began."""
    gathering, start, states, counts, legs = gathering_of(episode), episode.start, [], [], []
    assert gathering is not None
    for leg, actions in zip(episode.legs, ACTIONS, strict=True):
        game = begin(leg, start, episode, np.random.default_rng(0), gathering=gathering)
        assert isinstance(game, CollectGame | AssembleGame)
        game.horizon = len(actions) if actions[-1] not in ("pick", "place") else 99
        counts.append((len(gathering.lying), len(gathering.standing)))
        seen = [_where(game)]
        for action in actions:
            take(game, action)
            if not game.done or action not in ("pick", "place"):
                seen.append(_where(game))
        assert game.done
        states.append(seen)
        legs.append(game.trace())
        start = game.end
    return Trace(episode.id, DATASET, "me", tuple(legs)), states, counts


def _where(game: CollectGame | AssembleGame) -> tuple[Any, float]:
    return (game.spot if isinstance(game, AssembleGame) else game.position[:2]), game.heading


def test_a_trace_played_again_is_what_was_played(episode: Episode) -> None:
    trace, states, counts = walked(episode)
    assert trace.legs[0].answer is None and trace.legs[1].actions[2] == "refused"
    again = list(played(episode, trace))
    assert [one.states for one in again] == states
    assert [(len(one.lying), len(one.standing)) for one in again] == counts
    lying, standing = (len(part) for part in (TaskSetup.of(episode).lying, TaskSetup.of(episode).standing))
    assert counts == [(lying, standing), (lying - 1, standing), (lying - 1, standing + 1), (lying - 2, standing + 1)]
    first, second = again[0].took, again[2].took
    assert first is not None and second is not None and again[1].carried == first.item
    assert first not in again[2].lying and again[3].carried == second.item
    assert again[2].standing[-1] == RoomItem(first.item, trace.legs[1].answer)  # type: ignore[arg-type]
    assert again[3].cell == trace.legs[3].answer


def test_a_path_that_nobody_says_how_it_was_walked_is_shown_too(episode: Episode) -> None:
    goal = episode.legs[0].goal
    assert isinstance(goal, Collect)
    other = next(one for one in TaskSetup.of(episode).lying if one.item != goal.item)
    cells = ((2, 1, 0), (3, 1, 0), (3, 1, 1))
    legs = (LegTrace((), goal.path[:3], (), other.item), LegTrace((), cells, (), (3, 1, 2)))
    walk, room = played(episode, Trace(episode.id, DATASET, "me", legs))
    assert walk.took is not None and walk.took.item == room.carried == other.item
    places = [spot for k, (spot, _) in enumerate(walk.states) if not k or spot != walk.states[k - 1][0]]
    assert places == [step[:2] for step in goal.path[:3]]
    assert [heading for _, heading in room.states] == [0.0, 90.0, 90.0, 0.0, 0.0]
    assert list(played(load("town/dev")[0], Trace("x", "town/dev", "me", (LegTrace(),)))) == []


def test_eyes_see_what_lies_and_stands_around(episode: Episode) -> None:
    trace, _, _ = walked(episode)
    legs = list(played(episode, trace))
    eyes, lens = TaskEyes(WORLD), lens_of("view", (48, 32), 90.0)
    names = [eyes.add(legs[0], 0), eyes.add(legs[1], 1), eyes.add(legs[2], 3)]
    seen = eyes.views([eyes.number(name) for name in names], 0.0, size=(48, 32))
    (spot, heading), (last, then) = legs[0].states[0], legs[2].states[3]
    alone = ArraMonEyes(WORLD)
    for picture, stands in zip(
        seen,
        (
            stand_in_city(spot, heading, legs[0].lying),
            stand_in_room((2, 1, 0), 30.0, legs[1].standing),
            stand_in_city(last, then, legs[2].lying),
        ),
        strict=True,
    ):
        assert (picture == alone.look(stands, lens).rgb[0]).all()
    assert eyes.add(legs[0], 0) == names[0] and len(eyes.moments) == 3 and eyes.sharp(2).number(names[2]) == 2
    with pytest.raises(InputError, match="panorama"):
        eyes.panoramas([0])


def test_strips_begin_and_end_with_the_leg() -> None:
    states = [((float(k), 0.0), 90.0) for k in range(30)]
    walk = Played(0, False, states, (), ())
    assert [task_stops(walk)[k].step for k in (0, -1)] == [0, 29] and len(task_stops(walk)) > 3
    assert [stop.step for stop in task_stops(replace(walk, inside=True))][::2] == [0, 29]
    assert task_stops(replace(walk, states=[])) == []


def test_strips_of_collecting_are_short_and_show_the_largest_turns() -> None:
    turns = (60.0, 90.0, 60.0, 180.0, 60.0, 120.0, 60.0)
    states, heading = [((0.0, 0.0), 0.0)], 0.0
    for k, by in enumerate(turns, 1):
        states.append(((float(k), 0.0), heading))
        heading += by
        states.append(((float(k), 0.0), heading % 360.0))
    states.append(((9.0, 0.0), heading % 360.0))
    seen = task_stops(Played(0, False, states, (), ()))
    assert [stop.step for stop in seen] == [0, 3, 7, 11, len(states) - 1]


def test_the_page_is_given_what_was_played(tmp_path: Path, episode: Episode) -> None:
    trace, states, _ = walked(episode)
    (tmp_path / "me.jsonl").write_text(to_line(trace) + "\n")
    gathered = gather([tmp_path / "me.jsonl"])
    keys = played_in(gathered)
    marks = {key: marks_of(gathered.datasets[key[0]].episodes[key[1]]) for key in keys}
    phenomena = phenomena_of(marks)
    groups = groupings(gathered, marks, phenomena)
    top = head(gathered, charts(gathered, groups), phenomena, "title", [])
    sights = Sights([b""], {}, {(0, 1): [View(0, 0, "start")]})
    below = json.loads(json.dumps(rows(gathered, groups, marks, phenomena, {WORLD: None}, sights)))
    assert [wall[0] for wall in top["room"]["walls"]] == list(WALLS)
    (example,), (places,) = below["examples"], below["places"]
    setting = TaskSetup.of(episode)
    assert [(one[0], places["x"][one[4]], places["y"][one[4]]) for one in example["things"]] == [
        (one.item, round(one.at[0], 2), round(one.at[1], 2)) for one in setting.lying
    ]
    assert [(one[0], one[4] % 5, one[5], one[4] // 5) for one in example["decoys"]] == [
        (one.item, *one.cell) for one in setting.standing
    ]
    legs = example["traces"][0]["legs"]
    for k in (0, 2):
        at = [(places["x"][place], places["y"][place]) for place in legs[k]["at"]]
        assert at == [(round(spot[0], 2), round(spot[1], 2)) for spot, _ in states[k]]
        assert legs[k]["to"] == [round(heading) % 360 for _, heading in states[k]]
    assert [(cell % 5, cell // 5) for cell in legs[1]["cells"]] == [spot for spot, _ in states[1]]
    took = setting.lying[legs[0]["took"]].item
    assert [legs[k]["tried"] for k in (0, 2)] == [trace.legs[k].actions[-1] == "pick" for k in (0, 2)]
    assert legs[0]["item"] is None and legs[1]["carried"][0] == took and legs[1]["own"] and not legs[3]["own"]
    assert [leg.get("cell") for leg in legs][1::2] == [list(done.answer) for done in trace.legs[1::2]]  # type: ignore[arg-type]
    goal = episode.legs[1].goal
    assert isinstance(goal, Assemble) and example["legs"][1]["cell"] == list(goal.cell)
    assert legs[1]["strip"] == [[0, 0, "start"]] and "imperative" in phenomena
    # Each turn has its own value, of which the example's is the mean.
    values = example["traces"][0]["values"]
    turns = {group["metric"]: group for group in top["groups"] if group["by"] == "turn"}
    assert {top["metrics"][m]["name"] for m in turns} >= {"nDTW", "CTC-3", "PTC"}
    for m, group in turns.items():
        assert group["names"] == ["turn 1", "turn 2"] and [cell[5] for cell in group["cells"]] == [1, 1]
        assert np.mean([cell[2] for cell in group["cells"]]) == pytest.approx(values[m], abs=1e-4)


def test_a_film_has_a_picture_of_every_state_and_says_how_legs_ended(tmp_path: Path, episode: Episode) -> None:
    trace, states, _ = walked(episode)
    shots = task_script(episode, trace, Pace(2, 0.5))
    assert [shot.state for shot in shots if shot.leg == 0] == [0, 1, 2, 3, 4, 4]
    ends = [shot for shot in shots if shot.verdict]
    assert [shot.leg for shot in ends] == [0, 1, 2, 3] and "nothing picked up" in ends[0].verdict
    assert [shot.good for shot in ends] == [False] * 4
    assert [shot.spot for shot in ends] == [pytest.approx(leg[-1][0]) for leg in states]
    (tmp_path / "me.jsonl").write_text(to_line(trace) + "\n")
    quick = Filming(size=320, fps=2, seconds=0.5)
    row = write_film(tmp_path / "me.jsonl", None, tmp_path / "film.gif", quick).rows[0]
    assert row["frames"] == sum(len(leg) + 1 for leg in states) and row["parts"] == "sentences"
    with Image.open(tmp_path / "film.gif") as film:
        assert film.n_frames == row["frames"]  # type: ignore[attr-defined]
    # Encoding is what an MP4 waits for: as usual each of the many steps is one picture.
    usual = task_script(episode, trace, Filming().pace(".mp4", tasks=True))
    assert [shot.state for shot in usual if shot.leg == 0] == [0, 1, 2, 3, 4, 4]
    assert len(usual) < len(task_script(episode, trace, Filming().pace(".mp4")))
    assert Filming(fps=12.0).pace(".mp4", tasks=True) == Filming().pace(".mp4")
    with pytest.raises(InputError, match="field city: expected a world of places"):
        write_film(tmp_path / "me.jsonl", None, tmp_path / "no.gif", replace(quick, city=3))


def test_who_follows_the_reference_is_right_in_every_leg(episode: Episode) -> None:
    legs = [
        LegTrace(goal.actions, goal.path, (), goal.item if isinstance(goal, Collect) else goal.cell)
        for goal in (leg.goal for leg in episode.legs)
        if isinstance(goal, Collect | Assemble)
    ]
    trace = Trace(episode.id, DATASET, "gold", tuple(legs))
    ends = [shot for shot in task_script(episode, trace, Pace(2, 0.5)) if shot.verdict]
    assert all(shot.good for shot in ends) and [shot.verdict for shot in ends][1::2] == ["placed right"] * 2
    wrong = replace(legs[0], answer=None, path=legs[0].path[:2], actions=())
    ends = [
        shot for shot in task_script(episode, replace(trace, legs=(wrong, *legs[1:])), Pace(2, 0.5)) if shot.verdict
    ]
    assert ends[1].verdict == "placed right, but its object was not collected" and not ends[1].good and ends[3].good
