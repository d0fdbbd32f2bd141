"""Random rows of every format survive loading and writing unchanged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bearleft.data import read, write
from bearleft.world.arramon.items.names import ITEMS
from tests.data import sample_files
from tests.data.slow_reference import are_equal, contains, read_yaws
from tests.data.slow_reference import read as read_slowly

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: bool(text.strip()))
leaves = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | texts
unknown_fields = st.dictionaries(
    texts.map(lambda name: f"mine {name}"), leaves | st.lists(leaves, max_size=3), max_size=2
)
ids = st.integers(-5, 10**9)
ratios = st.floats(0, 1)
clicks = st.builds(sample_files.click, ratios, ratios) | st.just(sample_files.click(-1, -1))
angles = st.floats(-720, 720)
pitches = st.floats(-90, 90)


@st.composite
def routes(draw: st.DrawFn) -> list[str]:
    """Draw a walk on the sample streets."""
    row, column = draw(st.integers(0, sample_files.SIDE - 1)), draw(st.integers(0, sample_files.SIDE - 1))
    route = [f"p{row * sample_files.SIDE + column}"]
    for down, right in draw(st.lists(st.sampled_from([(1, 0), (0, 1), (-1, 0), (0, -1)]), min_size=1, max_size=8)):
        if 0 <= row + down < sample_files.SIDE and 0 <= column + right < sample_files.SIDE:
            row, column = row + down, column + right
            route.append(f"p{row * sample_files.SIDE + column}")
    return route


@st.composite
def touchdown_rows(draw: st.DrawFn) -> dict[str, Any]:
    route = draw(routes())
    row = sample_files.touchdown_line(draw(ids), route * 2 if len(route) == 1 else route)
    row |= {"route_panoids": route, "navigation_text": draw(texts), "td_location_text": draw(texts)}
    row |= {"start_heading": draw(angles | st.integers(-720, 720)), "main_pano": route[-1]}
    for view in ("pre", "main", "post"):
        has_view = draw(st.booleans())
        row[f"{view}_static_center"] = draw(clicks)
        row[f"{view}_heading"] = repr(draw(angles)) if has_view else ""
        row[f"{view}_pitch"] = repr(draw(pitches)) if has_view else ""
    return row | draw(unknown_fields)


@st.composite
def map2seq_rows(draw: st.DrawFn) -> dict[str, Any]:
    row = {"id": draw(ids), "instructions_id": draw(ids), "route_panoids": draw(routes())}
    return row | {"navigation_text": draw(texts), "start_heading": draw(st.integers(-360, 360))} | draw(unknown_fields)


views = st.lists(
    st.lists(st.tuples(angles.filter(lambda a: abs(a) <= 360), st.floats(-96, 96)).map(list), max_size=3), max_size=3
)


@st.composite
def refer360_rows(draw: st.DrawFn) -> dict[str, Any]:
    row = sample_files.refer360_items()[0]
    words = draw(st.lists(st.lists(st.just("") | texts, max_size=4), min_size=1, max_size=3))
    row |= {"refexp": [["look", *words[0]], *words[1:]], "annotationid": draw(ids), "img_idx": draw(texts)}
    row |= {"xlng_deg": draw(st.floats(-360, 360)), "ylat_deg": draw(pitches)}
    row["actions"] = [sample_files.follower(draw(views), 1.0, 2.0) for _ in range(draw(st.integers(0, 2)))]
    return row | draw(unknown_fields)


letters = st.text("flr", max_size=12)


@st.composite
def arramon_rows(draw: st.DrawFn) -> dict[str, Any]:
    row = sample_files.arramon_item(draw(ids), draw(letters), draw(letters), draw(st.floats(0, 360)))
    row["instructions"] = {"assem_inst_gt": [draw(texts), draw(texts)], "navi_inst_gt": [draw(texts), draw(texts)]}
    row["gt_objects"] = [draw(st.sampled_from(ITEMS)).name for _ in range(2)]
    row["gt_objects_pos"]["assem_obj_pos_gt"][0] = [
        draw(st.integers(0, 4)),
        draw(st.integers(1, 4)),
        draw(st.integers(0, 3)),
    ]
    return row | draw(unknown_fields)


@st.composite
def r2r_rows(draw: st.DrawFn) -> dict[str, Any]:
    begin = draw(st.integers(0, 5))
    row = {"distance": draw(st.floats(0, 50)), "scan": "house1", "path_id": draw(ids)}
    row |= {"path": list("abcdef"[begin : draw(st.integers(begin + 1, 6))]), "heading": draw(st.floats(-7, 7))}
    return row | {"instructions": draw(st.lists(texts, min_size=1, max_size=4))} | draw(unknown_fields)


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
def test_rows_round_trip(sample_data: Path, tmp_path: Path, kind: str, data: st.DataObject) -> None:
    row = data.draw(ROWS[kind])
    lines = kind in ("touchdown", "touchdown-complete", "sdr", "map2seq")
    path, back = tmp_path / "row", tmp_path / "back"
    path.write_text(json.dumps(row) if lines else json.dumps([row]), encoding="utf-8")
    episodes = list(read(f"{kind}/made", path, sample_data))
    expected = read_slowly(kind, row, read_yaws(sample_data))
    assert are_equal(
        [{name: e.to_json()[name] for name in ("id", "world", "start", "legs")} for e in episodes], expected
    )
    if episodes:
        write(kind, episodes, back)
        assert list(read(f"{kind}/made", back, sample_data)) == episodes
        written = json.loads(back.read_text(encoding="utf-8"))
        assert contains(written if lines else written[0], row)
