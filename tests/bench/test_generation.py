from __future__ import annotations

from importlib import import_module

import pytest


@pytest.mark.slow
def test_examples_are_made_and_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("bearleft.bench.generation")
    for name, value in (("num_threads", lambda: 1), ("SHARDS_PER_PROCESS", 1), ("SHARD_SIZE", 2)):
        monkeypatch.setattr(module, name, value)
    result = module.generation(rounds=1, world="city/3/4x5")
    assert [row["unit"] for row in result.rows] == ["routes", "panoramas", "sequences"]
    assert all(row["seconds"] > 0 and row["per_second"] > 0 for row in result.rows)
