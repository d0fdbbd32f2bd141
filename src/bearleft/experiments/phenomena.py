"""Linguistic phenomena of texts: Touchdown's Tables 3 and 6, Refer360's Table 8 and ArraMon's Table 4."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bearleft.experiments.rows import Row, three_way_rows
from bearleft.language.analysis.arramon_phenomena import count_arramon
from bearleft.language.analysis.phenomena import TOUCHDOWN, count_refer360, count_touchdown

Texts = Mapping[str, Sequence[tuple[str, ...]]]
SAMPLE_SIZE = 25  # texts that Touchdown's tables count
# For each phenomenon: in how many of the 25 texts it occurs, and the mean number of times.
TABLE_3: dict[str, tuple[tuple[int, float], ...]] = {
    "R2R": (
        (25, 3.7), (8, 0.5), (1, 0.0), (4, 0.2), (4, 0.2), (5, 0.2), (20, 1.2), (25, 4.0), (22, 2.8), (7, 0.4),
        (2, 0.1),
    ),
    "overall": (
        (25, 10.7), (22, 2.4), (6, 0.3), (22, 1.9), (11, 0.5), (25, 2.9), (25, 4.0), (25, 5.3), (24, 3.7), (21, 1.9),
        (21, 1.8),
    ),
    "navigation": (
        (25, 9.2), (15, 1.1), (3, 0.1), (21, 1.6), (9, 0.4), (17, 1.2), (23, 3.6), (25, 5.2), (24, 3.7), (21, 1.9),
        (18, 1.5),
    ),
    "SDR": (
        (25, 3.2), (22, 1.5), (5, 0.2), (9, 0.4), (8, 0.3), (25, 2.2), (19, 1.1), (4, 0.2), (1, 0.0), (2, 0.1),
        (16, 0.8),
    ),
}  # fmt: skip
TABLE_6: dict[str, tuple[tuple[int, float], ...]] = {
    "SAIL": (
        (24, 4.0), (12, 0.6), (0, 0.0), (4, 0.2), (16, 1.7), (9, 0.4), (13, 0.8), (23, 4.5), (23, 4.5), (14, 0.7),
        (11, 0.5),
    ),
    "LANI": (
        (25, 7.2), (22, 2.9), (2, 0.1), (2, 0.1), (2, 0.1), (3, 0.2), (24, 4.1), (25, 9.0), (25, 5.8), (19, 2.0),
        (0, 0.0),
    ),
}  # fmt: skip
# Of 100 sequences.
TABLE_8: dict[str, tuple[int, float]] = {
    "coreference": (96, 1.6),
    "comparison": (15, 0.1),
    "sequencing": (13, 0.1),
    "count": (30, 0.3),
    "allocentric": (46, 0.6),
    "egocentric": (35, 0.5),
    "direction": (92, 1.6),
    "temporal condition": (13, 0.1),
    "3-D understanding": (22, 0.2),
    "inexact": (28, 0.2),
    "more than two objects": (47, 0.5),
}
# Percent of 50 sets of instructions.
TABLE_4: dict[str, dict[str, float]] = {
    "ArraMon, navigation": {
        "egocentric": 34,
        "allocentric": 86,
        "temporal condition": 64,
        "direction": 96,
        "sequencing": 66,
        "3-D understanding": 72,
    },
    "ArraMon, assembly": {
        "egocentric": 34,
        "allocentric": 98,
        "temporal condition": 2,
        "direction": 68,
        "sequencing": 58,
        "3-D understanding": 34,
    },
}
SHARE, MEAN = "% of texts", "mean"
SWAPPED = "Table 8's examples of allocentric and egocentric are swapped: not to be compared"
BY_SET = "a text is the instructions of both turns; the paper read 50 of them, so 13 points more or less are chance"


def phenomena_rows(real: Texts, ours: Texts) -> list[Row]:
    """Return the rows of all four tables: the share of texts with a phenomenon, and the mean number of times."""
    rows = []
    for kind, numbers in TABLE_3.items():
        rows += _rows("Touchdown Table 3", kind, _published(numbers), real, ours, _count_touchdown)
    for kind, numbers in TABLE_6.items():
        rows += _rows(
            "Touchdown Table 6", kind, _published(numbers), real, ours, _count_touchdown, "no texts of it here"
        )
    table_8 = _named({name: (float(share), mean) for name, (share, mean) in TABLE_8.items()})
    for row in _rows("Refer360 Table 8", "Refer360", table_8, real, ours, count_refer360):
        rows.append(row | {"remark": SWAPPED} if "centric" in row["metric"] else row)
    for kind, shares in TABLE_4.items():
        paper = {f"{name}, {SHARE}": share for name, share in shares.items()}
        rows += _rows("ArraMon Table 4", kind, paper, real, ours, count_arramon, BY_SET)
    return rows


def phenomena_statistics(
    texts: Sequence[tuple[str, ...]], counter: Callable[[tuple[str, ...]], Mapping[str, int]]
) -> dict[str, float]:
    """Return, for each phenomenon, the percentage of texts that hold it and the mean number of times."""
    if not texts:
        return {}
    counts = [counter(text) for text in texts]
    return _named(
        {
            phenomenon: (
                100 * sum(count[phenomenon] > 0 for count in counts) / len(texts),
                sum(count[phenomenon] for count in counts) / len(texts),
            )
            for phenomenon in counts[0]
        }
    )


def _rows(
    table: str,
    kind: str,
    paper: Mapping[str, float],
    real: Texts,
    ours: Texts,
    counter: Callable[[tuple[str, ...]], Mapping[str, int]],
    remark: str = "",
) -> list[Row]:
    both = [phenomena_statistics(texts.get(kind, ()), counter) for texts in (real, ours)]
    # Only the table's phenomena: the counter knows more.
    of_real, of_ours = ({name: statistics[name] for name in paper if name in statistics} for statistics in both)
    return three_way_rows(table, kind, paper, of_real, of_ours, remark)


def _count_touchdown(text: tuple[str, ...]) -> dict[str, int]:
    return count_touchdown(" ".join(text))


def _published(numbers: Sequence[tuple[int, float]]) -> dict[str, float]:
    pairs = zip(TOUCHDOWN, numbers, strict=True)
    return _named({phenomenon: (100 * texts / SAMPLE_SIZE, mean) for phenomenon, (texts, mean) in pairs})


def _named(numbers: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    return {
        f"{phenomenon}, {statistic}": value
        for phenomenon, pair in numbers.items()
        for statistic, value in zip((SHARE, MEAN), pair, strict=True)
    }
