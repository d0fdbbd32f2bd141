"""Refer360's tables: each row under its own table, all splits that are there, the files' own tokens."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bearleft.errors import InputError
from bearleft.experiments.refer360.tables import REMARKS, tables, text_lengths
from bearleft.experiments.text_figures import refer360_figures, write_figures
from tests.data.sample_files import refer360_items


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with two splits of Refer360 and nothing of Touchdown."""
    (tmp_path / "refer360").mkdir()
    for split in ("validation.seen", "test.unseen"):
        (tmp_path / "refer360" / f"{split}.json").write_text(json.dumps(refer360_items()))
    return tmp_path


def rows_of(rows: list[dict[str, Any]], table: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["table"] == table]


def test_table_4_equals_the_published_values(folder: Path) -> None:
    table = rows_of(tables(folder), "4")
    assert {row["metric"] for row in table} == {"Avg. Text Length", "Vocab. Size", "Size"}
    printed = {(row["row"], row["metric"]): row["paper"] for row in table if row["paper"] is not None}
    assert printed[("Refer360, all splits", "Avg. Text Length")] == 43.80
    assert printed[("Guess What?!", "Vocab. Size")] == 27713
    assert printed[("Refer-UNC", "Size")] == 414138
    assert len(printed) == 15


def test_available_splits_are_used(folder: Path) -> None:
    rows = tables(folder)
    assert {row["row"] for row in rows_of(rows, "2")} == {"refer360/validation.seen", "refer360/test.unseen"}
    sizes = {row["row"]: (row["paper"], row["ours"]) for row in rows_of(rows, "5")}
    assert sizes["refer360/test.unseen"] == (1041, 4) and sizes["refer360/train"] == (13287, None)
    followed = {row["row"] for row in rows_of(rows, "7") if row["ours"] is not None}
    assert followed == {"All Sentences, followers of validation.seen", "All Sentences, followers of test.unseen"}


def test_lengths_count_the_tokens_of_the_files(folder: Path) -> None:
    counted = [sum(map(len, item["refexp"])) for item in refer360_items()]
    assert counted == [10, 10, 10, 4]  # "up  now" is one token of the file, and so is ""
    assert text_lengths(folder) == {"Refer360 (validation.seen)": counted, "Refer360 (test.unseen)": counted}
    words = {word for item in refer360_items() for sentence in item["refexp"] for word in sentence}
    row = {row["metric"]: row["ours"] for row in rows_of(tables(folder), "4") if row["row"] == "refer360/test.unseen"}
    assert row == {"Avg. Text Length": 8.5, "Vocab. Size": len(words), "Size": 4}


def test_figures_need_no_other_dataset(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert [Path(name).name for name in write_figures(refer360_figures(folder), tmp_path / "figures")] == [
        "figure-3-text-length.png"
    ]


def test_all_published_rows_are_listed(folder: Path) -> None:
    rows = tables(folder)
    printed = {(row["table"], row["row"], row["metric"]): row["paper"] for row in rows}
    assert printed[("7", "Last 2 Sentences", "Dist-deg")] == 42.32
    assert printed[("9", "Touchdown-SDR (replication)", "Distance")] == 715
    assert printed[("10", "Stage II: Collection & Verification", "# of Collected Instructions")] == 20630
    assert printed[("10", "Stage III: Verification", "# of Verified Instructions")] == 3073
    count = Counter(row["table"] for row in rows if row["paper"] is not None and row["ours"] is None)
    assert (count["7"], count["9"], count["10"]) == (4, 6, 7)
    assert not any("names neither" in remark for remark in REMARKS)
    assert any("5.2" in remark and "5.4" in remark for remark in REMARKS)


def test_a_folder_without_refer360_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Refer360"):
        tables(tmp_path)


@pytest.mark.slow
def test_real_files(real_data: Path) -> None:
    """Split at spaces, as the files are, lengths are close to the paper's 43.8."""
    if not (real_data / "refer360" / "validation.seen.json").exists():
        pytest.skip("needs Refer360's validation.seen.json")
    items = json.loads((real_data / "refer360" / "validation.seen.json").read_text())
    lengths = [sum(map(len, item["refexp"])) for item in items]
    row = {
        row["metric"]: row["ours"]
        for row in rows_of(tables(real_data), "4")
        if row["row"] == "refer360/validation.seen"
    }
    assert row["Avg. Text Length"] == pytest.approx(sum(lengths) / len(lengths), abs=1e-4)
    assert row["Size"] == 900
