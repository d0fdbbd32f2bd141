"""ArraMon's tasks played by agents and scored, in total and by turn."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bearleft import cli
from bearleft.agents.oracles import Gold
from bearleft.agents.registry import make_agent
from bearleft.data import load, write
from bearleft.data.dataset import Dataset
from bearleft.envs.game import Action, Observation
from bearleft.envs.legs import RELEASED_OPTIONS, EnvOptions
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.play import play
from bearleft.evaluation.score import score
from bearleft.records import Assemble, Collect, Episode, to_json_line
from tests.envs.arramon.example_tasks import BOOK, CELLS, MUG, ROOMS, TWIN, WALKS, task

TASK = task()
METRIC_NAMES = ("nDTW", "CTC-0", "CTC-3", "CTC-5", "CTC-7", "PTC", "rPOD")


class FixedActions:
    """An agent with fixed actions for each leg; it repeats the last one."""

    def __init__(self, *legs: tuple[str, ...]) -> None:
        self.legs = legs

    def begin(self, episode: Episode, rng: object) -> None:
        self.observations: list[Observation] = []

    def act(self, observation: Observation) -> Action:
        self.observations.append(observation)
        leg, step = int(observation["leg"]), int(observation["step"])
        return self.legs[leg][min(step, len(self.legs[leg]) - 1)]


@pytest.fixture(scope="module")
def task_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a file of three tasks with all fields, and one with only the fields of released files."""
    path = tmp_path_factory.mktemp("tasks") / "mine.jsonl"
    write("jsonl", [task("1"), task("2"), task("3"), task("4", from_release=True)], path)
    return str(path)


def play_and_score(
    path: Path, dataset: str, agents: list[Any], convention: str = "paper", **options: Any
) -> dict[tuple[str, ...], float]:
    """Let each agent play one of the first tasks, and score the traces."""
    lines = []
    for episode, agent in zip(load(dataset), agents, strict=False):
        legs = play(agent, episode)
        lines.append(json.dumps({**trace_fields(dataset, episode.id), "legs": [leg.to_json() for leg in legs]}) + "\n")
    path.write_text("".join(lines))
    rows = score(path, convention=convention, resamples=5, **options).rows
    return {(row["metric"], row.get("turn", "")): row["value"] for row in rows}


def trace_fields(dataset: str, episode: str) -> dict[str, Any]:
    return {
        "format": 1,
        "episode": episode,
        "dataset": dataset,
        "agent": "said",
        "seed": 0,
        "sha256": "",
        "version": "",
    }


@pytest.mark.parametrize("name", ["gold", "shortest"])
def test_oracles_score_perfectly(task_file: str, tmp_path: Path, name: str) -> None:
    evaluate(name, task_file, tmp_path / "o.jsonl")
    for convention in ("paper", "strict"):
        rows = score(tmp_path / "o.jsonl", convention=convention, resamples=5).rows
        values = {row["metric"]: row["value"] for row in rows}
        assert all(value == 1.0 for metric, value in values.items() if name == "gold" or metric != "nDTW"), values
        assert values["nDTW"] > 0.5 and set(values) == set(METRIC_NAMES)


def test_shortest_paths_start_at_the_current_position(task_file: str) -> None:
    """They are no longer than the references, and the second begins where the first ended."""
    legs = play(make_agent("shortest", task_file), TASK)
    assert [leg.answer for leg in legs] == [BOOK, CELLS[0], MUG, CELLS[1]]
    assert legs[2].path[0] == legs[0].path[-1]
    for leg, reference in zip(legs, (WALKS[0], ROOMS[0], WALKS[1], ROOMS[1]), strict=True):
        assert leg.actions.count("forward") <= reference.count("forward")


