"""ArraMon's tasks played and scored: who plays them, what counts, turn by turn."""

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
NAMES = ("nDTW", "CTC-0", "CTC-3", "CTC-5", "CTC-7", "PTC", "rPOD")


class Says:
    """Takes the actions it was given, leg by leg, and again the last one."""

    def __init__(self, *legs: tuple[str, ...]) -> None:
        self.legs = legs

    def begin(self, episode: Episode, rng: object) -> None:
        self.seen: list[Observation] = []

    def act(self, observation: Observation) -> Action:
        self.seen.append(observation)
        leg, step = int(observation["leg"]), int(observation["step"])
        return self.legs[leg][min(step, len(self.legs[leg]) - 1)]


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file of three tasks in which all is known, and one as released files have it."""
    path = tmp_path_factory.mktemp("tasks") / "mine.jsonl"
    write("jsonl", [task("1"), task("2"), task("3"), task("4", from_release=True)], path)
    return str(path)


def scored(
    path: Path, dataset: str, who: list[Any], convention: str = "paper", **more: Any
) -> dict[tuple[str, ...], float]:
    """What agents did in the first tasks, one each, scored."""
    lines = []
    for episode, player in zip(load(dataset), who, strict=False):
        done = play(player, episode)
        lines.append(json.dumps({**_row(dataset, episode.id), "legs": [leg.to_json() for leg in done]}) + "\n")
    path.write_text("".join(lines))
    rows = score(path, convention=convention, resamples=5, **more).rows
    return {(row["metric"], row.get("turn", "")): row["value"] for row in rows}


def _row(dataset: str, episode: str) -> dict[str, Any]:
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
def test_oracles_do_everything_right(mine: str, tmp_path: Path, name: str) -> None:
    evaluate(name, mine, tmp_path / "o.jsonl")
    for convention in ("paper", "strict"):
        rows = score(tmp_path / "o.jsonl", convention=convention, resamples=5).rows
        found = {row["metric"]: row["value"] for row in rows}
        assert all(value == 1.0 for metric, value in found.items() if name == "gold" or metric != "nDTW"), found
        assert found["nDTW"] > 0.5 and set(found) == set(NAMES)


def test_shortest_ways_begin_where_one_stands(mine: str) -> None:
    """They are no longer than the references, and the second begins where the first ended."""
    done = play(make_agent("shortest", mine), TASK)
    assert [leg.answer for leg in done] == [BOOK, CELLS[0], MUG, CELLS[1]]
    assert done[2].path[0] == done[0].path[-1]
    for leg, reference in zip(done, (WALKS[0], ROOMS[0], WALKS[1], ROOMS[1]), strict=True):
        assert leg.actions.count("forward") <= reference.count("forward")


def test_random_draws_lengths_of_the_dataset_and_ends_by_itself(mine: str) -> None:
    traces = [trace for seed in range(12) for trace in evaluate("random", mine, seed=seed)]
    walked = {len(trace.legs[k].actions) for trace in traces for k in (0, 2)}
    assert walked == {len(walk) for walk in WALKS}
    assert {trace.legs[k].actions[-1] for trace in traces for k in (0, 2)} == {"pick"}
    built = [trace.legs[k].actions for trace in traces for k in (1, 3)]
    assert all(actions[-1] == "place" or len(actions) == 60 for actions in built)
    assert "refused" not in {action for actions in built for action in actions}
    assert min(len(actions) for actions in built) >= min(len(room) for room in ROOMS)
    assert evaluate("random", mine, seed=3) == evaluate("random", mine, seed=3) != evaluate("random", mine, seed=4)


def test_stop_picks_and_places_at_once(mine: str) -> None:
    for trace in evaluate("stop", mine):
        assert [leg.actions for leg in trace.legs] == [("pick",), ("place",)] * 2
    assert play(make_agent("stop", mine), TASK)[0].answer is None


@pytest.mark.parametrize("name", ["frequent", "uniform", "center"])
def test_who_cannot_play_says_so(mine: str, name: str) -> None:
    with pytest.raises(InputError, match=f"a leg that the agent {name} can play, got one of kind collect"):
        evaluate(name, mine, limit=1)


def test_an_agents_illegal_placing_counts_as_an_action() -> None:
    player = Says(WALKS[0], ("left", "place", "right", "place"), ("pick",), ("left", "place"))
    done = play(player, TASK)
    assert done[1].actions == ("left", "refused", "right", "place") and done[1].answer == (2, 1, 1)
    # Who places askew for ever has it put at the feet in the end, and not by himself.
    assert done[3].actions == ("left", *["refused"] * 59) and done[3].answer == (2, 1, 0)
    with pytest.raises(InputError, match="episode 1: expected an action: forward, left, right or pick"):
        play(Says(("place",)), TASK)


def test_what_was_placed_and_taken_stays_so() -> None:
    """The wrong thing is carried and placed; the room is seen with it in the second turn, the city without it."""
    around = (("right",) * 6 + ("forward",) * 4 + ("pick",), ROOMS[0], ("pick",), ("place",))
    player = Says(*around)
    done = play(player, TASK)
    assert done[0].answer == TWIN and done[1].answer == (2, 2, 2)
    third = next(seen for seen in player.seen if seen["leg"] == 2)
    assert third["position"] == pytest.approx(done[0].path[-1], abs=1e-3)
    assert third["heading"] == pytest.approx(done[0].looks[0].heading)
    assert {row[0] for row in third["city_items"]} == {BOOK, MUG} and third["turn_number"] == 2
    last = next(seen for seen in player.seen if seen["leg"] == 3)
    assert [TWIN, [2, 2, 2]] in last["room_items"] and last["cell"] == [2, 1, 0] and last["heading"] == 0
    assert last["carried"] == BOOK  # taken for the player


NEAR = ("forward",) * 4 + ("right", "forward", "right", "right", "right", "pick")  # close by, looking aside


@pytest.mark.parametrize(
    ("walk", "room", "paper", "strict"),
    [
        (WALKS[0], ROOMS[0], 1.0, 1.0),
        (NEAR, ROOMS[0], 1.0, 0.0),  # taken for the player
        (WALKS[0], ("forward", "left"), 0.0, 0.0),  # put down at the feet of one who stands askew
        (WALKS[0], ("forward",), 0.0, 0.0),  # put down for the player, on the right cell
        (("pick",), ROOMS[0], 0.0, 0.0),
    ],
)
def test_only_the_pick_up_is_relaxed_in_the_tables(
    mine: str, tmp_path: Path, walk: tuple[str, ...], room: tuple[str, ...], paper: float, strict: float
) -> None:
    """`paper` and `released` count who ended near the object; nobody counts what was put down for the player."""
    for convention, right in (("paper", paper), ("strict", strict), ("released", paper)):
        who = [Says(walk, room, WALKS[1], ROOMS[1])]
        found = scored(tmp_path / "s.jsonl", mine, who, convention, turns=True)
        assert found["PTC", "1"] == found["rPOD", "1"] == right, convention
        assert found["CTC-0", "1"] == (walk == WALKS[0])


class NeverPlaces(Gold):
    """Navigates as the reference does, walks to the target cell, and waits there for the time limit."""

    def act(self, observation: Observation) -> Action:
        if observation["kind"] == "assemble" and self.plans[observation["leg"]] == ["place"]:
            # Turns away and back, so as to look at the target cell when the time is up.
            return ("left", "right")[(observation["horizon"] - observation["step"]) % 2]
        return super().act(observation)


@pytest.mark.parametrize("convention", ["paper", "strict", "released"])
def test_a_placing_that_never_happened_scores_0(mine: str, tmp_path: Path, convention: str) -> None:
    """Section E.1. Traces of format 1 hold the actions, so those written before are scored alike."""
    found = scored(tmp_path / "n.jsonl", mine, [NeverPlaces()] * 4, convention)
    assert found["CTC-3", ""] == found["CTC-0", ""] == 1 and found["PTC", ""] == found["rPOD", ""] == 0
    legs = json.loads((tmp_path / "n.jsonl").read_text().splitlines()[0])["legs"]
    assert [leg["actions"][-1] == "place" for leg in legs[1::2]] == [False, False]
    assert legs[3]["answer"] == {"cell": list(CELLS[1])}  # it does lie there


@pytest.mark.parametrize("name", ["arramon/val_unseen", "city/arramon/small"])
def test_never_placing_gold_on_whole_datasets(request: pytest.FixtureRequest, name: str, tmp_path: Path) -> None:
    data = request.getfixturevalue("real_data") if name.startswith("arramon") else None
    if data is not None and not (data / f"{name}.json").exists():
        pytest.skip("needs ArraMon's val_unseen.json")
    evaluate(NeverPlaces(), name, tmp_path / "n.jsonl", data=data, limit=60)
    for convention in ("paper", "strict", "released"):
        rows = score(tmp_path / "n.jsonl", data=data, convention=convention, resamples=5).rows
        found = {row["metric"]: row["value"] for row in rows}
        assert found["CTC-0"] == 1 and found["PTC"] == found["rPOD"] == 0


def test_a_twin_of_the_same_name_is_not_what_was_meant(tmp_path: Path) -> None:
    setting = dict(TASK.extra["setting"])
    setting["lying"] = [*setting["lying"][:2], [BOOK, *setting["lying"][2][1:]]]
    write("jsonl", [replace(TASK, extra={"setting": setting})], tmp_path / "twin.jsonl")
    player = Says(("right",) * 6 + ("forward",) * 4 + ("pick",), ROOMS[0], ("pick",), ("place",))
    for convention in ("paper", "strict"):
        found = scored(tmp_path / "t.jsonl", str(tmp_path / "twin.jsonl"), [player], convention, turns=True)
        assert found["CTC-0", "1"] == found["PTC", "1"] == 0
    assert json.loads((tmp_path / "t.jsonl").read_text())["legs"][0]["answer"] == {"item": BOOK}


def test_turns_and_total(mine: str, tmp_path: Path) -> None:
    who = [Says(WALKS[0], ROOMS[0], ("pick",), ("place",)), Says(("pick",), ("place",), ("pick",), ("place",))]
    found = scored(tmp_path / "t.jsonl", mine, who, turns=True)
    assert {name for name, _ in found} == set(NAMES) and {turn for _, turn in found} == {"1", "2", "total"}
    for name in NAMES:
        assert found[name, "total"] == pytest.approx((found[name, "1"] + found[name, "2"]) / 2)
    assert found["CTC-0", "1"] == 0.5 and found["CTC-0", "2"] == 0 and found["PTC", "total"] == 0.25
    rows = score(tmp_path / "t.jsonl", turns=True, metrics=["PTC"], convention="all", resamples=5).rows
    assert [(row["turn"], row["convention"]) for row in rows] == [
        (turn, convention) for convention in ("paper", "strict", "released") for turn in ("1", "2", "total")
    ]
    assert list(rows[0]) == ["turn", "metric", "value", "low", "high", "n", "convention"]
    assert [row["n"] for row in rows] == [2, 2, 4] * 3
    assert "turn" not in score(tmp_path / "t.jsonl", resamples=5).rows[0]
    evaluate("stop", "town/dev", tmp_path / "town.jsonl", limit=2)
    with pytest.raises(InputError, match="traces of ArraMon's tasks, which have turns"):
        score(tmp_path / "town.jsonl", turns=True)


def test_perfect_navigation_asks_in_the_room_only(mine: str, tmp_path: Path) -> None:
    options = EnvOptions(perfect_navigation=True)
    player = Says((), ("place",), (), ("place",))
    done = play(player, TASK, options=options)
    assert {seen["kind"] for seen in player.seen} == {"assemble"}
    assert done[0].actions == WALKS[0] and [leg.answer for leg in done[::2]] == [BOOK, MUG]
    (trace,) = evaluate("stop", mine, tmp_path / "p.jsonl", options=options, limit=1)
    assert trace.agent == "stop[perfect_navigation=1]"
    found = {row["metric"]: row["value"] for row in score(tmp_path / "p.jsonl", resamples=5).rows}
    assert found["nDTW"] == found["CTC-0"] == found["CTC-3"] == 1 and 0 < found["rPOD"] < 1 and found["PTC"] == 0
    goal = TASK.legs[0].goal
    assert isinstance(goal, Collect)
    broken = replace(TASK, legs=(replace(TASK.legs[0], goal=replace(goal, actions=("pick",))), *TASK.legs[1:]))
    with pytest.raises(InputError, match="episode 1: expected a demonstration that collects the Striped White Book"):
        play(player, broken, options=options)


def test_perfect_navigation_wants_legs_to_collect(tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    with pytest.raises(InputError, match="perfect navigation on a dataset with legs to collect, got town/dev"):
        evaluate("stop", "town/dev", out, options=EnvOptions(perfect_navigation=True), limit=1)
    assert not out.exists()


def test_without_a_demonstration_gold_says_so() -> None:
    goal = TASK.legs[1].goal
    assert isinstance(goal, Assemble)
    bare = replace(TASK, legs=(TASK.legs[0], replace(TASK.legs[1], goal=replace(goal, actions=())), *TASK.legs[2:]))
    with pytest.raises(InputError, match="a leg with the actions of a demonstration"):
        play(Gold(), bare)


def test_a_demonstration_that_does_not_end_is_named() -> None:
    goal = TASK.legs[1].goal
    assert isinstance(goal, Assemble)
    askew = replace(goal, actions=("left", "place"))
    legs = (TASK.legs[0], replace(TASK.legs[1], goal=askew), *TASK.legs[2:])
    with pytest.raises(InputError, match=r"episode 1, field legs\[1\]: expected a demonstration that ends its leg"):
        play(Gold(), replace(TASK, legs=legs))


def test_the_command_line(mine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "room.jsonl")
    cli.main(["eval", "stop", mine, "-o", out, "--perfect-navigation", "--horizon", "30"])
    capsys.readouterr()
    cli.main(["score", out, "--turns", "--metric", "CTC-0", "--resamples", "5", "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert [(row["turn"], row["metric"], row["value"]) for row in rows] == [
        (turn, "CTC-0", 1.0) for turn in ("1", "2", "total")
    ]
    agent = json.loads(Path(out).read_text().splitlines()[0])["agent"]
    assert "perfect_navigation=1" in agent and "collect_horizon=30" in agent and "assemble_horizon=30" in agent


def test_the_released_decoders_rules(mine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A failed pick goes on, 150 actions a leg, and who ended within 3 units has collected."""
    out = str(tmp_path / "r.jsonl")
    cli.main(["eval", "stop", mine, "-o", out, "--released-decoder", "--limit", "1"])
    trace = json.loads(Path(out).read_text())
    assert trace["agent"] == "stop[collect_horizon=150,assemble_horizon=150,retry_pick=1]"
    assert trace["legs"][0]["actions"] == ["refused"] * 150 and "answer" not in trace["legs"][0]
    cli.main(["score", out, "--convention", "released", "--resamples", "5", "--json"])
    assert {row["convention"] for row in json.loads(capsys.readouterr().out)} == {"paper", "released"}
    walk = (*NEAR[:-1], "pick", *("left",) * 3, "pick")
    done = play(Says(walk, ROOMS[0], WALKS[1], ROOMS[1]), TASK, options=RELEASED_OPTIONS)
    assert done[0].actions == (*NEAR[:-1], "refused", *("left",) * 3, "pick") and done[0].answer == BOOK
    evaluate("gold", mine, tmp_path / "gold.jsonl", options=RELEASED_OPTIONS)
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
def test_broken_traces_are_named(mine: str, tmp_path: Path, leg: int, change: dict[str, Any], message: str) -> None:
    (trace,) = evaluate("stop", mine, limit=1)
    row = json.loads(to_json_line(trace))
    row["legs"][leg] |= change
    (tmp_path / "broken.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(InputError, match=message):
        score(tmp_path / "broken.jsonl")


def test_traces_without_actions_are_scored_by_their_answers(mine: str, tmp_path: Path) -> None:
    """Other programs may leave none: a cell then is the player's own."""
    (trace,) = evaluate("gold", mine, limit=1)
    row = json.loads(to_json_line(trace))
    for leg in row["legs"]:
        leg["actions"] = []
    (tmp_path / "bare.jsonl").write_text(json.dumps(row) + "\n")
    found = {row["metric"]: row["value"] for row in score(tmp_path / "bare.jsonl", convention="strict").rows}
    assert set(found.values()) == {1.0}


def test_gold_on_the_real_tasks(released: tuple[Dataset, list[Episode]], tmp_path: Path) -> None:
    dataset, episodes = released
    odd = {note.episode for note in dataset.notes}
    (tmp_path / "arramon").mkdir()
    chosen = [one for k, one in enumerate(episodes) if k < 40 or one.id in odd]
    write("arramon", chosen, tmp_path / "arramon" / "val_unseen.json")
    evaluate("gold", "arramon/val_unseen", tmp_path / "gold.jsonl", data=tmp_path)
    scores = score(tmp_path / "gold.jsonl", data=tmp_path, convention="all", resamples=5)
    asked = [row for row in scores.rows if row["metric"] in ("nDTW", "CTC-0", "PTC", "rPOD")]
    rows = [row for row in asked if row["convention"] != "released" or row["metric"] == "CTC-0"]
    assert len(rows) == 8 and all(row["value"] == row["low"] == 1.0 for row in rows)
    # Two recorded walks end 3 units or more from what they pick up, which the released program does not count.
    beyond = [1 - row["value"] for row in asked if row not in rows]
    assert beyond == pytest.approx([2 / (2 * len(chosen))] * 2)
    notes = " ".join(scores.notes)
    assert "17 noted, the walk ends with its target out of reach: 64959 turn 1, " in notes
    assert "7 noted, the walk only turns, so its heading cannot be inferred: 57315 turn 2, " in notes
    assert len(chosen) >= 60
