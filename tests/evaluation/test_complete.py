"""Touchdown's complete task: walk to the goal or to a panorama the target was propagated to, and point there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.data import load, open_dataset, read, write
from bearleft.envs.game import Action, Observation
from bearleft.envs.legs import make_game
from bearleft.envs.reach import actions_along
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.play import play
from bearleft.evaluation.score import Scores, score
from bearleft.records import Direction, Episode, Point, Pose, Trace, to_json_line
from bearleft.world.graphs.shortest_paths import shortest_route
from bearleft.world.worlds import open_world
from tests.data.sample_files import YAWS, click, lines, make, touchdown_line

FOUND = ("Found@40px", "Found@80px", "Found@120px")


class StopsAt:
    """Walks to the panorama of one of the target's annotations, and points at the spot annotated there."""

    label = "stops-at"

    def __init__(self, data: Any, view: str, off: float = 0.0) -> None:
        self.data, self.view, self.off = data, view, off

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        goal = episode.legs[-1].goal
        if isinstance(goal, Point):
            annotated = {one.place: one for one in (goal, *goal.propagated)}
            self.target = annotated.get(episode.extra[f"{self.view}_pano"], goal)
        else:
            self.target = Point(Direction(0), episode.extra["main_pano"])
        graph = open_world(episode.world, self.data)
        assert episode.start.place is not None and self.target.place is not None
        route = shortest_route(graph, graph.place_index(episode.start.place), graph.place_index(self.target.place))
        self.plan: list[Action] = list(actions_along(graph, episode.start, route))

    def act(self, observation: Observation) -> Action:
        if observation["kind"] == "reach":
            return self.plan.pop(0)
        return Direction(self.target.direction.heading + self.off, self.target.direction.pitch)


def values(scores: Scores) -> dict[str, tuple[float, int]]:
    return {row["metric"]: (row["value"], row["n"]) for row in scores.rows}


def test_the_target_is_found_from_every_panorama_it_was_propagated_to(sample_data: Path, tmp_path: Path) -> None:
    seen = {"main": ("7", "8", "9"), "pre": ("7", "9", "11"), "post": ("7", "8", "9")}
    for view, ids in seen.items():
        traces = evaluate(StopsAt(sample_data, view), "touchdown-complete/made", data=sample_data)
        file = tmp_path / f"{view}.jsonl"
        file.write_text("".join(to_json_line(trace) + "\n" for trace in traces if trace.episode in ids))
        found = values(score(file, data=sample_data))
        assert {metric: found[metric] for metric in FOUND} == {metric: (100.0, len(ids)) for metric in FOUND}


def test_a_spot_of_another_panorama_is_a_miss(sample_data: Path, tmp_path: Path) -> None:
    """The direction that is right in the goal panorama is wrong a step before it, and the other way round."""
    traces = evaluate(StopsAt(sample_data, "pre"), "touchdown-complete/made", data=sample_data)
    goals = {episode.id: episode.legs[1].goal for episode in load("touchdown-complete/made", sample_data)}
    moved = []
    for trace in traces[:1]:
        goal = goals[trace.episode]
        assert isinstance(goal, Point)
        moved.append(replace(trace, legs=(trace.legs[0], replace(trace.legs[1], answer=goal.direction))))
    file = tmp_path / "moved.jsonl"
    file.write_text("".join(to_json_line(trace) + "\n" for trace in moved))
    assert values(score(file, data=sample_data))["Found@120px"] == (0.0, 1)


def test_radius_is_strict_and_in_the_pixels_of_the_panorama_one_stands_in(sample_data: Path, tmp_path: Path) -> None:
    found = {}
    for off in (5.0, 10.0):  # 51.6 and 103.1 pixels
        file = tmp_path / f"{off}.jsonl"
        evaluate(StopsAt(sample_data, "pre", off), "touchdown-complete/made", file, data=sample_data, limit=1)
        found[off] = [values(score(file, data=sample_data))[metric][0] for metric in FOUND]
    assert found == {5.0: [0.0, 100.0, 100.0], 10.0: [0.0, 0.0, 100.0]}


def test_stopping_elsewhere_is_a_miss_that_is_counted(sample_data: Path, tmp_path: Path) -> None:
    class Lost(StopsAt):
        def begin(self, episode: Episode, rng: np.random.Generator) -> None:
            super().begin(episode, rng)
            self.plan = ["stop"]

    file = tmp_path / "lost.jsonl"
    evaluate(Lost(sample_data, "main"), "touchdown-complete/made", file, data=sample_data)
    scores = score(file, data=sample_data)
    # Routes 9 and 11 begin in the panorama before their goal, where the target is annotated; 9 is pointed at wrongly.
    assert values(scores)["Found@120px"] == (25.0, 4)
    assert any("2 points" in note and "no annotated target" in note for note in scores.notes)


def test_lines_whose_target_is_hidden_stay_navigable_and_are_counted(tmp_path: Path) -> None:
    data = make(tmp_path / "data")
    hidden = {f"{view}_static_center": click(-1, -1) for view in ("pre", "main", "post")}
    path = data / "touchdown" / "hidden.jsonl"
    path.write_text(lines([touchdown_line(1, ["p0", "p1"]), touchdown_line(2, ["p4", "p5"], **hidden)]))
    dataset = open_dataset("touchdown-complete/hidden", data)
    episodes = list(dataset)
    assert [len(episode.legs) for episode in episodes] == [2, 1]
    assert [note.episode for note in dataset.notes] == ["2"] and not dataset.skipped
    file = tmp_path / "gold.jsonl"
    evaluate("gold", "touchdown-complete/hidden", file, data=data)
    scores = score(file, data=data)
    assert values(scores)["TC"] == (100.0, 2) and values(scores)["Found@40px"] == (100.0, 1)
    assert any(
        "1 noted, the target is not visible in any panorama" in note and note.endswith(": 2") for note in scores.notes
    )
    cells = values(score(file, data=data, convention="cells"))
    assert cells["Found@40px"] == (100.0, 1)
    write("touchdown-complete", episodes, tmp_path / "back.jsonl")
    assert list(read("touchdown-complete/hidden", tmp_path / "back.jsonl", data)) == episodes


def test_an_agent_sees_the_yaw_of_the_panorama_it_stands_in(sample_data: Path) -> None:
    """The heading in the middle of the goal's picture says something about the goal."""
    episode = load("touchdown-complete/made", sample_data)[0]
    leg = episode.legs[1]
    assert isinstance(leg.goal, Point) and leg.goal.place == "p5"
    for place, yaw in YAWS.items():
        game = make_game(leg, Pose(Direction(0), place), episode, np.random.default_rng(0), sample_data)
        assert game.observe()["yaw"] == yaw


def test_real_clicks_before_the_goal(real_data: Path, tmp_path: Path) -> None:
    """An agent that stops at `pre_pano` and clicks the spot annotated there has found it in every line that has one."""
    name = "touchdown-complete/unseen_dev"
    seen = [
        episode
        for episode in load(name, real_data)
        if isinstance(goal := episode.legs[-1].goal, Point) and goal.seen_from(episode.extra["pre_pano"]) is not None
    ]
    assert len(seen) == 720
    agent = StopsAt(real_data, "pre")
    traces = [Trace(one.id, name, agent.label, play(agent, one, data=real_data)) for one in seen[:60]]
    file = tmp_path / "pre.jsonl"
    file.write_text("".join(to_json_line(trace) + "\n" for trace in traces))
    found = values(score(file, data=real_data))
    assert {metric: found[metric] for metric in FOUND} == dict.fromkeys(FOUND, (100.0, 60))
