"""Shards of examples: as many as are needed, and nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from bearleft.generate import shards
from bearleft.generate.examples import ExampleResult
from bearleft.generate.shards import Job, ShardWorkers, make_shards
from bearleft.generate.splits import RouteSpec


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the specs that are computed; every third one is skipped."""
    numbers: list[int] = []

    def make_example(spec: RouteSpec) -> ExampleResult:
        numbers.append(spec.number)
        return ExampleResult(skipped={"no text": 1}) if spec.number % 3 == 2 else ExampleResult({"n": spec.number}, 1)

    monkeypatch.setattr(shards, "init_worker", lambda _: None)
    monkeypatch.setattr(shards, "_make_example", make_example)
    return numbers


def run(folder: Path, size: int) -> list[int]:
    """Return the numbers of the examples of a split."""
    specs = (RouteSpec(number, (0, 1), 0.0) for number in range(10_000))
    with ShardWorkers(Job("city/touchdown", (), 0, "plain"), 1) as workers:
        results, count = workers.run(make_shards(folder, "train", specs, size), size, lambda _: None)
    assert count == size
    return [int(str(result.line["n"])) for result in results if result.line is not None]


@pytest.mark.parametrize(("size", "most"), [(1, 1), (3, 4), (30, 48), (900, 1400)])
def test_few_examples_take_little_work(size: int, most: int, computed: list[int], tmp_path: Path) -> None:
    expected = [number for number in range(10_000) if number % 3 != 2][:size]
    assert run(tmp_path, size) == expected
    assert sorted(set(computed)) == sorted(computed) and len(computed) <= most
    computed.clear()
    assert run(tmp_path, size) == expected and not computed  # all shards are there
