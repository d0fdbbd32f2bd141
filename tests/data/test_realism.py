from __future__ import annotations

import json
from pathlib import Path

import pytest

from bearleft.data.realism import Halves, compare, dataset_texts, equal_sentences, half_of, real_texts
from bearleft.types import DataFolder
from tests.commands import run_command
from tests.sizes import sized

SIZE = sized(100, None)  # of a half of the real texts


def test_halves_are_fixed() -> None:
    assert [half_of(text) for text in ("Turn left.", "Turn right.", "Go on.")] == ["report", "tune", "tune"]


def test_kinds_of_text_are_read_from_generated_datasets() -> None:
    assert set(dataset_texts("city/touchdown/small")) == {"navigation", "sdr"}
    assert set(dataset_texts("city/arramon/small")) == {"walks", "assembly"}
    (sequences,) = dataset_texts("city/refer360/small").values()
    assert all(2 <= len(text.splitlines()) <= 6 for text in sequences)


def test_equal_sentences_counts_long_ones_only() -> None:
    long = "Turn left at the second light and walk on."
    assert equal_sentences([f"{long} Stop."], [f"Stop. {long.lower()}"]) == 1.0
    assert equal_sentences(["Stop."], ["Stop."]) == 0.0
    assert equal_sentences([long, "Turn right at the second light and walk on."], [long]) == 0.5


def test_figures_stand_beside_those_of_the_other_real_half() -> None:
    real = Halves(
        [f"Turn left at the {k} and you will see it." for k in range(20)],
        [f"Turn left at the {k} and you will see it." for k in range(20, 40)],
    )
    rows, telling, rates = compare([f"Proceed to {k} and then stop there for it or turn." for k in range(30)], real)
    figures = {row["figure"]: row for row in rows}
    assert figures["masked-sentence AUC"]["generated"] > 0.95
    assert figures["words in 30 texts"]["generated"] == 10 + 30
    assert {row["side"] for row in telling} == {"real", "generated"}
    assert all(row["real"] == 1.0 and row["holds"] == (row["generated"] >= 0.5) for row in rates)


def test_real_texts_are_needed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, err = run_command(capsys, "data", "realism", "city/touchdown/small", "--real", tmp_path)
    assert code == 2
    assert not out
    assert "touchdown/" in err and "--real DIR" in err


@pytest.mark.slow
def test_real_halves_are_of_all_public_texts(real_data: Path) -> None:
    counts = {kind: real_texts(kind, real_data) for kind in ("navigation", "sdr", "refer360", "walks", "assembly")}
    assert {kind: len(halves.tune) + len(halves.report) for kind, halves in counts.items()} == {
        "navigation": 800,
        "sdr": 799,
        "refer360": 1909,
        "walks": 2310,
        "assembly": 2276,
    }
    assert all(not set(halves.tune) & set(halves.report) for halves in counts.values())


@pytest.mark.slow
def test_command_prints_flat_rows(
    capsys: pytest.CaptureFixture[str], real_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def some_texts(kind: str, data: DataFolder) -> Halves:
        halves = real_texts(kind, data)
        return Halves(halves.tune[:SIZE], halves.report[:SIZE])

    monkeypatch.setattr("bearleft.data.realism.real_texts", some_texts)
    code, out, _ = run_command(capsys, "data", "realism", "city/touchdown/small", "--real", real_data, "--json")
    assert code == 0
    rows = json.loads(out)
    assert {row["table"] for row in rows} == {"figures", "telling", "expressions"}
    aucs = {row["kind"]: row["generated"] for row in rows if row.get("figure") == "masked-sentence AUC"}
    assert set(aucs) == {"navigation", "sdr"}
    assert all(0.5 < auc < 1.0 for auc in aucs.values())
