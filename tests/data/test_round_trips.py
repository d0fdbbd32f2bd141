"""Random rows of every format: loaded, written and loaded again they are the same, and the row is too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bearleft.data import read, write
from bearleft.world.arramon.items.names import ITEMS
from tests.data import sample_files as m
from tests.data.slow_reference import alike, holds, yaws_of
from tests.data.slow_reference import read as read_slowly

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: bool(text.strip()))
leaves = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | texts
others = st.dictionaries(texts.map(lambda name: f"mine {name}"), leaves | st.lists(leaves, max_size=3), max_size=2)
ids = st.integers(-5, 10**9)
ratios = st.floats(0, 1)
clicks = st.builds(m.click, ratios, ratios) | st.just(m.click(-1, -1))
angles = st.floats(-720, 720)
pitches = st.floats(-90, 90)


@st.composite
def routes(draw: st.DrawFn) -> list[str]:
    """A walk on the made-up streets."""
    row, column = draw(st.integers(0, m.SIDE - 1)), draw(st.integers(0, m.SIDE - 1))
    route = [f"p{row * m.SIDE + column}"]
    for down, right in draw(st.lists(st.sampled_from([(1, 0), (0, 1), (-1, 0), (0, -1)]), min_size=1, max_size=8)):
        if 0 <= row + down < m.SIDE and 0 <= column + right < m.SIDE:
            row, column = row + down, column + right
            route.append(f"p{row * m.SIDE + column}")
    return route


@st.composite
def touchdown_rows(draw: st.DrawFn) -> dict[str, Any]:
    route = draw(routes())
    row = m.touchdown_line(draw(ids), route * 2 if len(route) == 1 else route)
    row |= {"route_panoids": route, "navigation_text": draw(texts), "td_location_text": draw(texts)}
    row |= {"start_heading": draw(angles | st.integers(-720, 720)), "main_pano": route[-1]}
    for view in ("pre", "main", "post"):
        looked = draw(st.booleans())
        row[f"{view}_static_center"] = draw(clicks)
        row[f"{view}_heading"] = repr(draw(angles)) if looked else ""
        row[f"{view}_pitch"] = repr(draw(pitches)) if looked else ""
    return row | draw(others)


@st.composite
def map2seq_rows(draw: st.DrawFn) -> dict[str, Any]:
    row = {"id": draw(ids), "instructions_id": draw(ids), "route_panoids": draw(routes())}
    return row | {"navigation_text": draw(texts), "start_heading": draw(st.integers(-360, 360))} | draw(others)


views = st.lists(
    st.lists(st.tuples(angles.filter(lambda a: abs(a) <= 360), st.floats(-96, 96)).map(list), max_size=3), max_size=3
)


@st.composite
def refer360_rows(draw: st.DrawFn) -> dict[str, Any]:
    row = m.refer360_items()[0]
    said = draw(st.lists(st.lists(st.just("") | texts, max_size=4), min_size=1, max_size=3))
    row |= {"refexp": [["look", *said[0]], *said[1:]], "annotationid": draw(ids), "img_idx": draw(texts)}
    row |= {"xlng_deg": draw(st.floats(-360, 360)), "ylat_deg": draw(pitches)}
    row["actions"] = [m.follower(draw(views), 1.0, 2.0) for _ in range(draw(st.integers(0, 2)))]
    return row | draw(others)


letters = st.text("flr", max_size=12)


@st.composite
def arramon_rows(draw: st.DrawFn) -> dict[str, Any]:
    row = m.arramon_item(draw(ids), draw(letters), draw(letters), draw(st.floats(0, 360)))
    row["instructions"] = {"assem_inst_gt": [draw(texts), draw(texts)], "navi_inst_gt": [draw(texts), draw(texts)]}
    row["gt_objects"] = [draw(st.sampled_from(ITEMS)).name for _ in range(2)]
    row["gt_objects_pos"]["assem_obj_pos_gt"][0] = [
        draw(st.integers(0, 4)),
        draw(st.integers(1, 4)),
        draw(st.integers(0, 3)),
    ]
    return row | draw(others)


@st.composite
def r2r_rows(draw: st.DrawFn) -> dict[str, Any]:
    begin = draw(st.integers(0, 5))
    row = {"distance": draw(st.floats(0, 50)), "scan": "house1", "path_id": draw(ids)}
    row |= {"path": list("abcdef"[begin : draw(st.integers(begin + 1, 6))]), "heading": draw(st.floats(-7, 7))}
    return row | {"instructions": draw(st.lists(texts, min_size=1, max_size=4))} | draw(others)


ROWS = {
    "touchdown": touchdown_rows(),
    "touchdown-complete": touchdown_rows(),
    "sdr": touchdown_rows(),
    "map2seq": map2seq_rows(),
    "refer360": refer360_rows(),
    "arramon": arramon_rows(),
    "r2r": r2r_rows(),
    "r4r": st.builds(lambda row, a, b: row | {"first_path_id": a, "second_path_id": b}, r2r_rows(), ids, ids),
}


@pytest.mark.parametrize("kind", ROWS)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_rows_survive(made: Path, tmp_path: Path, kind: str, data: st.DataObject) -> None:
    row = data.draw(ROWS[kind])
    lines = kind in ("touchdown", "touchdown-complete", "sdr", "map2seq")
    path, back = tmp_path / "row", tmp_path / "back"
    path.write_text(json.dumps(row) if lines else json.dumps([row]), encoding="utf-8")
    episodes = list(read(f"{kind}/made", path, made))
    expected = read_slowly(kind, row, yaws_of(made))
    assert alike([{name: e.to_json()[name] for name in ("id", "world", "start", "legs")} for e in episodes], expected)
    if episodes:
        write(kind, episodes, back)
        assert list(read(f"{kind}/made", back, made)) == episodes
        written = json.loads(back.read_text(encoding="utf-8"))
        assert holds(written if lines else written[0], row)