def test_random_agent_draws_lengths_of_the_dataset(task_file: str) -> None:
    traces = [trace for seed in range(12) for trace in evaluate("random", task_file, seed=seed)]
    lengths = {len(trace.legs[k].actions) for trace in traces for k in (0, 2)}
    assert lengths == {len(walk) for walk in WALKS}
    assert {trace.legs[k].actions[-1] for trace in traces for k in (0, 2)} == {"pick"}
    assembling = [trace.legs[k].actions for trace in traces for k in (1, 3)]
    assert all(actions[-1] == "place" or len(actions) == 60 for actions in assembling)
    assert "refused" not in {action for actions in assembling for action in actions}
    assert min(len(actions) for actions in assembling) >= min(len(room) for room in ROOMS)
    assert (
        evaluate("random", task_file, seed=3)
        == evaluate("random", task_file, seed=3)
        != evaluate("random", task_file, seed=4)
    )


def test_stop_agent_picks_and_places_immediately(task_file: str) -> None:
    for trace in evaluate("stop", task_file):
        assert [leg.actions for leg in trace.legs] == [("pick",), ("place",)] * 2
    assert play(make_agent("stop", task_file), TASK)[0].answer is None


@pytest.mark.parametrize("name", ["frequent", "uniform", "center"])
def test_agents_that_cannot_collect_are_refused(task_file: str, name: str) -> None:
    with pytest.raises(InputError, match=f"a leg that the agent {name} can play, got one of kind collect"):
        evaluate(name, task_file, limit=1)


def test_refused_placing_counts_as_an_action() -> None:
    player = FixedActions(WALKS[0], ("left", "place", "right", "place"), ("pick",), ("left", "place"))
    legs = play(player, TASK)
    assert legs[1].actions == ("left", "refused", "right", "place") and legs[1].answer == (2, 1, 1)
    # An item that the agent keeps placing diagonally is put at its feet when the time is up.
    assert legs[3].actions == ("left", *["refused"] * 59) and legs[3].answer == (2, 1, 0)
    with pytest.raises(InputError, match="episode 1: expected an action: forward, left, right or pick"):
        play(FixedActions(("place",)), TASK)


def test_placed_and_collected_items_persist_to_the_next_turn() -> None:
    """A wrong item that was placed stays in the room in the second turn, and is gone from the city."""
    actions = (("right",) * 6 + ("forward",) * 4 + ("pick",), ROOMS[0], ("pick",), ("place",))
    player = FixedActions(*actions)
    legs = play(player, TASK)
    assert legs[0].answer == TWIN and legs[1].answer == (2, 2, 2)
    third_leg = next(observation for observation in player.observations if observation["leg"] == 2)
    assert third_leg["position"] == pytest.approx(legs[0].path[-1], abs=1e-3)
    assert third_leg["heading"] == pytest.approx(legs[0].looks[0].heading)
    assert {row[0] for row in third_leg["city_items"]} == {BOOK, MUG} and third_leg["turn_number"] == 2
    last_leg = next(observation for observation in player.observations if observation["leg"] == 3)
    assert [TWIN, [2, 2, 2]] in last_leg["room_items"] and last_leg["cell"] == [2, 1, 0] and last_leg["heading"] == 0
    assert last_leg["carried"] == BOOK  # picked up for the player


NEAR_WALK = ("forward",) * 4 + (
    "right",
    "forward",
    "right",
    "right",
    "right",
    "pick",
)  # near the item, facing away from it


@pytest.mark.parametrize(
    ("walk", "room", "paper", "strict"),
    [
        (WALKS[0], ROOMS[0], 1.0, 1.0),
        (NEAR_WALK, ROOMS[0], 1.0, 0.0),  # picked up for the player
        (WALKS[0], ("forward", "left"), 0.0, 0.0),  # put at the feet of a player who faces diagonally
        (WALKS[0], ("forward",), 0.0, 0.0),  # put down for the player, on the right cell
        (("pick",), ROOMS[0], 0.0, 0.0),
    ],
)
def test_paper_convention_relaxes_only_the_pick_up(
    task_file: str, tmp_path: Path, walk: tuple[str, ...], room: tuple[str, ...], paper: float, strict: float
) -> None:
    """`paper` and `released` accept an end near the item; no convention counts an item put down for the player."""
    for convention, right in (("paper", paper), ("strict", strict), ("released", paper)):
        agents = [FixedActions(walk, room, WALKS[1], ROOMS[1])]
        values = play_and_score(tmp_path / "s.jsonl", task_file, agents, convention, turns=True)
        assert values["PTC", "1"] == values["rPOD", "1"] == right, convention
        assert values["CTC-0", "1"] == (walk == WALKS[0])


