"""Feature stores in shards hold the same bytes as those of one process, also after an interrupted join."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from bearleft.cluster.jobs import gather, run_share  # noqa: E402
from bearleft.data import load, write  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.models.features import shards  # noqa: E402
from bearleft.models.features.write import features  # noqa: E402
from bearleft.runtime.shards import JobSpec, Share  # noqa: E402
from bearleft.world.slices import Slicing  # noqa: E402

SLICING = Slicing(16, 24)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}


@pytest.mark.slow
def test_shards_make_and_extend_the_same_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "CHUNKS_PER_SHARD", 1)
    plain, sharded = tmp_path / "plain", tmp_path / "sharded"
    half, episodes = False, load("city/sdr/small")[:10]
    for count in (5, 10):  # a new store, and one that holds panoramas already
        file = str(tmp_path / f"{count}.jsonl")
        write("jsonl", episodes[:count], file)
        features([file], plain, "random:1", half, SLICING)
        options: dict[str, Any] = {"datasets": [file], "backbone": "random:1", "half": half, "slicing": [16, 24]}
        spec = JobSpec("features", str(sharded), options)
        for k in (2, 1, 2):
            run_share(spec, Share(k, 2))

        def interrupt(label: str, done: int, total: int) -> None:
            if label == "features" and 0 < done < total:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            gather(sharded, interrupt)
        gather(sharded)
        assert contents(sharded) == contents(plain)
    run_share(spec, Share(1, 2))  # nothing is left to do
    gather(sharded)
    assert contents(sharded) == contents(plain)


def test_damaged_shards_are_not_joined(tmp_path: Path) -> None:
    file = str(tmp_path / "few.jsonl")
    write("jsonl", load("city/sdr/small")[:2], file)
    options: dict[str, Any] = {"datasets": [file], "backbone": "random:1", "slicing": [16, 24]}
    run_share(JobSpec("features", str(tmp_path / "store"), options), Share(1, 1))
    shard = tmp_path / "store" / ".shards" / "features-00000.bin"
    shard.write_bytes(shard.read_bytes()[:-1])
    with pytest.raises(InputError, match=r"features-00000\.bin: expected [0-9,]+ bytes"):
        gather(tmp_path / "store")
