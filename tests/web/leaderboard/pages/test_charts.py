"""The picture of a track's history."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from bearleft.web.leaderboard.charts import Point, history_chart, records, ticks

BEGIN = datetime(2031, 5, 6, tzinfo=UTC)
VALUES = st.floats(-1000, 1000).map(lambda value: round(value, 3))
POINTS = st.lists(
    st.builds(
        lambda hours, value: Point(BEGIN + timedelta(hours=hours), value, f"S{value}", "T"),
        st.integers(0, 10_000),
        VALUES,
    ),
    min_size=1,
    max_size=12,
)


@given(POINTS)
def test_records_are_better_than_all_before(points: list[Point]) -> None:
    ordered = sorted(points, key=lambda point: point.time)
    for lower, better in ((False, max), (True, min)):
        found = records(points, lower)
        assert found[-1].value == better(point.value for point in points)
        for record in found:
            before = ordered[: ordered.index(record)]
            assert all(better(record.value, other.value) == record.value != other.value for other in before)


@given(VALUES, st.floats(0, 500))
def test_ticks_hold_the_values_and_are_few(low: float, span: float) -> None:
    marks = ticks(low, low + span)
    assert marks[0] <= low + 1e-9 and marks[-1] >= low + span - 1e-9
    assert 1 <= len(marks) <= 8 and marks == sorted(set(marks))


@given(POINTS)
def test_a_picture_holds_every_entry_inside(points: list[Point]) -> None:
    picture = str(history_chart(points, "nDTW"))
    dots = re.findall(r'<circle class="[^"]*" cx="([\d.-]+)" cy="([\d.-]+)"', picture)
    assert len(dots) == len(points)
    assert all(0 <= float(x) <= 860 and 0 <= float(y) <= 300 for x, y in dots)


def test_names_in_a_picture_are_texts() -> None:
    points = [Point(BEGIN, 1.0, "<script>", '"><img>'), Point(BEGIN, 2.0, "x" * 80, "T", builtin=True)]
    picture = str(history_chart(points, "<b>"))
    assert "<script>" not in picture and "<img>" not in picture and "<b>" not in picture
    assert "entry builtin" in picture and f"{'x' * 25}…" in picture
