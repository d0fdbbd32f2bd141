"""Fixed subsets of datasets by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from bearleft import evaluate, score
from bearleft.data import load, open_dataset, write
from bearleft.data.subsets import Subset, parse_subset
from bearleft.errors import InputError


def ids(name: str) -> list[str]:
    return [episode.id for episode in load(name)]


def test_names_of_subsets() -> None:
    assert parse_subset("touchdown/dev@100") == Subset("touchdown/dev", 100, 0)
    assert parse_subset("touchdown/dev@100:7") == Subset("touchdown/dev", 100, 7)
    assert Subset("a", 5, 0).name == "a@5" and Subset("a", 5, 7).name == "a@5:7"
    for name in ("touchdown/dev", "me@home", "a@", "@5", "a@5:", "a@-1"):
        assert parse_subset(name) is None


@pytest.mark.slow
def test_subsets_are_fixed_nested_and_in_order() -> None:
    whole = ids("town/dev")
    assert ids("town/dev@5") == ["16", "31", "46", "87", "92"]
    assert set(ids("town/dev@5")) < set(ids("town/dev@20"))
    assert ids("town/dev@20") == [name for name in whole if name in set(ids("town/dev@20"))]
    assert ids("town/dev@20:1") != ids("town/dev@20") and ids("town/dev@100") == whole
    assert open_dataset("town/dev@5").sha256 != open_dataset("town/dev@5:1").sha256
    for count in (0, 101):
        with pytest.raises(InputError, match="a subset of 1 to 100 episodes"):
            load(f"town/dev@{count}")


def test_subsets_are_played_and_scored(tmp_path: Path) -> None:
    write("jsonl", load("town/dev")[:10], tmp_path / "mine.jsonl")
    for name in ("town/dev@5", f"{tmp_path}/mine.jsonl@3:2"):
        traces = evaluate("gold", name, tmp_path / "t.jsonl")
        assert {trace.dataset for trace in traces} == {name}
        rows = {row["metric"]: row for row in score(tmp_path / "t.jsonl").rows}
        assert rows["TC"]["value"] == 100 and rows["TC"]["n"] == len(traces)
        assert score(tmp_path / "t.jsonl").costs == []
        (tmp_path / "t.jsonl").unlink()
