from __future__ import annotations

import pytest

from bearleft.bench.asking import asking


def test_examples_are_made_and_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bearleft.bench.asking.cores", lambda: 1)
    monkeypatch.setattr("bearleft.bench.asking.UNITS", 1)
    monkeypatch.setattr("bearleft.bench.asking.UNIT", 2)
    result = asking(rounds=1, world="city/3/4x5")
    assert [row["unit"] for row in result.rows] == ["routes", "panoramas", "sequences"]
    assert all(row["seconds"] > 0 and row["per_second"] > 0 for row in result.rows)
