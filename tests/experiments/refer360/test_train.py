"""Refer360 for models: shortened texts, three levels of answers, tables with intervals, and the whole of it, tiny."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from bearleft.data import load
from bearleft.errors import InputError
from bearleft.experiments.refer360 import train as refer360_models
from bearleft.experiments.refer360.ablation import PARTS
from bearleft.experiments.refer360.levels import KIND, SLICE, THING, VIEW, measures, nearest, slices, views
from bearleft.experiments.refer360.model_tables import (
    ALL,
    Asked,
    aims_table,
    answers_of,
    asked_of,
    differences,
    filled,
    ordered,
    outside,
    report,
    rows,
    shortened,
    table,
)
from bearleft.experiments.refer360.train import Plan, Runs, main, pointed
from bearleft.models.examples import examples, point_leg
from bearleft.records import Direction, Episode
from bearleft.training.looking import Recipe
from bearleft.world.slices import Slicing


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    return [one for one in load("city/refer360/small") if one.world.startswith("rooms/")][:8]


def goals(episodes: list[Episode]) -> list[Direction]:
    return [point_leg(episode)[1].direction for episode in episodes]


def test_shortened_episodes_keep_the_target_and_the_last_sentences(episodes: list[Episode]) -> None:
    for part, count in PARTS.items():
        for one, other in zip(shortened(episodes, count), episodes, strict=True):
            told, all_of = one.legs[0], other.legs[0].sentences
            assert told.sentences == (all_of[-count:] if count else all_of), part
            assert told.text == " ".join(told.sentences)
            assert point_leg(one)[1].direction == point_leg(other)[1].direction
            assert len(point_leg(one)[1].views) == len(told.sentences)
    assert examples(shortened(episodes, 1)).texts[0] == episodes[0].legs[0].sentences[-1]


def test_targets_above_and_below_the_slices_are_counted(episodes: list[Episode]) -> None:
    def moved(pitch: float) -> Episode:
        leg = episodes[0].legs[0]
        goal = replace(point_leg(episodes[0])[1], direction=Direction(10.0, pitch))
        return replace(episodes[0], legs=(replace(leg, goal=goal),))

    assert outside([moved(80.0), moved(0.0), moved(-75.0)]) == 2


def test_gold_answers_are_right_at_every_level(episodes: list[Episode]) -> None:
    found = measures(episodes, goals(episodes))
    for name, values in found.items():
        assert (values == (0.0 if name.startswith("Dist") else 1.0)).all(), name
    behind = [Direction(one.heading + 180.0, one.pitch) for one in goals(episodes)]
    wrong = measures(episodes, behind)
    assert not wrong["Acc@11deg"].any() and not wrong[SLICE].any() and not wrong[VIEW].any()
    assert wrong[THING].mean() < 0.3 and (wrong[KIND] >= wrong[THING]).all()
    real = measures([replace(one, world="refer360") for one in episodes], behind)
    assert THING not in real and (real[SLICE] == wrong[SLICE]).all()


def test_the_nearest_thing_is_the_one_that_is_pointed_at(episodes: list[Episode]) -> None:
    told = [one.extra["target"] for one in episodes]
    found = nearest(episodes, goals(episodes))
    shell = [one["class"] in ("wall", "floor", "ceiling") for one in told]
    assert 0 < sum(shell) < len(told)
    for one, (instance, _), bare in zip(told, found, shell, strict=True):
        assert (instance == one["instance"]) != bare


def test_regions_by_hand() -> None:
    ways, yaw = (
        [Direction(181.0, 0.0), Direction(224.0, 31.0), Direction(179.0, -89.0), Direction(0.0, 90.0)],
        np.zeros(4),
    )
    assert slices(ways, yaw).tolist() == [0, 0, 7, 4]
    assert views(ways, yaw).tolist() == [36, 49, 11, 66]


def values(right: list[int]) -> dict[str, np.ndarray]:
    hits = np.array(right, float)
    return {"Acc@11deg": hits, "Dist-deg": 40.0 * (1 - hits)}


def asked(part: str, right: list[int], system: str = "lingunet", way: str = "static") -> Asked:
    return Asked(system, way, part, ALL, 0, values(right))


def test_tables_have_intervals_papers_and_the_order() -> None:
    some = [asked("last sentence", [1] + [0] * 19), asked("last 2 sentences", [1] * 6 + [0] * 14)]
    some += [asked(ALL, [1] * 15 + [0] * 5), asked(ALL, [1] * 19 + [0], "looker", "continuous")]
    found = rows(some, "city/refer360/small")
    head = {(row["row"], row["texts"], row["metric"]): row for row in found}
    best = head["lingunet, static", ALL, "Acc@11deg"]
    assert (best["ours"], best["paper"], best["table"]) == (75.0, 13.0, "9") and best["low"] < 75.0 < best["high"]
    assert head["lingunet, static", "last sentence", "Dist-deg"]["paper"] == 73.01
    assert head["looker, continuous", ALL, "Acc@11deg"]["paper"] is None
    assert ordered(some) == {"lingunet, static": True}
    assert ordered([some[1], replace(some[0], part="last 2 sentences"), some[2]]) == {}
    assert ordered([replace(some[2], part="last sentence"), some[1], replace(some[0], part=ALL)]) == {
        "lingunet, static": False
    }
    pairs = {(row["row"], row["against"], row["metric"]): row for row in differences(some, "city/refer360/small")}
    step = pairs[f"lingunet, static: {ALL}", "lingunet, static: last 2 sentences", "Acc@11deg"]
    assert step["ours"] == 45.0 and 0 < step["low"] < 45.0 < step["high"] and step["p"] < 0.05
    assert pairs[f"looker, continuous: {ALL}", f"lingunet, static: {ALL}", "Acc@11deg"]["ours"] == 20.0
    assert len(pairs) == 6
    assert "| lingunet, static | all sentences | 75 (" in table(found)


def test_levels_that_networks_aim_at_are_compared_in_pairs() -> None:
    """The same network on the same episodes; other networks, seeds, parts and ways are not mixed in."""
    region, pixel, thing = (
        asked(ALL, [1] * 10 + [0] * 10),
        asked(ALL, [1] * 16 + [0] * 4),
        asked(ALL, [1] * 8 + [0] * 12),
    )
    pixel = replace(pixel, system="lingunet-pixel", aim="pixel")
    thing = replace(thing, system="lingunet-object", aim="object")
    others = [replace(region, system="bearing"), replace(pixel, seed=1), replace(pixel, part="last sentence")]
    others += [replace(region, system="looker", way="continuous"), replace(thing, learnt="last sentence")]
    found = differences([region, pixel, thing, *others], "small")
    apart = [row for row in found if row["between"] == "levels"]
    hits = {(row["row"], row["against"]): row for row in apart if row["metric"] == "Acc@11deg"}
    assert {key: row["ours"] for key, row in hits.items()} == {
        (f"lingunet-pixel, static: {ALL}", f"lingunet, static: {ALL}"): 30.0,
        (f"lingunet-object, static: {ALL}", f"lingunet, static: {ALL}"): -10.0,
        (f"lingunet-object, static: {ALL}", f"lingunet-pixel, static: {ALL}"): -40.0,
    }
    first = next(iter(hits.values()))
    assert first["low"] < 30.0 < first["high"] and first["low"] > 0 and first["p"] < 0.05 and first["n"] == 20
    told = aims_table(found, ("Acc@11deg", "Object", "Dist-deg"))
    assert f"| lingunet-pixel | lingunet | +30 ({first['low']:g} to {first['high']:g}) |  | -12 (" in told
    assert told.count("\n| lingunet") == 3
    assert aims_table(differences([region, *others[3:4]], "small")) == ""


def test_answers_come_back_as_they_were_pointed(episodes: list[Episode]) -> None:
    traces = pointed(episodes, goals(episodes), "lingunet-static")
    leg = traces[0].legs[0]
    assert leg.actions == ("next", "next", "look", "next") and leg.answer == goals(episodes)[0]
    found = answers_of(traces, episodes, "lingunet", 3, way="static", part=ALL, learnt=ALL)
    one = asked_of(found, episodes)
    assert one.values["Acc@11deg"].all() and (one.name, one.seed) == ("lingunet, static", 3)
    assert (one.aim, one.network) == ("region", "lingunet")
    with pytest.raises(InputError, match="in order"):
        asked_of(found, episodes[::-1])
    with pytest.raises(InputError, match="Did you mean pixel"):
        asked_of(replace(found, about={**found.about, "level": "pixels"}), episodes)


def test_everything_runs_and_goes_on(episodes: list[Episode], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = shortened(episodes, 2)  # of one world, and soon told
    monkeypatch.setattr(refer360_models, "load", lambda _name, _data: few)
    look = Recipe(epochs=1, batch=8, variants=1, width=16, side=32, pool=1, columns=12)
    plan = Plan(
        train="small",
        splits=("small",),
        networks=("concat",),
        epochs=1,
        size=8,
        limit=1,
        slicing=Slicing(32, 40),
        look=look,
    )
    runs = Runs(tmp_path, plan, "random:0", "cpu")
    assert runs.go(0.0) == ["looker", "concat"]
    assert runs.go(5.0) == []
    told = report(tmp_path, {name: runs.episodes(name) for name in plan.names})
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npz")}
    assert len(kept) == 4 + 3 and len(list(tmp_path.glob("traces/*.jsonl"))) == 7
    again = Runs(tmp_path, plan, "random:0", "cpu")
    assert again.go(5.0) == [] and kept == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npz")}
    found = json.loads((tmp_path / "refer360.json").read_text())
    systems = {row["row"] for row in found["rows"]}
    assert systems == {"concat, static", "looker, continuous", "looker, discrete"}
    assert {row["level"] for row in found["rows"]} == {"pixel", "region", "object"}
    assert found["outside"]["city/refer360/small"]["targets"] == 1 and "looker, discrete" in told
    page = filled("before\n<!-- refer360-models -->\nold\n<!-- /refer360-models -->\nafter\n", found)
    assert "old" not in page and page.startswith("before\n") and page.endswith("after\n")
    assert page == filled(page, found) and "| concat, static | last sentence |" in page


def test_real_sequences_have_regions_and_spots(real_data: Path) -> None:
    if not (real_data / "refer360").is_dir():
        pytest.skip("needs Refer360's files")
    some = list(load("refer360/validation.seen", real_data))[:50]
    found = measures(some, goals(some))
    assert THING not in found and found["Acc@11deg"].all() and found[VIEW].all()
    assert len(examples(shortened(some, 2))) == 50


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("--networks lingnet", "Did you mean lingunet"),
        ("--rate lingunet=fast", "NETWORK=RATE"),
        ("--networks lingunet --splits smal", "a dataset that is there"),
    ],
)
def test_mistakes_are_told_before_anything_is_trained(typed: str, expected: str, tmp_path: Path) -> None:
    common = f"--device cpu --trunk random:0 --train small -o {tmp_path / 'run'}"
    with pytest.raises(InputError, match=expected):
        main([*common.split(), *typed.split()])
    assert not list((tmp_path / "run").rglob("*.pt"))
