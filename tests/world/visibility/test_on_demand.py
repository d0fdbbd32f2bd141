"""A table that is computed on demand holds the rows of a whole one, and no more places than were asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from bearleft.errors import InputError
from bearleft.world.city.city import City, build_plan
from bearleft.world.city.streets import city_graph
from bearleft.world.visibility import on_demand
from bearleft.world.visibility.on_demand import on_demand_table
from bearleft.world.visibility.table import VisibilityTable, rows_file, visibility_table

WIDTH = 128


@pytest.fixture(scope="module")
def city() -> City:
    return City(build_plan(city_graph(1, 2, 2), 1))


@pytest.fixture(scope="module")
def whole(city: City, tmp_path_factory: pytest.TempPathFactory) -> VisibilityTable:
    return visibility_table(city, tmp_path_factory.mktemp("whole") / "t", WIDTH)


def computed(folder: Path) -> list[int]:
    return [int(path.stem.removeprefix("places-")) for path in sorted(folder.glob("places-*.npy"))]


@pytest.mark.slow
def test_rows_are_those_of_a_whole_table(city: City, whole: VisibilityTable, tmp_path: Path) -> None:
    table = on_demand_table(city, tmp_path / "t", WIDTH)
    assert len(table) == len(whole) and not computed(tmp_path / "t")
    for place in (5, 0, len(city.graph) - 1, 5):
        rows = table.at(place)
        assert len(rows) and rows.tobytes() == whole.at(place).tobytes()
    assert computed(tmp_path / "t") == [0, 5, len(city.graph) - 1]
    assert table.rows().tobytes() == whole.rows().tobytes()


def test_computed_rows_are_shared(city: City, whole: VisibilityTable, tmp_path: Path) -> None:
    reports: list[tuple[str, int, int]] = []
    table = on_demand_table(city, tmp_path / "t", WIDTH)
    table.at(4)
    table.build([3, 4, 7, 3], lambda *report: reports.append(report))
    assert computed(tmp_path / "t") == [3, 4, 7] and reports[-1][1] == reports[-1][2] == 3
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(on_demand, "renderer", None)  # nothing is rendered again
        assert on_demand_table(city, tmp_path / "t", WIDTH).at(7).tobytes() == whole.at(7).tobytes()


def test_what_cannot_be_read_raises(city: City, tmp_path: Path) -> None:
    table = on_demand_table(city, tmp_path / "t", WIDTH)
    with pytest.raises(InputError, match="a whole visibility table"):
        table.places_of(1)
    with pytest.raises(InputError, match="a place from 0"):
        table.at(len(city.graph))
    with pytest.raises(InputError, match="whose width is 128"):
        on_demand_table(city, tmp_path / "t", 2 * WIDTH)
    with pytest.raises(InputError, match="whose places_per_file is 1"):
        visibility_table(city, tmp_path / "t", WIDTH)
    rows_file(tmp_path / "t", 2).write_bytes(b"something else")
    with pytest.raises(InputError, match="a file of a visibility table"):
        table.at(2)
