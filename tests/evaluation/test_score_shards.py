"""Scores in shards are those of one run: the same rows, intervals and notes, whoever computed which shard."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from bearleft import evaluate, score
from bearleft.cluster.jobs import gather, run_share
from bearleft.errors import InputError
from bearleft.evaluation import score_shards
from bearleft.runtime.shards import JobSpec, Share

pytestmark = pytest.mark.usefixtures("city_cache")


def make_traces(dataset: str, path: Path, agents: tuple[str, ...] = ("random",)) -> Path:
    """Write traces of several seeds to one file."""
    lines: list[str] = []
    for agent in agents:
        for seed in range(3):
            run = path.with_name(f"{agent}-{seed}.jsonl")
            evaluate(agent, dataset, run, seed, limit=30)
            lines += run.read_text().splitlines(keepends=True)
    path.write_text("".join(lines))
    return path


def spec_of(file: Path, **options: Any) -> JobSpec:
    return JobSpec("score", str(file), {"size": file.stat().st_size, **options})


@pytest.mark.parametrize(
    ("dataset", "options"),
    [
        ("town/dev", {}),
        ("town/dev", {"metrics": ["SDTW", "PL"], "seed": 3, "resamples": 200}),
        ("town/dev", {"convention": "vln-transformer"}),
        ("city/touchdown-complete/small", {}),
        ("city/refer360/small", {}),
        ("city/arramon/small", {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value) or "default",
)
def test_scores_in_shards_are_those_of_one_run(
    dataset: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = make_traces(dataset, tmp_path / "traces.jsonl")
    expected = score(file, **options)
    monkeypatch.setattr(score_shards, "SHARD_BYTES", file.stat().st_size // 7)
    spec = spec_of(file, **options)
    shares = [Share(k, 3) for k in range(1, 4)]
    random.Random(dataset).shuffle(shares)
    for share in (*shares, shares[0]):
        run_share(spec, share)
    (joined,) = gather(file)
    assert joined.rows == expected.rows
    assert joined.notes == expected.notes
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("traces")) == ["traces.jsonl"]


def test_repeated_traces_are_counted_over_all_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = make_traces("town/dev", tmp_path / "traces.jsonl")
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([*lines, *lines[5:30], *lines[:3]]))
    expected = score(file, resamples=10)
    assert any("28" in note for note in expected.notes)
    monkeypatch.setattr(score_shards, "SHARD_BYTES", file.stat().st_size // 7)
    monkeypatch.setattr(score_shards, "KEYS_COMPARED", 9)
    run_share(spec_of(file, resamples=10), Share(1, 1))
    (joined,) = gather(file)
    assert (joined.rows, joined.notes) == (expected.rows, expected.notes)


def test_a_file_that_changed_since_is_refused(tmp_path: Path) -> None:
    file = make_traces("town/dev", tmp_path / "traces.jsonl")
    spec = spec_of(file)
    run_share(spec, Share(1, 2))
    file.write_text(file.read_text() + file.read_text().splitlines(keepends=True)[0])
    with pytest.raises(InputError, match="whose shards were begun"):
        run_share(spec, Share(2, 2))


def test_a_damaged_shard_is_named(tmp_path: Path) -> None:
    file = make_traces("town/dev", tmp_path / "traces.jsonl")
    run_share(spec_of(file), Share(1, 1))
    shard = tmp_path / "traces.jsonl.shards" / "traces-00000.npz"
    shard.write_bytes(shard.read_bytes()[:-100])
    with pytest.raises(InputError, match=r"traces-00000\.npz: expected a shard of scores"):
        gather(file)
