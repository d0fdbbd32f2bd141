"""Slicings by name: what they show, which targets they reach, and which a dataset gets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.data import load
from bearleft.errors import InputError
from bearleft.models.examples import build_examples, coverage, unreachable
from bearleft.world.slices import PAPER, RELEASED, SLICINGS, TALL, Slicing, default_slicing, get_slicing

AROUND = np.arange(0.0, 360.0, 0.25) - 180.0


@pytest.mark.parametrize("name", SLICINGS)
def test_reach_is_what_every_heading_shows(name: str) -> None:
    """At a slice's edges the same pitch lies farther from the middle row: there slices show least."""
    slicing = SLICINGS[name]
    edges = np.array([-180.0 + 45.0 * k for k in range(8)])
    headings = np.concatenate([AROUND, edges, edges + 22.5])
    for sign in (1, -1):
        assert slicing.is_visible(headings, sign * (slicing.max_pitch - 1e-6)).all()
        assert not slicing.is_visible(edges, sign * (slicing.max_pitch + 0.3)).any()
    assert slicing.is_visible(edges + 22.5, slicing.max_pitch + 1.5).all()
    assert slicing.name == name


def test_tall_slices_cover_50_degrees() -> None:
    assert PAPER.max_pitch == pytest.approx(33.65, abs=0.01) and TALL.max_pitch == pytest.approx(53.08, abs=0.01)
    assert TALL.has_cell(AROUND, 50.0).all() and TALL.has_cell(AROUND, -50.0).all()
    assert (TALL.rows, TALL.columns, TALL.focal_length) == (2 * PAPER.rows, PAPER.columns, PAPER.focal_length)
    assert RELEASED.has_cell(AROUND, 80.0).all() and not RELEASED.is_visible(AROUND, 80.0).any()


@settings(deadline=None)
@given(st.sampled_from(sorted(SLICINGS)), st.floats(-180, 179.99), st.floats(-50, 50))
def test_cells_and_directions_are_inverse(name: str, heading: float, pitch: float) -> None:
    slicing = SLICINGS[name]
    back = slicing.to_directions(*slicing.to_cells(heading, pitch))
    assert float(back[0]) == pytest.approx(heading, abs=1e-6)
    assert float(back[1]) == pytest.approx(pitch, abs=1e-6)


def test_sizes_of_tall_slices() -> None:
    assert get_slicing("tall") == TALL and get_slicing("released", (116, 200)) == Slicing(116, 200, released=True)
    assert get_slicing("tall", (116, 400)).max_pitch > 50
    with pytest.raises(InputError, match=r"tall slices that show 50 degrees.*--size 116x368") as caught:
        get_slicing("tall", (116, 200))
    size = caught.value.hint.split()[-1].split("x")
    assert get_slicing("tall", (int(size[0]), int(size[1]))).max_pitch >= 50
    with pytest.raises(InputError, match="tall"):
        get_slicing("tal")
    assert Slicing(116, 400).name == "116x400"


def test_datasets_get_their_own() -> None:
    assert (
        default_slicing(["refer360/validation.seen"]) == TALL == default_slicing(["city/sdr/dev", "city/refer360/dev"])
    )
    assert default_slicing(["city/sdr/dev", "sdr/dev", "mine.jsonl"]) == PAPER


def test_no_target_of_the_city_is_unreachable() -> None:
    asked = build_examples(load("city/refer360/small"))
    assert len(unreachable(asked, PAPER)) == 10 and len(unreachable(asked, TALL)) == 0
    said = coverage(asked, TALL, "city/refer360/small")
    assert said.startswith("city/refer360/small: 0 of 60 targets unreachable with tall slices (they show +-53.1")
    said = coverage(asked, PAPER, "city/refer360/small")
    assert "10 of 60" in said and unreachable(asked, PAPER)[0] in said and "and 2 more" in said
    said = coverage(asked, RELEASED, "city/refer360/small")
    assert "0 of 60" in said and "10 have a cell but lie in no picture" in said


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("dataset", "paper", "tall"),
    [("sdr/unseen_dev", 17, 2), ("refer360/validation.seen", 167, 3), ("refer360/validation.unseen", 191, 0)],
)
def test_targets_of_real_files(dataset: str, paper: int, tall: int, real_data: Path) -> None:
    asked = build_examples(load(dataset, real_data))
    assert (len(unreachable(asked, PAPER)), len(unreachable(asked, TALL))) == (paper, tall)
    _, pitch = asked.targets.T
    assert all(abs(pitch[asked.ids.index(one)]) > 53 for one in unreachable(asked, TALL))
