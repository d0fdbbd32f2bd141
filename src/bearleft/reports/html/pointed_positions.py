"""Where in a room a target and the answers lie: the first surface in their direction, for the map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bearleft.reports.html.pictures import PictureSources
from bearleft.world.pictures import RenderedPictures
from bearleft.world.render.camera import view

PIXEL_FOV = 0.1  # degrees; a picture of one pixel measures the depth along its ray


def add_positions(examples_rows: dict[str, Any], worlds: Sequence[str], sources: PictureSources) -> None:
    """Add `target_at` to legs and `answer_at` to their traces: positions in metres, in rendered rooms.

    Outdoors a direction is shown without a distance: what is pointed at may be far away, or the sky.

    Args:
        examples_rows: Result of `examples_data`, which is changed.
        worlds: Names of its worlds.
        sources: Function from a world's name to its picture source, or None.
    """
    for k, world in enumerate(worlds):
        source = sources(world)
        if not isinstance(source, RenderedPictures) or not source.city.plan.indoors:
            continue
        pointed = [
            row
            for example in examples_rows["examples"]
            if example["world"] == k
            for number, leg in enumerate(example["legs"])
            if leg["kind"] == "point" and leg["place"] is not None
            for row in _pointed(
                examples_rows["places"][k]["id"], leg, [trace["legs"] for trace in example["traces"]], number
            )
        ]
        positions = pointed_positions(source, [row[:2] for row in pointed])
        for (_, _, row, field), position in zip(pointed, positions, strict=True):
            row[field] = position


def _pointed(
    place_ids: Sequence[str], leg: dict[str, Any], traces: Sequence[Sequence[dict[str, Any]]], number: int
) -> list[tuple[str, list[float], dict[str, Any], str]]:
    """Return place, direction, and the row and field for the position: of the target and of every answer."""
    place = place_ids[leg["place"]]
    answers = [legs[number] for legs in traces if number < len(legs)]
    return [
        (place, leg["target"], leg, "target_at"),
        *(
            (place, row["answer"], row, "answer_at")
            for row in answers
            if row.get("answer") and "pointed_from" not in row
        ),
    ]


def pointed_positions(source: RenderedPictures, pointed: Sequence[tuple[str, Sequence[float]]]) -> list[list[float]]:
    """Return east and north, in metres, of the first surface seen from places in directions (heading, pitch)."""
    if not pointed:
        return []
    places = [source.place_index(place) for place, _ in pointed]
    headings, pitches = np.array([direction for _, direction in pointed], np.float64).T
    rows = np.asarray(source.city.poses(places, headings, pitches), np.float64)
    depths = source.render(rows, view(1, 1, PIXEL_FOV)).depth[:, 0, 0].astype(np.float64)
    ground = depths * np.cos(np.radians(pitches))
    east = rows[:, 0] + ground * np.sin(np.radians(headings))
    north = rows[:, 1] + ground * np.cos(np.radians(headings))
    return [[round(x, 2), round(y, 2)] for x, y in zip(east.tolist(), north.tolist(), strict=True)]
