"""The reader of features of a user's own Matterport pictures."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch")

from bearleft.errors import InputError  # noqa: E402
from bearleft.models.panoramic.views import VIEW_COUNT, read_views  # noqa: E402
from bearleft.models.walking.states import PlaceIndex  # noqa: E402
from tests.models.panoramic.random_walks import random_graph  # noqa: E402

CPU = torch.device("cpu")
DIM = 3
PLACES = PlaceIndex(tuple(random_graph(np.random.default_rng(k), f"matterport/house{k}", 4) for k in range(2)))
FEATURES = np.random.default_rng(1).normal(0.0, 1.0, (len(PLACES), VIEW_COUNT, DIM)).astype(np.float32)


def row(scan: str, place: str, values: npt.NDArray[np.float32]) -> str:
    return "\t".join([scan, place, "640", "480", "60", base64.b64encode(values.tobytes()).decode()])


def rows() -> list[str]:
    names = [(graph.name.partition("/")[2], place) for graph in PLACES.graphs for place in graph.ids]
    return [row(*name, values) for name, values in zip(names, FEATURES, strict=True)]


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_features_are_read_in_any_order(tmp_path: Path) -> None:
    lines = [*reversed(rows()), row("another_house", "place", FEATURES[0])]
    views = read_views(write(tmp_path / "features.tsv", lines), PLACES, CPU)
    assert views.dim == DIM
    np.testing.assert_array_equal(views.features.numpy(), FEATURES.astype(np.float16))
    other = FEATURES.copy()
    other[2, 3, 1] += 1.0
    changed = write(
        tmp_path / "changed.tsv", [row("house0", PLACES.graphs[0].ids[2], other[2]), *rows()[3:], *rows()[:2]]
    )
    assert read_views(changed, PLACES, CPU).hash != views.hash


BAD = {
    "line 1: expected 6 fields separated by tabs: scanId, .*, got 2": ["house0\tplace"],
    "line 1, field features: expected base64 of float32": [rows()[0][:-3] + "***"],
    "36 views, got 20 bytes": [row("house0", PLACES.graphs[0].ids[0], np.zeros(5, np.float32))],
    "line 2, .*expected 3 values for each view, as in the rows before, got 4": [
        rows()[0],
        row("house0", PLACES.graphs[0].ids[1], np.zeros((VIEW_COUNT, 4), np.float32)),
    ],
    "finite features": [row("house0", PLACES.graphs[0].ids[0], np.full((VIEW_COUNT, DIM), np.nan, np.float32))],
    "features of all 8 places, got none of 7, such as matterport/house0-1 of matterport/house0": rows()[:1],
    "features of all 8 places, got none of 8": [],
}


@pytest.mark.parametrize("message", BAD)
def test_files_that_cannot_be_used_are_named(message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message) as error:
        read_views(write(tmp_path / "features.tsv", BAD[message]), PLACES, CPU)
    assert "features.tsv" in str(error.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a file of features of Matterport views"):
        read_views(tmp_path / "none.tsv", PLACES, CPU)
