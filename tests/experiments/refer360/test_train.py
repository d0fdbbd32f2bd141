"""Refer360 for models: shortened texts, three levels of answers, tables with intervals, and a tiny training run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("torch")

from bearleft.cli import cli
from bearleft.data import load
from bearleft.errors import InputError
from bearleft.experiments.refer360.ablation import SENTENCE_COUNTS
from bearleft.experiments.refer360.levels import (
    SAME_CLASS,
    SAME_OBJECT,
    SAME_SLICE,
    SAME_VIEW,
    level_metrics,
    nearest_objects,
    slice_indices,
    view_indices,
)
from bearleft.experiments.refer360.results import (
    ALL_SENTENCES,
    SystemScores,
    count_unreachable,
    difference_rows,
    fill_page,
    follows_paper_order,
    keep_last_sentences,
    level_table,
    markdown,
    predictions_of,
    read_results,
    score_rows,
    score_table,
    scores_of,
    write_page,
    write_results,
)
from bearleft.experiments.refer360.train import Refer360Config, Refer360Trainer, traces_of_answers
from bearleft.models.examples import build_examples, point_leg
from bearleft.records import Direction, Episode
from bearleft.training.looking import LookTrainConfig
from bearleft.world.slices import Slicing


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    return [episode for episode in load("city/refer360/small") if episode.world.startswith("rooms/")][:8]


def goals(episodes: list[Episode]) -> list[Direction]:
    return [point_leg(episode)[1].direction for episode in episodes]


def test_shortened_episodes_keep_the_target_and_the_last_sentences(episodes: list[Episode]) -> None:
    for part, count in SENTENCE_COUNTS.items():
        for shortened, other in zip(keep_last_sentences(episodes, count), episodes, strict=True):
            short_leg, all_of = shortened.legs[0], other.legs[0].sentences
            assert short_leg.sentences == (all_of[-count:] if count else all_of), part
            assert short_leg.text == " ".join(short_leg.sentences)
            assert point_leg(shortened)[1].direction == point_leg(other)[1].direction
            assert len(point_leg(shortened)[1].views) == len(short_leg.sentences)
    assert build_examples(keep_last_sentences(episodes, 1)).texts[0] == episodes[0].legs[0].sentences[-1]


def test_targets_outside_the_slices_are_counted(episodes: list[Episode]) -> None:
    def moved(pitch: float) -> Episode:
        leg = episodes[0].legs[0]
        goal = replace(point_leg(episodes[0])[1], direction=Direction(10.0, pitch))
        return replace(episodes[0], legs=(replace(leg, goal=goal),))

    assert count_unreachable([moved(80.0), moved(0.0), moved(-75.0)]) == 2


def test_gold_answers_are_correct_at_every_level(episodes: list[Episode]) -> None:
    result = level_metrics(episodes, goals(episodes))
    for name, values in result.items():
        assert (values == (0.0 if name.startswith("Dist") else 1.0)).all(), name
    behind = [Direction(goal.heading + 180.0, goal.pitch) for goal in goals(episodes)]
    incorrect = level_metrics(episodes, behind)
    assert not incorrect["Acc@11deg"].any() and not incorrect[SAME_SLICE].any() and not incorrect[SAME_VIEW].any()
    assert incorrect[SAME_OBJECT].mean() < 0.3 and (incorrect[SAME_CLASS] >= incorrect[SAME_OBJECT]).all()
    real = level_metrics([replace(episode, world="refer360") for episode in episodes], behind)
    assert SAME_OBJECT not in real and (real[SAME_SLICE] == incorrect[SAME_SLICE]).all()


def test_nearest_object_is_the_target(episodes: list[Episode]) -> None:
    targets = [episode.extra["target"] for episode in episodes]
    result = nearest_objects(episodes, goals(episodes))
    shell = [target["class"] in ("wall", "floor", "ceiling") for target in targets]
    assert 0 < sum(shell) < len(targets)
    for target, (instance, _), bare in zip(targets, result, shell, strict=True):
        assert (instance == target["instance"]) != bare


def test_regions_by_hand() -> None:
    ways, yaw = (
        [Direction(181.0, 0.0), Direction(224.0, 31.0), Direction(179.0, -89.0), Direction(0.0, 90.0)],
        np.zeros(4),
    )
    assert slice_indices(ways, yaw).tolist() == [0, 0, 7, 4]
    assert view_indices(ways, yaw).tolist() == [36, 49, 11, 66]


def values(correct: list[int]) -> dict[str, np.ndarray]:
    hits = np.array(correct, float)
    return {"Acc@11deg": hits, "Dist-deg": 40.0 * (1 - hits)}


def scores(texts: str, correct: list[int], system: str = "lingunet", setting: str = "static") -> SystemScores:
    return SystemScores(system, setting, texts, ALL_SENTENCES, 0, values(correct))


def test_tables_have_intervals_and_published_values() -> None:
    subset = [scores("last sentence", [1] + [0] * 19), scores("last 2 sentences", [1] * 6 + [0] * 14)]
    subset += [scores(ALL_SENTENCES, [1] * 15 + [0] * 5), scores(ALL_SENTENCES, [1] * 19 + [0], "looker", "continuous")]
    result = score_rows(subset, "city/refer360/small")
    head = {(row["row"], row["texts"], row["metric"]): row for row in result}
    best = head["lingunet, static", ALL_SENTENCES, "Acc@11deg"]
    assert (best["ours"], best["paper"], best["table"]) == (75.0, 13.0, "9") and best["low"] < 75.0 < best["high"]
    assert head["lingunet, static", "last sentence", "Dist-deg"]["paper"] == 73.01
    assert head["looker, continuous", ALL_SENTENCES, "Acc@11deg"]["paper"] is None
    assert follows_paper_order(subset) == {"lingunet, static": True}
    assert follows_paper_order([subset[1], replace(subset[0], texts="last 2 sentences"), subset[2]]) == {}
    assert follows_paper_order(
        [replace(subset[2], texts="last sentence"), subset[1], replace(subset[0], texts=ALL_SENTENCES)]
    ) == {"lingunet, static": False}
    pairs = {(row["row"], row["against"], row["metric"]): row for row in difference_rows(subset, "city/refer360/small")}
    step = pairs[f"lingunet, static: {ALL_SENTENCES}", "lingunet, static: last 2 sentences", "Acc@11deg"]
    assert step["ours"] == 45.0 and 0 < step["low"] < 45.0 < step["high"] and step["p"] < 0.05
    assert (
        pairs[f"looker, continuous: {ALL_SENTENCES}", f"lingunet, static: {ALL_SENTENCES}", "Acc@11deg"]["ours"] == 20.0
    )
    assert len(pairs) == 6
    assert "| lingunet, static | all sentences | 75 (" in score_table(result)


def test_training_levels_are_compared_in_pairs() -> None:
    """The same network on the same episodes; other networks, seeds, parts and ways are not mixed in."""
    region, pixel, target_object = (
        scores(ALL_SENTENCES, [1] * 10 + [0] * 10),
        scores(ALL_SENTENCES, [1] * 16 + [0] * 4),
        scores(ALL_SENTENCES, [1] * 8 + [0] * 12),
    )
    pixel = replace(pixel, system="lingunet-pixel", level="pixel")
    target_object = replace(target_object, system="lingunet-object", level="object")
    others = [replace(region, system="bearing"), replace(pixel, seed=1), replace(pixel, texts="last sentence")]
    others += [
        replace(region, system="looker", setting="continuous"),
        replace(target_object, training_texts="last sentence"),
    ]
    result = difference_rows([region, pixel, target_object, *others], "small")
    apart = [row for row in result if row["between"] == "levels"]
    hits = {(row["row"], row["against"]): row for row in apart if row["metric"] == "Acc@11deg"}
    assert {key: row["ours"] for key, row in hits.items()} == {
        (f"lingunet-pixel, static: {ALL_SENTENCES}", f"lingunet, static: {ALL_SENTENCES}"): 30.0,
        (f"lingunet-object, static: {ALL_SENTENCES}", f"lingunet, static: {ALL_SENTENCES}"): -10.0,
        (f"lingunet-object, static: {ALL_SENTENCES}", f"lingunet-pixel, static: {ALL_SENTENCES}"): -40.0,
    }
    first = next(iter(hits.values()))
    assert first["low"] < 30.0 < first["high"] and first["low"] > 0 and first["p"] < 0.05 and first["n"] == 20
    table = level_table(result, ("Acc@11deg", "Object", "Dist-deg"))
    assert f"| lingunet-pixel | lingunet | +30 ({first['low']:g} to {first['high']:g}) |  | -12 (" in table
    assert table.count("\n| lingunet") == 3
    assert level_table(difference_rows([region, *others[3:4]], "small")) == ""


def test_answers_round_trip(episodes: list[Episode]) -> None:
    traces = traces_of_answers(episodes, goals(episodes), "lingunet-static")
    leg = traces[0].legs[0]
    more = len(episodes[0].legs[0].sentences) - 1
    assert leg.actions == ("next",) * more + ("look", "next") and leg.answer == goals(episodes)[0]
    result = predictions_of(traces, episodes, "lingunet", 3, way="static", part=ALL_SENTENCES, learnt=ALL_SENTENCES)
    scores = scores_of(result, episodes)
    assert scores.values["Acc@11deg"].all() and (scores.name, scores.seed) == ("lingunet, static", 3)
    assert (scores.level, scores.network) == ("region", "lingunet")
    with pytest.raises(InputError, match="in order"):
        scores_of(result, episodes[::-1])
    with pytest.raises(InputError, match="Did you mean pixel"):
        scores_of(replace(result, metadata={**result.metadata, "level": "pixels"}), episodes)


@pytest.mark.slow
def test_training_runs_and_resumes(episodes: list[Episode], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short_episodes = keep_last_sentences(episodes, 2)  # of one world, and soon told
    monkeypatch.setattr("bearleft.experiments.refer360.train.load", lambda _name, _data: short_episodes)
    look = LookTrainConfig(epochs=1, batch_size=8, views_per_goal=1, width=16, view_size=32, pool=1, columns=12)
    config = Refer360Config(
        train_split="small",
        splits=("small",),
        networks=("concat",),
        epochs=1,
        train_size=8,
        eval_size=1,
        slicing=Slicing(32, 40),
        look=look,
    )
    trainer = Refer360Trainer(tmp_path, config, "random:0", "cpu")
    assert trainer.train_all(0.0) == ["looker", "concat"]
    assert trainer.train_all(5.0) == []
    result = write_results(tmp_path, {name: trainer.episodes(name) for name in config.datasets})
    stored = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npz")}
    assert len(stored) == 4 + 3 and len(list(tmp_path.glob("traces/*.jsonl"))) == 7
    resumed = Refer360Trainer(tmp_path, config, "random:0", "cpu")
    assert resumed.train_all(5.0) == [] and stored == {
        path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npz")
    }
    assert read_results(tmp_path / "refer360.json") == result
    systems = {row["row"] for row in result["rows"]}
    assert systems == {"concat, static", "looker, continuous", "looker, discrete"}
    assert {row["level"] for row in result["rows"]} == {"pixel", "region", "object"}
    assert result["outside"]["city/refer360/small"]["targets"] == 1 and "looker, discrete" in markdown(result)
    page = fill_page("before\n<!-- refer360-models -->\nold\n<!-- /refer360-models -->\nafter\n", result)
    assert "old" not in page and page.startswith("before\n") and page.endswith("after\n")
    assert page == fill_page(page, result) and "| concat, static | last sentence |" in page
    (tmp_path / "page.md").write_text(page)
    write_page(tmp_path / "page.md", result)
    assert (tmp_path / "page.md").read_text() == page


def test_real_sequences_have_regions_and_spots(real_data: Path) -> None:
    if not (real_data / "refer360").is_dir():
        pytest.skip("needs Refer360's files")
    subset = list(load("refer360/validation.seen", real_data))[:50]
    result = level_metrics(subset, goals(subset))
    assert SAME_OBJECT not in result and result["Acc@11deg"].all() and result[SAME_VIEW].all()
    assert len(build_examples(keep_last_sentences(subset, 2))) == 50


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--networks lingnet", "Did you mean lingunet"),
        ("--learning-rate lingunet=fast", "NETWORK=RATE"),
        ("--networks lingunet --splits smal", "the name of an available dataset"),
        ("--slices wide", "the name of a kind of slices"),
    ],
)
def test_input_errors_are_reported_before_training(options: str, expected: str, tmp_path: Path) -> None:
    common = f"paper refer360 --train {tmp_path / 'run'} --device cpu --backbone random:0 --train-split small"
    result = CliRunner().invoke(cli, [*common.split(), *options.split()])
    assert isinstance(result.exception, InputError) and expected in str(result.exception)
    assert not list((tmp_path / "run").rglob("*.pt"))


def test_training_options_need_train() -> None:
    result = CliRunner().invoke(cli, ["paper", "refer360", "--networks", "lingunet"])
    assert isinstance(result.exception, InputError) and "--networks with --train" in str(result.exception)
