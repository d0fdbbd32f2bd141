"""Touchdown's tables: the splits that are there, the published rows of every table, pointers as `score` has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bearleft import evaluate, load, score
from bearleft.agents.pointing_baselines import Average, Center
from bearleft.cli import cli
from bearleft.errors import InputError
from bearleft.experiments.touchdown import tables as touchdown
from bearleft.experiments.touchdown.published import COLUMNS_4, TABLE_4, TABLE_5, TABLE_7, TABLE_8
from bearleft.experiments.touchdown.tables import mean_point_scores, tables, text_lengths
from tests.data.sample_files import click, lines, streets, touchdown_line

ROUTES = (["p0", "p1", "p5"], ["p4", "p5", "p6", "p10"], ["p3", "p2"], ["p8", "p9"])


def folder(path: Path, **splits: float) -> Path:
    """A release whose splits have their targets at different shares of the picture's width."""
    (path / "touchdown").mkdir(parents=True)
    nodes, links = streets()
    files = {"nodes.txt": nodes, "links.txt": links}
    for k, (split, x) in enumerate(splits.items()):
        rows = [
            touchdown_line(
                10 * k + n, route, **{f"{view}_static_center": click(x, 0.5) for view in ("pre", "main", "post")}
            )
            for n, route in enumerate(ROUTES)
        ]
        files[f"{split}.jsonl"] = lines(rows)
    for name, text in files.items():
        (path / "touchdown" / name).write_text(text)
    return path


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(touchdown, "RANDOM_SEEDS", 2)
    monkeypatch.setattr(touchdown, "RANDOM_POINT_SEEDS", 2)


def chosen(rows: list[dict[str, Any]], **expected: str) -> list[dict[str, Any]]:
    return [row for row in rows if all(row[name] == value for name, value in expected.items())]


@pytest.mark.parametrize("name", ["average", "center"])
def test_pointing_baselines_equal_score(name: str, tmp_path: Path) -> None:
    episodes = load("town/point")
    agent = Average(episodes) if name == "average" else Center()
    ours = mean_point_scores(agent, episodes, repeats=1)
    evaluate(name, "town/point", tmp_path / "it.jsonl")
    theirs = {row["metric"]: row["value"] for row in score(tmp_path / "it.jsonl").rows}
    assert {column: ours[column] for column in COLUMNS_4} == {
        column: pytest.approx(theirs[column], abs=1e-9) for column in COLUMNS_4
    }


def test_every_split_is_measured_and_average_is_fitted_on_train(tmp_path: Path) -> None:
    data = folder(tmp_path / "data", train=0.3, dev=0.3, test=0.9)
    rows = tables(data)
    assert {row["dataset"] for row in chosen(rows, table="5", row="STOP")} == {"touchdown/dev", "touchdown/test"}
    dist = {row["split"]: row["ours"] for row in chosen(rows, table="4", row="AVERAGE", metric="Dist")}
    # The training targets are where the development ones are, and far from those of the test split.
    assert dist["dev"] == pytest.approx(0, abs=1e-3) and dist["test"] == pytest.approx(0.6 * 3712, rel=0.01)
    assert {row["remark"] for row in chosen(rows, table="4", row="AVERAGE")} == {"fitted on sdr/train"}
    # Sizes are those of all splits, texts those of training and development together.
    size = {row["row"]: row["ours"] for row in chosen(rows, table="2", metric="examples")}
    assert (size["TOUCHDOWN"], size["Navigation"]) == (12, 12)
    assert {row["remark"] for row in chosen(rows, table="2", row="SDR", metric="vocabulary")} == {"of train, dev"}
    assert [row["ours"] for row in chosen(rows, table="section 5", split="train", row="Navigation")] == [4]


def test_single_split_is_compared_with_the_paper(tmp_path: Path) -> None:
    rows = tables(folder(tmp_path / "data", unseen_dev=0.3))
    [stop] = chosen(rows, table="5", split="dev", row="STOP", metric="SPD")
    assert (stop["paper"], stop["dataset"]) == (26.7, "touchdown/unseen_dev") and stop["ours"] > 0
    [stop] = chosen(rows, table="5", split="test", row="STOP", metric="SPD")
    assert (stop["paper"], stop["ours"], stop["dataset"]) == (27.0, None, "")
    assert {row["remark"] for row in chosen(rows, table="4", split="dev", row="AVERAGE")} == {
        "fitted on sdr/unseen_dev, the split it is scored on"
    }


def test_folder_without_a_split_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="touchdown"):
        tables(folder(tmp_path / "data"))


def test_every_table_has_its_published_rows(tmp_path: Path) -> None:
    rows = tables(folder(tmp_path / "data", unseen_dev=0.3))
    published = [row for row in rows if row["paper"] is not None]
    for table, splits, columns in (("4", TABLE_4, 7), ("5", TABLE_5, 3), ("7", TABLE_7, 3), ("8", TABLE_8, 3)):
        for split, systems in splits.items():
            assert len(chosen(published, table=table, split=split)) == columns * len(systems), (table, split)
    assert {row["metric"] for row in chosen(rows, table="2")} == {"examples", "vocabulary", "tokens per text, mean"}
    assert {row["row"] for row in chosen(rows, table="2")} == {"TOUCHDOWN", "Navigation", "SDR", "R2R", "SAIL", "LANI"}
    [complete] = chosen(rows, table="section 8", metric="Found@80px")
    assert (complete["paper"], complete["ours"]) == (4.5, None)
    [people] = chosen(rows, table="section 8", row="people")
    assert (people["paper"], people["ours"]) == (92, 100)
    # As meant: the printed columns are swapped.
    [walk] = chosen(rows, table="8", row="GA NO-TEXT", metric="SPD")
    assert walk["paper"] == 25.7 and "swapped" in walk["remark"]
    assert len({row["table"] for row in rows}) == 8


def test_command_prints_every_table(tmp_path: Path) -> None:
    data = str(folder(tmp_path / "data", dev=0.3))
    result = CliRunner().invoke(cli, ["paper", "touchdown", "--data", data])
    assert result.exit_code == 0, result.output
    second = result.stdout.partition("Table 2")[2].partition("Section 5")[0]
    assert "vocabulary" in second and "5,625" in second
    assert not any(word in second for word in ("overlap", "unique entity", "panoramas per route", "TC"))
    rows = json.loads(CliRunner().invoke(cli, ["paper", "touchdown", "--data", data, "--json"]).stdout)
    assert {row["table"] for row in rows} == {"1", "2", "section 5", "4", "5", "7", "8", "section 8"}
    assert all(not isinstance(value, dict | list) for row in rows for value in row.values())


def test_command_draws_figure_5(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    data, figures = folder(tmp_path / "data", dev=0.3), tmp_path / "figures"
    result = CliRunner().invoke(cli, ["paper", "touchdown", "--data", str(data), "--figures", str(figures)])
    assert result.exit_code == 0 and [path.name for path in figures.iterdir()] == ["figure-5-text-length.png"]


def test_figure_5_uses_available_splits(tmp_path: Path) -> None:
    rows = text_lengths(folder(tmp_path / "data", train=0.3, dev=0.3))
    assert {name: len(lengths) for name, lengths in rows.items()} == {
        "Touchdown (SDR)": 8,
        "Touchdown (navigation)": 8,
    }


def test_the_public_split(real_data: Path) -> None:
    rows = touchdown.section_5(touchdown.Release.open(real_data))
    [row] = chosen(rows, row="validation", metric="one worker, % of routes")
    assert (row["paper"], row["ours"]) == (89.9, 89.375)
