"""Tasks of ArraMon for tests: three on open ground, with items in the city and in the room."""

from __future__ import annotations

from dataclasses import replace

from bearleft.records import Episode
from tests.envs.arramon.example_tasks import task


def three_tasks() -> list[Episode]:
    """Return three tasks that differ in their texts."""
    tasks = []
    for k in range(3):
        one = task(str(k + 1))
        legs = tuple(replace(leg, text=f"{leg.text} Number {['one', 'two', 'three'][k]}.") for leg in one.legs)
        tasks.append(replace(one, legs=legs))
    return tasks
