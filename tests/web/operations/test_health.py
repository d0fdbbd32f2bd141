"""Health, readiness and metrics over HTTP, and who may read them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

from bearleft.errors import InputError
from bearleft.web.app import create_app
from bearleft.web.database import schema
from bearleft.web.operations.metrics import BUCKETS, Counters, gauge_lines, request_lines
from bearleft.web.operations.options import Operations
from bearleft.web.projects import create_project
from bearleft.web.settings import Settings
from tests.web.server import person, serving

TOKEN = "metrics-token-of-the-test"
LINE = re.compile(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? \d+(\.\d+)?')


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(database=str(tmp_path / "web.sqlite"), cache=tmp_path / "panoramas")


@pytest.fixture
def site(settings: Settings) -> Iterator[str]:
    app = create_app(settings)
    create_project(
        app.state.database, app.state.worlds, "study", "touchdown", {"dataset": "city/touchdown/small", "limit": 3}
    )
    with serving(app) as address:
        yield address


def value(lines: str, name: str) -> float:
    """Return the value of a metric with its labels."""
    return next(float(line.rpartition(" ")[2]) for line in lines.splitlines() if line.rpartition(" ")[0] == name)


def test_a_server_that_works_is_healthy_and_ready(site: str) -> None:
    for path, status in (("/health", "ok"), ("/ready", "ready")):
        answer = httpx.get(site + path)
        assert answer.status_code == 200 and answer.json() == {"status": status}
        assert answer.headers["cache-control"] == "no-store" and "set-cookie" not in answer.headers


def _older(app: object) -> None:
    with app.state.database.write() as session:  # type: ignore[attr-defined]
        session.execute(text(f"UPDATE {schema.VERSION_TABLE} SET version_num = '0000'"))


def _gone(app: object) -> None:
    with app.state.database.write() as session:  # type: ignore[attr-defined]
        session.execute(text(f"DROP TABLE {schema.VERSION_TABLE}"))


@pytest.mark.parametrize("damage", [_older, _gone])
def test_a_server_with_other_tables_is_not_ready(settings: Settings, damage: Callable[[object], None]) -> None:
    app = create_app(settings)
    with serving(app) as address:
        damage(app)
        answer = httpx.get(f"{address}/ready")
        assert answer.status_code == 503 and answer.json()["status"] == "not ready"
        assert httpx.get(f"{address}/health").status_code == 200


def test_metrics_tell_requests_and_the_queue(site: str) -> None:
    with person(site) as client:
        before = httpx.get(f"{site}/metrics").text
        claimed = client.post("/api/projects/study/claim", json={}).json()
        for _ in range(3):
            assert client.get("/work/no-such-unit").status_code == 404
        lines = httpx.get(f"{site}/metrics").text
        assert claimed["url"]
    for line in lines.splitlines():
        assert line.startswith(("# HELP bearleft_", "# TYPE bearleft_")) or LINE.fullmatch(line), line
    assert value(lines, 'bearleft_requests_total{method="GET",route="/work/{attempt}",status="404"}') == 3
    seconds = 'bearleft_request_seconds_{}{{method="GET",route="/work/{{attempt}}"{}}}'
    assert value(lines, seconds.format("count", "")) == 3
    assert value(lines, seconds.format("bucket", ',le="+Inf"')) == 3
    assert value(lines, "bearleft_active_leases") == 1
    depth = 'bearleft_queue_depth{project="study"}'
    assert value(lines, depth) == value(before, depth) - 1
    assert claimed["attempt"] not in lines
    assert value(lines, 'bearleft_leaderboard_submissions{state="queued"}') == 0
    assert value(lines, "bearleft_leaderboard_wait_seconds") == 0


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-For": "203.0.113.7"},
        {"X-Forwarded-For": "127.0.0.1"},
        {"Forwarded": "for=203.0.113.7"},
        {"Via": "1.1 proxy"},
        {"Host": "study.example"},
        {"Host": "["},
    ],
)
def test_only_this_machine_reads_metrics(site: str, headers: dict[str, str]) -> None:
    answer = httpx.get(f"{site}/metrics", headers=headers)
    assert answer.status_code == 404 and "bearleft_" not in answer.text


def test_a_token_opens_metrics_and_is_needed_then(settings: Settings) -> None:
    with serving(create_app(replace(settings, operations=Operations(metrics_token=TOKEN)))) as address:
        assert httpx.get(f"{address}/metrics").status_code == 404
        for wrong in ("", "Bearer", "Bearer x", f"Basic {TOKEN}", f"Bearer {TOKEN}x", TOKEN):
            assert httpx.get(f"{address}/metrics", headers={"Authorization": wrong}).status_code == 404
        headers = {"Authorization": f"Bearer {TOKEN}", "X-Forwarded-For": "203.0.113.7", "Host": "study.example"}
        assert "bearleft_active_leases 0" in httpx.get(f"{address}/metrics", headers=headers).text


def test_short_tokens_are_refused() -> None:
    with pytest.raises(InputError, match="at least 16 characters"):
        Operations(metrics_token="short")


def test_methods_and_paths_of_strangers_make_no_new_rows(site: str) -> None:
    for k in range(20):
        httpx.request(f"METHOD{k}", f"{site}/nowhere/{k}")
        httpx.get(f"{site}/static/web/{k}.js")
    lines = httpx.get(f"{site}/metrics").text
    assert value(lines, 'bearleft_requests_total{method="other",route="unmatched",status="404"}') == 20
    assert value(lines, 'bearleft_requests_total{method="GET",route="/static/web/*",status="404"}') == 20
    assert len(lines.splitlines()) < 60


def test_processes_add_their_counters(tmp_path: Path) -> None:
    first, second = (Counters(tmp_path, k) for k in range(2))
    first.add("GET", "/", 200, 0.004)
    second.add("GET", "/", 200, 0.3)
    second.add("GET", "/", 404, 99.0)
    second.save()
    lines = "\n".join(request_lines(first.sums()))
    assert value(lines, 'bearleft_requests_total{method="GET",route="/",status="200"}') == 2
    assert value(lines, 'bearleft_request_seconds_bucket{method="GET",route="/",le="0.005"}') == 1
    assert value(lines, 'bearleft_request_seconds_bucket{method="GET",route="/",le="10"}') == 2
    assert value(lines, 'bearleft_request_seconds_sum{method="GET",route="/"}') == 99.304
    again = Counters(tmp_path, 1)  # the process was started again
    again.add("GET", "/", 404, 0.1)
    again.save()
    assert sum(sum(row[:-1]) for row in first.sums().values()) == 4


def test_a_damaged_file_of_counters_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / "counters-0.json").write_text("{")
    counters = Counters(tmp_path, 0)
    counters.add("GET", "/", 200, 0.1)
    assert len(counters.sums()) == 1


def test_limits_belong_to_the_lower_bucket() -> None:
    counters = Counters()
    for limit in BUCKETS:
        counters.add("GET", "/", 200, limit)
    (row,) = counters.sums().values()
    assert row[:-1] == [1] * len(BUCKETS) + [0]


def test_labels_are_escaped() -> None:
    (*_, line) = gauge_lines("name", "Text.", [({"project": 'a"b\\c\nd'}, 1)])
    assert line == 'name{project="a\\"b\\\\c\\nd"} 1'