class NeverPlaces(Gold):
    """An agent that follows the reference to the target cell and waits there until the time limit."""

    def act(self, observation: Observation) -> Action:
        if observation["kind"] == "assemble" and self.plans[observation["leg"]] == ["place"]:
            # Turn away and back, so that it faces the target cell when the time is up.
            return ("left", "right")[(observation["horizon"] - observation["step"]) % 2]
        return super().act(observation)


@pytest.mark.parametrize("convention", ["paper", "strict", "released"])
def test_item_never_placed_scores_0(task_file: str, tmp_path: Path, convention: str) -> None:
    """As in section E.1 of the paper; traces hold the actions, so older files are scored the same."""
    values = play_and_score(tmp_path / "n.jsonl", task_file, [NeverPlaces()] * 4, convention)
    assert values["CTC-3", ""] == values["CTC-0", ""] == 1 and values["PTC", ""] == values["rPOD", ""] == 0
    legs = json.loads((tmp_path / "n.jsonl").read_text().splitlines()[0])["legs"]
    assert [leg["actions"][-1] == "place" for leg in legs[1::2]] == [False, False]
    assert legs[3]["answer"] == {"cell": list(CELLS[1])}  # the item does lie there


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", ["arramon/val_unseen", "city/arramon/small"])
def test_item_never_placed_scores_0_on_full_datasets(request: pytest.FixtureRequest, name: str, tmp_path: Path) -> None:
    data = request.getfixturevalue("real_data") if name.startswith("arramon") else None
    if data is not None and not (data / f"{name}.json").exists():
        pytest.skip("needs ArraMon's val_unseen.json")
    evaluate(NeverPlaces(), name, tmp_path / "n.jsonl", data=data, limit=60)
    for convention in ("paper", "strict", "released"):
        rows = score(tmp_path / "n.jsonl", data=data, convention=convention, resamples=5).rows
        values = {row["metric"]: row["value"] for row in rows}
        assert values["CTC-0"] == 1 and values["PTC"] == values["rPOD"] == 0


def test_another_item_of_the_same_name_does_not_count(tmp_path: Path) -> None:
    setting = dict(TASK.extra["setting"])
    setting["lying"] = [*setting["lying"][:2], [BOOK, *setting["lying"][2][1:]]]
    write("jsonl", [replace(TASK, extra={"setting": setting})], tmp_path / "twin.jsonl")
    player = FixedActions(("right",) * 6 + ("forward",) * 4 + ("pick",), ROOMS[0], ("pick",), ("place",))
    for convention in ("paper", "strict"):
        values = play_and_score(tmp_path / "t.jsonl", str(tmp_path / "twin.jsonl"), [player], convention, turns=True)
        assert values["CTC-0", "1"] == values["PTC", "1"] == 0
    assert json.loads((tmp_path / "t.jsonl").read_text())["legs"][0]["answer"] == {"item": BOOK}


def test_scores_by_turn_and_in_total(task_file: str, tmp_path: Path) -> None:
    agents = [
        FixedActions(WALKS[0], ROOMS[0], ("pick",), ("place",)),
        FixedActions(("pick",), ("place",), ("pick",), ("place",)),
    ]
    values = play_and_score(tmp_path / "t.jsonl", task_file, agents, turns=True)
    assert {name for name, _ in values} == set(METRIC_NAMES) and {turn for _, turn in values} == {"1", "2", "total"}
    for name in METRIC_NAMES:
        assert values[name, "total"] == pytest.approx((values[name, "1"] + values[name, "2"]) / 2)
    assert values["CTC-0", "1"] == 0.5 and values["CTC-0", "2"] == 0 and values["PTC", "total"] == 0.25
    rows = score(tmp_path / "t.jsonl", turns=True, metrics=["PTC"], convention="all", resamples=5).rows
    assert [(row["turn"], row["convention"]) for row in rows] == [
        (turn, convention) for convention in ("paper", "strict", "released") for turn in ("1", "2", "total")
    ]
    assert list(rows[0]) == ["turn", "metric", "value", "low", "high", "unit", "n", "convention"]
    assert [row["n"] for row in rows] == [2, 2, 4] * 3
    assert "turn" not in score(tmp_path / "t.jsonl", resamples=5).rows[0]
    evaluate("stop", "town/dev", tmp_path / "town.jsonl", limit=2)
    with pytest.raises(InputError, match="traces of ArraMon's tasks, which have turns"):
        score(tmp_path / "town.jsonl", turns=True)


