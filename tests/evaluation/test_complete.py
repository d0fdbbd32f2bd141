"""Touchdown's complete task: stop at the goal, or at a panorama that also shows the target, and point at it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

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

FOUND_METRICS = ("Found@40px", "Found@80px", "Found@120px")


class StopsAt:
    """An agent that walks to one of the panoramas in which the target is annotated, and points at it there."""

    label = "stops-at"

    def __init__(self, data: Any, view: str, heading_error: float = 0.0) -> None:
        self.data, self.view, self.heading_error = data, view, heading_error

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
        return Direction(self.target.direction.heading + self.heading_error, self.target.direction.pitch)


def values_and_counts(scores: Scores) -> dict[str, tuple[float, int]]:
    return {row["metric"]: (row["value"], row["n"]) for row in scores.rows}


def test_target_is_found_from_every_annotated_panorama(sample_data: Path, tmp_path: Path) -> None:
    ids_by_view = {"main": ("7", "8", "9"), "pre": ("7", "9", "11"), "post": ("7", "8", "9")}
    for view, ids in ids_by_view.items():
        traces = evaluate(StopsAt(sample_data, view), "touchdown-complete/made", data=sample_data)
        file = tmp_path / f"{view}.jsonl"
        file.write_text("".join(to_json_line(trace) + "\n" for trace in traces if trace.episode in ids))
        metrics = values_and_counts(score(file, data=sample_data))
        assert {metric: metrics[metric] for metric in FOUND_METRICS} == {
            metric: (100.0, len(ids)) for metric in FOUND_METRICS
        }


def test_direction_of_another_panorama_is_a_miss(sample_data: Path, tmp_path: Path) -> None:
    """The direction that is right in the goal panorama is wrong one step before it."""
    traces = evaluate(StopsAt(sample_data, "pre"), "touchdown-complete/made", data=sample_data)
    goals = {episode.id: episode.legs[1].goal for episode in load("touchdown-complete/made", sample_data)}
    changed = []
    for trace in traces[:1]:
        goal = goals[trace.episode]
        assert isinstance(goal, Point)
        changed.append(replace(trace, legs=(trace.legs[0], replace(trace.legs[1], answer=goal.direction))))
    file = tmp_path / "moved.jsonl"
    file.write_text("".join(to_json_line(trace) + "\n" for trace in changed))
    assert values_and_counts(score(file, data=sample_data))["Found@120px"] == (0.0, 1)


def test_radius_is_strict_and_measured_in_the_panorama_of_the_agent(sample_data: Path, tmp_path: Path) -> None:
    accuracies = {}
    for heading_error in (5.0, 10.0):  # 51.6 and 103.1 pixels
        file = tmp_path / f"{heading_error}.jsonl"
        evaluate(StopsAt(sample_data, "pre", heading_error), "touchdown-complete/made", file, data=sample_data, limit=1)
        accuracies[heading_error] = [
            values_and_counts(score(file, data=sample_data))[metric][0] for metric in FOUND_METRICS
        ]
    assert accuracies == {5.0: [0.0, 100.0, 100.0], 10.0: [0.0, 0.0, 100.0]}


def test_stopping_elsewhere_counts_as_a_miss(sample_data: Path, tmp_path: Path) -> None:
    class Lost(StopsAt):
        def begin(self, episode: Episode, rng: np.random.Generator) -> None:
            super().begin(episode, rng)
            self.plan = ["stop"]

    file = tmp_path / "lost.jsonl"
    evaluate(Lost(sample_data, "main"), "touchdown-complete/made", file, data=sample_data)
    scores = score(file, data=sample_data)
    # Routes 9 and 11 begin one panorama before the goal, where the target is annotated; the answer to 9 is wrong.
    assert values_and_counts(scores)["Found@120px"] == (25.0, 4)
    assert any("2 points" in note and "no annotated target" in note for note in scores.notes)


def test_episodes_with_a_hidden_target_keep_only_the_navigation(tmp_path: Path) -> None:
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
    assert values_and_counts(scores)["TC"] == (100.0, 2) and values_and_counts(scores)["Found@40px"] == (100.0, 1)
    assert any(
        "1 noted, the target is not visible in any panorama" in note and note.endswith(": 2") for note in scores.notes
    )
    cell_values = values_and_counts(score(file, data=data, convention="cells"))
    assert cell_values["Found@40px"] == (100.0, 1)
    write("touchdown-complete", episodes, tmp_path / "back.jsonl")
    assert list(read("touchdown-complete/hidden", tmp_path / "back.jsonl", data)) == episodes


def test_observation_holds_the_yaw_of_the_current_panorama(sample_data: Path) -> None:
    """The yaw of the goal panorama would tell the agent something about the goal."""
    episode = load("touchdown-complete/made", sample_data)[0]
    leg = episode.legs[1]
    assert isinstance(leg.goal, Point) and leg.goal.place == "p5"
    for place, yaw in YAWS.items():
        game = make_game(leg, Pose(Direction(0), place), episode, np.random.default_rng(0), sample_data)
        assert game.observe()["yaw"] == yaw


@pytest.mark.slow
def test_real_annotations_before_the_goal_are_found(real_data: Path, tmp_path: Path) -> None:
    """An agent that stops at `pre_pano` and points at the annotation there finds every target."""
    name = "touchdown-complete/unseen_dev"
    annotated = [
        episode
        for episode in load(name, real_data)
        if isinstance(goal := episode.legs[-1].goal, Point) and goal.seen_from(episode.extra["pre_pano"]) is not None
    ]
    assert len(annotated) == 720
    agent = StopsAt(real_data, "pre")
    traces = [Trace(chosen.id, name, agent.label, play(agent, chosen, data=real_data)) for chosen in annotated[::24]]
    file = tmp_path / "pre.jsonl"
    file.write_text("".join(to_json_line(trace) + "\n" for trace in traces))
    metrics = values_and_counts(score(file, data=real_data))
    assert {metric: metrics[metric] for metric in FOUND_METRICS} == dict.fromkeys(FOUND_METRICS, (100.0, 30))
