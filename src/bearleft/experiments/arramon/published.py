"""Published numbers of the ArraMon paper: Tables 2, 3, 5 and 6, by split and model."""

from __future__ import annotations

from collections.abc import Mapping

from bearleft.experiments.rows import Row

METRICS = ("nDTW", "CTC-0", "CTC-3", "CTC-5", "CTC-7", "rPOD", "PTC")
SEEN, UNSEEN, TEST = "val_seen", "val_unseen", "test_unseen"
ROOM_METRICS = ("CTC-3", "rPOD", "PTC")
MODELS = {
    "V/L": "Vision-and-Language",
    "V/O": "Vision-Only",
    "L/O": "Language-Only",
    "R/W": "Random-Walk",
    "S/P": "Shortest Path",
    "H/W": "Human-Workers",
    "H/E": "Human-Expert",
}
BASELINES = {"random": "R/W", "shortest": "S/P"}  # the paper's rows of our agents


def _row(*values: float | None) -> dict[str, float]:
    return {name: value for name, value in zip(METRICS, values, strict=True) if value is not None}


_SHORTEST = _row(1.0, None, 1.0, 1.0, 1.0, None, None)
COLLECTION: dict[str, float] = {  # sections 4.2 and 5
    "workers, stage 1": 96,
    "workers, stage 2": 242,
    "instruction sets collected": 8_546,
    "instruction sets kept": 7_692,
    "instruction sets discarded": 8_546 - 7_692,
}
TABLE_2: dict[str, dict[str, dict[str, float]]] = {
    SEEN: {
        "V/L": _row(0.135, 0.000, 0.098, 0.149, 0.200, 0.058, 0.044),
        "V/O": _row(0.055, 0.000, 0.043, 0.062, 0.087, 0.008, 0.001),
        "L/O": _row(0.110, 0.000, 0.044, 0.095, 0.147, 0.023, 0.017),
        "R/W": _row(0.045, 0.000, 0.030, 0.054, 0.092, 0.005, 0.001),
        "S/P": _SHORTEST,
        "H/W": _row(0.671, 1.000, 1.000, 1.000, 1.000, 0.879, 0.861),
    },
    UNSEEN: {
        "V/L": _row(0.109, 0.000, 0.062, 0.108, 0.153, 0.036, 0.028),
        "V/O": _row(0.043, 0.000, 0.031, 0.057, 0.085, 0.007, 0.002),
        "L/O": _row(0.105, 0.000, 0.029, 0.068, 0.126, 0.017, 0.013),
        "R/W": _row(0.045, 0.000, 0.024, 0.043, 0.075, 0.005, 0.001),
        "S/P": _SHORTEST,
        "H/W": _row(0.670, 1.000, 1.000, 1.000, 1.000, 0.869, 0.856),
    },
}
TABLE_3: dict[str, dict[str, float]] = {
    "V/L": _row(0.114, 0.000, 0.082, 0.122, 0.168, 0.047, 0.035),
    "H/W": _row(0.664, 1.000, 1.000, 1.000, 1.000, 0.884, 0.873),
    "H/E": _row(0.806, 1.000, 1.000, 1.000, 1.000, 0.992, 0.990),
}
TABLE_5: dict[str, dict[str, dict[str, float]]] = {
    SEEN: {
        "V/L, turn 1": _row(0.222, 0.000, 0.138, 0.194, 0.260, 0.088, 0.070),
        "V/L, turn 2": _row(0.049, 0.000, 0.057, 0.103, 0.140, 0.027, 0.017),
    },
    UNSEEN: {
        "V/L, turn 1": _row(0.186, 0.000, 0.080, 0.139, 0.192, 0.054, 0.044),
        "V/L, turn 2": _row(0.033, 0.000, 0.044, 0.078, 0.113, 0.019, 0.011),
    },
}
TABLE_6: dict[str, dict[str, dict[str, float]]] = {SEEN: {"V/L": {"CTC-3": 1.000, "rPOD": 0.539, "PTC": 0.382}}}


def split_of(name: str) -> str:
    """Return the paper's split that a dataset is compared with, "" for training; small ones count as unseen."""
    split = name.rpartition("/")[2]
    return "" if split == "train" else split if split in (SEEN, TEST) else UNSEEN


def table_of(name: str) -> str:
    """Return the number of the paper's table with the rows of a split."""
    return "3" if split_of(name) == TEST else "2"


def published(agent: str, name: str) -> Mapping[str, float]:
    """Return the paper's row of one of our baselines on a split; empty where it prints none."""
    rows = TABLE_3 if split_of(name) == TEST else TABLE_2.get(split_of(name), {})
    return rows.get(BASELINES.get(agent, ""), {})


def published_rows(split: str) -> list[Row]:
    """Return all published rows of a split that none of our agents has."""
    tables: dict[str, Mapping[str, Mapping[str, float]]] = {
        "2": TABLE_2.get(split, {}),
        "3": TABLE_3 if split == TEST else {},
        "5": TABLE_5.get(split, {}),
        "6": TABLE_6.get(split, {}),
    }
    measured = set(BASELINES.values())
    return [
        {
            "table": table,
            "row": f"{row}, {split}",
            "metric": metric,
            "paper": value,
            "ours": None,
            "remark": "published",
        }
        for table, rows in tables.items()
        for row, numbers in rows.items()
        if row not in measured
        for metric, value in numbers.items()
    ]
