"""The papers' counts of texts, on texts with known answers and on the real files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bearleft.cli import cli
from bearleft.errors import InputError
from bearleft.experiments.analysis_figures import SIDES, bar_groups, text_figures
from bearleft.experiments.charts import draw_grouped_bars
from bearleft.experiments.phenomena import TABLE_3, TABLE_4, TABLE_6, TABLE_8, phenomena_rows
from bearleft.experiments.rows import Row, three_way_rows
from bearleft.experiments.texts import (
    ARRAMON_ASSEMBLY,
    ARRAMON_NAVIGATION,
    EACH_SENTENCE,
    NAVIGATION,
    OUR_DATASETS,
    OVERALL,
    R2R,
    SDR,
    SEQUENCE,
    TextsByKind,
    common_nouns,
    length_statistics,
    our_texts,
    real_texts,
    tables,
    texts_by_kind,
    token_counts,
    vocabulary,
)
from bearleft.records import Assemble, Collect, Direction, Episode, Leg, Point, Pose, Reach

START = Pose(Direction(0.0, 0.0), "a")
ORIGIN = (0.0, 0.0, 0.0)
ROUTE = Reach(("a", "b"))
COLUMNS = ["table", "row", "metric", "paper", "real", "ours", "remark"]


def episode(name: str, *legs: Leg, world: str = "touchdown", **extra: str) -> Episode:
    return Episode(name, "made/dev", world, START, legs, dict(extra))


def picked(rows: list[Row], table: str, row: str, metric: str) -> tuple[object, object, object]:
    matches = [r for r in rows if (r["table"], r["row"], r["metric"]) == (table, row, metric)]
    assert len(matches) == 1, (table, row, metric)
    return matches[0]["paper"], matches[0]["real"], matches[0]["ours"]


def test_texts_by_kind_are_counted_once() -> None:
    spot = Point(Direction(10.0, 0.0), "b")
    texts = texts_by_kind(
        [
            episode("7", Leg("Go on.", ROUTE), td_location_text="A red door.", full_text="Go on. A red door."),
            episode("8/pre", Leg("A hydrant.", spot), navigation_text="Stop."),
            episode("8/main", Leg("A hydrant.", spot), navigation_text="Stop."),
            episode("9", Leg("look up. it is there.", spot, ("look up.", "it is there."))),
            episode("1_0", Leg("Walk in.", ROUTE), world="matterport/x"),
            episode(
                "t",
                Leg("Walk to it.", Collect((ORIGIN,), "mug", ORIGIN)),
                Leg("Put it down.", Assemble((0, 0, 0))),
                Leg("Walk back.", Collect((ORIGIN,), "tv", ORIGIN)),
                Leg("Behind the mug.", Assemble((0, 0, 0))),
            ),
        ]
    )
    assert texts == {
        SDR: [("A red door.",), ("A hydrant.",)],
        OVERALL: [("Go on. A red door.",)],
        NAVIGATION: [("Go on.",), ("Stop.",)],
        SEQUENCE: [("look up.", "it is there.")],
        R2R: [("Walk in.",)],
        ARRAMON_NAVIGATION: [("Walk to it.", "Walk back.")],
        ARRAMON_ASSEMBLY: [("Put it down.", "Behind the mug.")],
    }


def test_lengths_and_vocabulary() -> None:
    texts = [("Turn left.",), ("turn left, then stop.", "Stop!")]
    assert token_counts(texts) == [3, 8]
    assert vocabulary(texts) == {"turn", "left", ".", ",", "then", "stop", "!"}
    figures = length_statistics(token_counts(texts))
    assert figures["texts"] == 2 and figures["tokens, mean"] == 5.5 and figures["tokens, 50 %"] == 5.5
    assert length_statistics([]) == {}


def test_common_nouns_with_modifiers() -> None:
    texts = ["There is a red door by a brick building.", "Pass two brick buildings and the door.", "A tall red door."]
    nouns = common_nouns([(text,) for text in texts])
    assert list(nouns) == ["door", "building"]
    assert nouns["door"] == {"red": 2, "": 1} and nouns["building"] == {"brick": 2}


def test_three_way_rows() -> None:
    rows = three_way_rows("T", "r", {"a": 1.0}, {"b": 2}, {"a": 1 / 3}, "why")
    assert [list(row) for row in rows] == [COLUMNS] * 2
    assert [list(row.values()) for row in rows] == [
        ["T", "r", "a", 1.0, None, 0.3333, "why"],
        ["T", "r", "b", None, 2, None, "why"],
    ]


def test_phenomena_of_known_texts() -> None:
    real: TextsByKind = {NAVIGATION: [("Turn left.",), ("There is a red door on your right.",)]}
    ours: TextsByKind = {SEQUENCE: [("look up.", "the cup is slightly behind the plate."), ("find a cup.",)]}
    rows = phenomena_rows(real, ours)
    assert all(list(row) == COLUMNS for row in rows)
    assert picked(rows, "Touchdown Table 3", NAVIGATION, "direction, % of texts") == (96.0, 50.0, None)
    assert picked(rows, "Touchdown Table 3", NAVIGATION, "egocentric, mean") == (3.6, 0.5, None)
    assert picked(rows, "Refer360 Table 8", SEQUENCE, "inexact, % of texts") == (28.0, None, 50.0)
    assert picked(rows, "Refer360 Table 8", SEQUENCE, "3-D understanding, mean") == (0.2, None, 0.5)
    assert picked(rows, "ArraMon Table 4", ARRAMON_ASSEMBLY, "allocentric, % of texts") == (98, None, None)
    assert picked(rows, "Touchdown Table 6", "SAIL", "count, mean") == (1.7, None, None)


def test_every_published_value_has_a_row() -> None:
    rows = phenomena_rows({}, {})
    assert len(rows) == 2 * 11 * (len(TABLE_3) + len(TABLE_6)) + 2 * len(TABLE_8) + 6 * len(TABLE_4)
    assert all(row["paper"] is not None and row["real"] is row["ours"] is None for row in rows)
    for table in (TABLE_3, TABLE_6):
        # A phenomenon that is in no text has a mean of 0, and one in n of 25 texts at least n / 25, as rounded.
        assert all(mean + 0.05 >= texts / 25 for pairs in table.values() for texts, mean in pairs)


def test_published_values_are_used_without_real_texts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("BEARLEFT_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    ours = our_texts()
    rows = tables({}, ours)
    assert all(list(row) == COLUMNS for row in rows) and all(row["real"] is None for row in rows)
    assert picked(rows, "Touchdown Figure 5", NAVIGATION, "texts") == (None, None, len(ours[NAVIGATION]))
    assert picked(rows, "Refer360 Figure 3", EACH_SENTENCE, "texts")[2] == sum(len(text) for text in ours[SEQUENCE])
    with pytest.raises(InputError, match="does not exist"):
        real_texts(tmp_path / "none")
    assert real_texts(tmp_path) == {}


@pytest.mark.slow
def test_bars_have_their_own_colours() -> None:
    pytest.importorskip("matplotlib")
    rows = three_way_rows("T", "r", {"a, %": 3.0}, {}, {"a, %": 1.0, "b": 2.0})
    assert bar_groups(rows, "T", "r", ", %") == {"a": {"paper": 3.0, "ours": 1.0}}
    picture = draw_grouped_bars(bar_groups(rows, "T", "r", ", %"), SIDES, "title", "times")
    counts = {colour: n for n, colour in picture.getcolors(1 << 20) or []}
    assert counts[(31, 95, 191)] > 2 * counts[(44, 142, 79)] > 0 and (224, 112, 16) not in counts
    with pytest.raises(InputError):
        draw_grouped_bars({}, SIDES, "title", "times")
    ours = our_texts(OUR_DATASETS[:1])
    drawn = dict(text_figures({}, ours, tables({}, ours)))
    assert {"touchdown-figure-5.png", "touchdown-figure-8-sdr.png", "touchdown-table-3-overall.png"} <= set(drawn)
    assert "refer360-figure-3.png" in drawn and min(picture.width for picture in drawn.values()) == 760


@pytest.mark.slow
def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    words = ["paper", "texts", "city/touchdown/small", "--data", str(tmp_path), "--figures", str(tmp_path / "f")]
    with pytest.raises(SystemExit) as ended:
        cli.main([*words, "--json"], standalone_mode=True)
    assert not ended.value.code
    rows = json.loads(capsys.readouterr().out)
    assert picked(rows, "Touchdown Figure 5", NAVIGATION, "tokens, mean")[0] == 89.6
    assert not any(row["ours"] for row in rows if row["row"] == SEQUENCE)
    assert (tmp_path / "f" / "touchdown-figure-5.png").stat().st_size > 5_000


@pytest.mark.slow
def test_real_texts(real_data: Path) -> None:
    real = real_texts(real_data)
    rows = tables(real, {})
    assert {kind: len(texts) for kind, texts in real.items() if kind != R2R} == {
        NAVIGATION: 800,
        SDR: 800,
        OVERALL: 800,
        SEQUENCE: 1909,
        ARRAMON_NAVIGATION: 1155,
        ARRAMON_ASSEMBLY: 1155,
    }
    for row, metric in ((NAVIGATION, "tokens, mean"), (SDR, "tokens, mean"), (R2R, "tokens, mean")):
        paper, measured, _ = picked(rows, "Touchdown Figure 5", row, metric)
        assert measured == pytest.approx(paper, rel=0.1)
    nouns = [row["metric"] for row in rows if row["table"] == "Touchdown Figure 8" and row["row"] == SDR]
    assert {"sign", "fire hydrant", "awning"} <= set(nouns)
    # Texts without a direction are rare, and the counter agrees.
    assert picked(rows, "ArraMon Table 4", ARRAMON_NAVIGATION, "direction, % of texts")[1] == pytest.approx(96, abs=5)
    for phenomenon, apart in (("sequencing", 14), ("temporal condition", 17), ("egocentric", 14), ("allocentric", 14)):
        paper, measured, _ = picked(rows, "ArraMon Table 4", ARRAMON_NAVIGATION, f"{phenomenon}, % of texts")
        assert measured == pytest.approx(paper, abs=apart), phenomenon
