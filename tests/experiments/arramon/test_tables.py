"""ArraMon's tables: real tasks beside the paper, and ours."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bearleft.agents.walking_baselines import Random, reference_lengths
from bearleft.data import open_dataset, write
from bearleft.errors import InputError
from bearleft.experiments.arramon.changed_texts import with_other_texts
from bearleft.experiments.arramon.published import METRICS, TABLE_2, TABLE_5, published, published_rows, split_of
from bearleft.experiments.arramon.tables import (
    agent_rows,
    common_words,
    default_names,
    evaluate,
    lengths,
    metric_means,
    playable_agents,
    rpod_curve,
    tables,
    tasks,
)
from bearleft.experiments.text_figures import arramon_figures
from tests.envs.arramon.example_tasks import BOOK, task


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tasks") / "mine.jsonl"
    write("jsonl", [task("1"), task("2"), task("3")], path)
    return str(path)


def test_rows_of_generated_tasks(dataset: str) -> None:
    progress_calls: list[tuple[str, int, int]] = []
    every = tables([dataset], progress=lambda *what: progress_calls.append(what), agents=("stop", "shortest"))
    rows = [row for row in every if row["table"] != "1" and row["ours"] is not None]
    assert {row["table"] for row in every} == {"1", "2", "5", "6"}
    assert all(set(row) == {"table", "row", "metric", "paper", "ours", "remark"} for row in rows)
    assert progress_calls[-1] == (f"shortest {dataset}", 2, 2)
    ours = {(row["table"], row["row"].removesuffix(f", {dataset}"), row["metric"]): row["ours"] for row in rows}
    assert len(ours) == len(rows) == 2 * (3 * len(METRICS) + 3)
    for agent in ("stop", "shortest"):
        for name in METRICS:
            turns = [ours["5", f"{agent}, turn {turn}", name] for turn in (1, 2)]
            assert ours["2", agent, name] == pytest.approx(sum(turns) / 2, abs=1e-4)
        assert ours["6", agent, "CTC-3"] == 1  # the reference has walked
    assert ours["2", "stop", "rPOD"] == 0 < ours["6", "stop", "rPOD"] < 1
    assert ours["2", "shortest", "PTC"] == ours["6", "shortest", "PTC"] == 1
    assert {row["table"] for row in agent_rows("stop", "mine/test_unseen", tasks(dataset))} == {"3", "5", "6"}


def test_published_rows_belong_to_the_same_split() -> None:
    assert published("random", "city/arramon/val_unseen")["CTC-3"] == 0.024
    assert published("random", "city/arramon/val_seen")["CTC-3"] == 0.030
    assert published("shortest", "city/arramon/val_seen")["nDTW"] == 1
    assert not published("random", "city/arramon/test_unseen") and not published("follower", "city/arramon/val_seen")
    assert not published("random", "city/arramon/train") and split_of("city/arramon/small") == "val_unseen"


def test_all_published_models_have_rows() -> None:
    rows = {split: published_rows(split) for split in ("val_seen", "val_unseen", "test_unseen", "")}
    models = {split: {row["row"].partition(",")[0] for row in split_rows} for split, split_rows in rows.items()}
    assert models["val_seen"] == models["val_unseen"] == {"V/L", "V/O", "L/O", "H/W"}  # R/W and S/P are ours
    assert models["test_unseen"] == {"V/L", "H/W", "H/E"} and not rows[""]
    assert [row["table"] for row in rows["val_seen"]].count("6") == 3
    assert all(row["ours"] is None and row["paper"] is not None for split_rows in rows.values() for row in split_rows)
    for split, turns in TABLE_5.items():
        for name in METRICS:  # turns and total are printed in two tables, with three digits each
            both = sum(turn[name] for turn in turns.values()) / 2
            assert both == pytest.approx(TABLE_2[split]["V/L"][name], abs=0.0011)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("split", ["val_seen", "train"])
def test_released_tasks_of_any_split(tmp_path: Path, split: str) -> None:
    """Nobody follows their texts by rules; everything else is there, published rows beside it."""
    name = f"arramon/{split}"
    (tmp_path / "arramon").mkdir()
    released = [replace(task(number, from_release=True), world=f"arramon/{number}") for number in ("1", "2")]
    write("arramon", released, tmp_path / f"{name}.json")
    rows = tables([name], tmp_path)
    assert playable_agents(tasks(name, tmp_path)) == ["random", "shortest"]
    cells = {(row["table"], row["row"], row["metric"]): row for row in rows}
    assert cells["1", name, "navigation, moves, both turns, mean"]["paper"] == 48.14
    assert cells["2", f"shortest, {name}", "PTC"]["ours"] == 1
    assert cells["2", f"random, {name}", "CTC-3"]["paper"] == (0.030 if split == "val_seen" else None)
    assert (("2", "H/W, val_seen", "PTC") in cells) == (split == "val_seen")
    pytest.importorskip("matplotlib")
    assert [file for file, _ in arramon_figures([name], tmp_path)] == [
        "figure-9-rpod.png",
        *(f"figure-{what}-arramon-{split.replace('_', '-')}.png" for what in ("5-words", "6-instructions", "6-paths")),
    ]


def test_values_cover_both_turns(dataset: str) -> None:
    rows = lengths(dataset)
    assert [set(phases) for phases in rows.values()] == [{"navigation", "assembly"}] * 2
    goals = [leg.goal for leg in tasks(dataset)[0].legs]
    assert rows["paths"]["navigation"][0] == len(goals[0].path) + len(goals[2].path) - 2  # type: ignore[union-attr]
    assert rows["instructions"]["assembly"][0] == sum(len(leg.text.split()) for leg in tasks(dataset)[0].legs[1::2])
    assert common_words(dataset)["go"] == 6 and "book" not in common_words(dataset)


def test_other_texts_belong_to_the_next_task(dataset: str) -> None:
    episodes = tasks(dataset)
    others = with_other_texts([*episodes[:2], task("9", from_release=True)])
    assert [other.id for other in others] == ["1", "2", "9"]
    assert all(a.goal == b.goal for a, b in zip(others[0].legs, episodes[0].legs, strict=True))
    assert others[0].legs[0].text == episodes[1].legs[0].text == f"Go and get the {BOOK}."
    with pytest.raises(InputError, match="at least two tasks"):
        with_other_texts(episodes[:1])
    with pytest.raises(InputError, match="a dataset of ArraMon's tasks"):
        tasks("town/dev")


@pytest.mark.slow
def test_generated_tasks_are_used_without_real_ones(tmp_path: Path) -> None:
    assert default_names(tmp_path) == ["city/arramon/small"]
    pytest.importorskip("matplotlib")
    drawn = dict(arramon_figures((), tmp_path))
    assert drawn["figure-9-rpod.png"].size == (760, 420) and "figure-5-words-city-arramon-small.png" in drawn
    away, values = rpod_curve()
    assert away[:3] == [0, 1, 2] and values[:3] == pytest.approx([1, 1 / 2, 1 / 5])


def test_random_walks_on_real_tasks_match_the_paper(real_data: Path) -> None:
    if not (real_data / "arramon" / "val_unseen.json").exists():
        pytest.skip("needs ArraMon's val_unseen.json")
    opened = iter(open_dataset("arramon/val_unseen", real_data))
    episodes = [next(opened) for _ in range(120)]
    lengths = reference_lengths(episodes)
    means = metric_means(evaluate(Random(lengths=lambda: lengths), episodes))
    assert 0.02 < means["nDTW"] < 0.1 and means["CTC-7"] < 0.2 and means["PTC"] < 0.05
