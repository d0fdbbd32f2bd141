"""Endings of instructions at the last place of a street."""

from __future__ import annotations

from typing import Any

import pytest

from bearleft.language.instructions.endings import write_ending
from bearleft.language.instructions.segments import Segment
from bearleft.language.instructions.speaker import Speaker
from bearleft.language.instructions.write import HABITS
from bearleft.language.writer_random import WriterRandom, fitted_weights
from tests.language.instructions.street_scene import scene_and_paths


class Before(WriterRandom):
    """A writer who tries to stop before a landmark first."""

    def pick(self, key: str, options: Any) -> Any:
        return "before" if key == "ending" else super().pick(key, options)


@pytest.mark.slow
def test_nothing_is_named_past_the_end_of_a_street() -> None:
    """A landmark to stop before would stand at a place that the street does not have."""
    scene, paths = scene_and_paths()
    graph, written = paths.graph, 0
    for link in range(0, len(graph.source), 40):
        segment = Segment.ahead(scene, paths, int(graph.source[link]), link)
        goal = len(segment) - 1
        speaker = Speaker(scene, paths, Before(f"ending {link}", fitted_weights("navigation"), HABITS))
        ending = write_ending(speaker, segment, max(0, goal - 3), goal)
        written += ending is not None
    assert written > 0