def test_perfect_navigation_lets_the_agent_act_only_in_the_room(task_file: str, tmp_path: Path) -> None:
    options = EnvOptions(perfect_navigation=True)
    player = FixedActions((), ("place",), (), ("place",))
    legs = play(player, TASK, options=options)
    assert {observation["kind"] for observation in player.observations} == {"assemble"}
    assert legs[0].actions == WALKS[0] and [leg.answer for leg in legs[::2]] == [BOOK, MUG]
    (trace,) = evaluate("stop", task_file, tmp_path / "p.jsonl", options=options, limit=1)
    assert trace.agent == "stop[perfect_navigation=1]"
    values = {row["metric"]: row["value"] for row in score(tmp_path / "p.jsonl", resamples=5).rows}
    assert values["nDTW"] == values["CTC-0"] == values["CTC-3"] == 1 and 0 < values["rPOD"] < 1 and values["PTC"] == 0
    goal = TASK.legs[0].goal
    assert isinstance(goal, Collect)
    broken = replace(TASK, legs=(replace(TASK.legs[0], goal=replace(goal, actions=("pick",))), *TASK.legs[1:]))
    with pytest.raises(InputError, match="episode 1: expected a demonstration that collects the Striped White Book"):
        play(player, broken, options=options)


def test_perfect_navigation_needs_legs_to_collect(tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    with pytest.raises(InputError, match="perfect navigation on a dataset with legs to collect, got town/dev"):
        evaluate("stop", "town/dev", out, options=EnvOptions(perfect_navigation=True), limit=1)
    assert not out.exists()


def test_gold_needs_a_demonstration() -> None:
    goal = TASK.legs[1].goal
    assert isinstance(goal, Assemble)
    without_actions = replace(
        TASK, legs=(TASK.legs[0], replace(TASK.legs[1], goal=replace(goal, actions=())), *TASK.legs[2:])
    )
    with pytest.raises(InputError, match="a leg with the actions of a demonstration"):
        play(Gold(), without_actions)


def test_demonstration_that_does_not_end_its_leg_is_refused() -> None:
    goal = TASK.legs[1].goal
    assert isinstance(goal, Assemble)
    unfinished = replace(goal, actions=("left", "place"))
    legs = (TASK.legs[0], replace(TASK.legs[1], goal=unfinished), *TASK.legs[2:])
    with pytest.raises(InputError, match=r"episode 1, field legs\[1\]: expected a demonstration that ends its leg"):
        play(Gold(), replace(TASK, legs=legs))


def test_eval_and_score_commands(task_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "room.jsonl")
    cli.main(["eval", "stop", task_file, "-o", out, "--perfect-navigation", "--horizon", "30"])
    capsys.readouterr()
    cli.main(["score", out, "--turns", "--metric", "CTC-0", "--resamples", "5", "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert [(row["turn"], row["metric"], row["value"]) for row in rows] == [
        (turn, "CTC-0", 1.0) for turn in ("1", "2", "total")
    ]
    agent = json.loads(Path(out).read_text().splitlines()[0])["agent"]
    assert "perfect_navigation=1" in agent and "collect_horizon=30" in agent and "assemble_horizon=30" in agent


def test_rules_of_the_released_decoder(task_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A failed pick does not end the leg, a leg has 150 actions, and ending within 3 units counts as collected."""
    out = str(tmp_path / "r.jsonl")
    cli.main(["eval", "stop", task_file, "-o", out, "--released-decoder", "--limit", "1"])
    trace = json.loads(Path(out).read_text())
    assert trace["agent"] == "stop[collect_horizon=150,assemble_horizon=150,retry_pick=1]"
    assert trace["legs"][0]["actions"] == ["refused"] * 150 and "answer" not in trace["legs"][0]
    cli.main(["score", out, "--convention", "released", "--resamples", "5", "--json"])
    assert {row["convention"] for row in json.loads(capsys.readouterr().out)} == {"paper", "released"}
    walk = (*NEAR_WALK[:-1], "pick", *("left",) * 3, "pick")
    legs = play(FixedActions(walk, ROOMS[0], WALKS[1], ROOMS[1]), TASK, options=RELEASED_OPTIONS)
    assert legs[0].actions == (*NEAR_WALK[:-1], "refused", *("left",) * 3, "pick") and legs[0].answer == BOOK
    evaluate("gold", task_file, tmp_path / "gold.jsonl", options=RELEASED_OPTIONS)
    rows = score(tmp_path / "gold.jsonl", convention="released", resamples=5).rows
    assert {row["value"] for row in rows} == {1.0}
    with pytest.raises(SystemExit):
        cli.main(["eval", "stop", "town/dev", "-o", str(tmp_path / "t.jsonl"), "--released-decoder"])
    assert "expected retry_pick on a dataset with legs to collect, got town/dev" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("leg", "change", "message"),
    [
        (0, {"path": []}, r"legs\[0\].path: expected a path of at least one position"),
        (0, {"path": ["p1"]}, r"legs\[0\].path: expected a path of at least one position"),
        (0, {"answer": {"cell": [1, 1, 1]}}, r"legs\[0\].answer: expected an item"),
        (1, {"answer": {"item": "Mug"}}, r"legs\[1\].answer: expected a cell"),
        (1, {"answer": {"cell": [1, 1]}}, r"legs\[1\].answer.cell: expected a list of 3"),
    ],
)
def test_broken_traces_are_named(
    task_file: str, tmp_path: Path, leg: int, change: dict[str, Any], message: str
) -> None:
    (trace,) = evaluate("stop", task_file, limit=1)
    row = json.loads(to_json_line(trace))
    row["legs"][leg] |= change
    (tmp_path / "broken.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(InputError, match=message):
        score(tmp_path / "broken.jsonl")


def test_traces_without_actions_are_scored_by_their_answers(task_file: str, tmp_path: Path) -> None:
    """Traces of other programs may have no actions; their cells count as placed by the player."""
    (trace,) = evaluate("gold", task_file, limit=1)
    row = json.loads(to_json_line(trace))
    for leg in row["legs"]:
        leg["actions"] = []
    (tmp_path / "bare.jsonl").write_text(json.dumps(row) + "\n")
    values = {row["metric"]: row["value"] for row in score(tmp_path / "bare.jsonl", convention="strict").rows}
    assert set(values.values()) == {1.0}


@pytest.mark.slow
def test_gold_is_perfect_on_real_tasks(released: tuple[Dataset, list[Episode]], tmp_path: Path) -> None:
    dataset, episodes = released
    noted = {note.episode for note in dataset.notes}
    (tmp_path / "arramon").mkdir()
    chosen = [episode for k, episode in enumerate(episodes) if k < 40 or episode.id in noted]
    write("arramon", chosen, tmp_path / "arramon" / "val_unseen.json")
    evaluate("gold", "arramon/val_unseen", tmp_path / "gold.jsonl", data=tmp_path)
    scores = score(tmp_path / "gold.jsonl", data=tmp_path, convention="all", resamples=5)
    checked = [row for row in scores.rows if row["metric"] in ("nDTW", "CTC-0", "PTC", "rPOD")]
    rows = [row for row in checked if row["convention"] != "released" or row["metric"] == "CTC-0"]
    assert len(rows) == 8 and all(row["value"] == row["high"] == 1.0 for row in rows)
    # Two recorded paths end 3 units or more from the item, which the released program does not count.
    beyond = [1 - row["value"] for row in checked if row not in rows]
    assert beyond == pytest.approx([2 / (2 * len(chosen))] * 2)
    notes = " ".join(scores.notes)
    assert "17 noted, the walk ends with its target out of reach: 64959 turn 1, " in notes
    assert "7 noted, the walk only turns, so its heading cannot be inferred: 57315 turn 2, " in notes
    assert len(chosen) >= 60
