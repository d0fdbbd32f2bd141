from __future__ import annotations

import base64
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from bearleft.cli import main
from bearleft.data import load
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.records import Episode, Reach, Trace
from bearleft.reports.html.pictures import Limits, ReportPictures, StripView
from bearleft.reports.html.report import report
from tests.reports.html.test_page import ParsedPage

module: Any = importlib.import_module("bearleft.reports.html.report")
LIMIT = 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    traces_folder = tmp_path_factory.mktemp("report")
    for agent, dataset in (("random", "dev"), ("gold", "dev"), ("uniform", "point")):
        evaluate(agent, f"town/{dataset}", traces_folder / f"{agent}-{dataset}.jsonl", seed=1, limit=LIMIT)
    return traces_folder


def parse_page(path: Path) -> ParsedPage:
    return ParsedPage(path.read_text(encoding="utf-8"))


def test_report_holds_several_files(folder: Path, tmp_path: Path) -> None:
    files = [folder / f"{name}.jsonl" for name in ("random-dev", "gold-dev", "uniform-point")]
    progress_calls: list[tuple[str, int, int]] = []
    result = report(*files, output=tmp_path / "new" / "r.html", progress=lambda *call: progress_calls.append(call))
    (row,) = result.rows
    path = tmp_path / "new" / "r.html"
    assert row | {"seconds": 0} == {
        "file": str(path),
        "bytes": path.stat().st_size,
        "episodes": 2 * LIMIT,
        "agents": 3,
        "traces": 3 * LIMIT,
        "pictures": 0,
        "seconds": 0,
    }
    document = parse_page(path)
    summary, rows = json.loads(document.block("summary")), document.unpacked("examples")
    assert summary["title"] == "random, gold, uniform on town/dev, town/point"
    assert len(rows["examples"]) == 2 * LIMIT and rows["places"][0]["id"]
    assert document.unpacked("map0")["marks"]
    assert (
        any("There are no pictures of town/0" in note for note in result.remarks) and summary["notes"] == result.remarks
    )
    assert {label for label, _, _ in progress_calls} >= {"scoring", "reading traces", "writing"}


def test_pictures_are_requested_and_written(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[Limits | None] = []

    def make_pictures(episodes: list[Episode], traces: list[Trace], _: Any, limits: Limits, __: Any) -> ReportPictures:
        requests.append(limits)
        episode_keys = {(episode.dataset, episode.id) for episode in episodes}
        assert len(traces) == 2 * LIMIT and all((trace.dataset, trace.episode) in episode_keys for trace in traces)
        return ReportPictures(
            [b"one", b"two"], {("town/0", str(episodes[0].start.place)): 1}, {(1, 0): [StripView(0, 0, "start")]}
        )

    monkeypatch.setattr(module, "make_pictures", make_pictures)
    files = [folder / "random-dev.jsonl", folder / "gold-dev.jsonl"]
    assert report(*files, output=tmp_path / "r.html").rows[0]["pictures"] == 2
    document = parse_page(tmp_path / "r.html")
    assert [base64.b64decode(document.block(f"picture{k}")) for k in range(2)] == [b"one", b"two"]
    assert document.unpacked("examples")["examples"][0]["traces"][1]["legs"][0]["strip"] == [[0, 0, "start"]]
    report(*files, output=tmp_path / "r.html", full=True)
    assert requests == [Limits.default(), Limits.full()]
    assert report(*files, output=tmp_path / "r.html", with_pictures=False).rows[0]["pictures"] == 0
    assert len(requests) == 2


def test_report_of_a_single_trace(folder: Path, tmp_path: Path) -> None:
    line = (folder / "gold-dev.jsonl").read_text().splitlines()[0]
    (tmp_path / "one.jsonl").write_text(line + "\n")
    (row,) = report(tmp_path / "one.jsonl", output=tmp_path / "one.htm", title="<i>One</i>").rows
    assert (row["episodes"], row["traces"]) == (1, 1)
    document = parse_page(tmp_path / "one.htm")
    summary = json.loads(document.block("summary"))
    assert (
        summary["title"] == "<i>One</i>"
        and not any(tag == "i" for tag, _ in document.tags)
        and not summary["comparisons"]
    )


def test_report_is_reproducible(folder: Path, tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        report(folder / "random-dev.jsonl", output=tmp_path / name, examples=3)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_predictions_of_other_tools_are_reported(tmp_path: Path) -> None:
    goal = load("town/dev")[0].legs[0].goal
    assert isinstance(goal, Reach)
    (tmp_path / "theirs.json").write_text(json.dumps({load("town/dev")[0].id: list(goal.route)}))
    report(tmp_path / "theirs.json", dataset="town/dev", output=tmp_path / "r.html")
    (example,) = parse_page(tmp_path / "r.html").unpacked("examples")["examples"]
    assert example["traces"][0]["success"] is True


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"output": "r.pdf"}, "a file whose name ends in .html or .htm"),
        ({"output": "rep"}, r"Type: -o .*rep\.html"),
        ({"examples": 0}, "at least one example"),
        ({"dataset": "town/point"}, "traces of town/point"),
        ({"pictures": "nowhere"}, "nowhere"),
        ({"device": "abacus"}, "abacus"),
    ],
)
def test_input_errors_write_nothing(options: dict[str, Any], message: str, folder: Path, tmp_path: Path) -> None:
    arguments = {"output": "r.html"} | options
    arguments["output"] = tmp_path / arguments["output"]
    with pytest.raises(InputError, match=message):
        report(folder / "gold-dev.jsonl", **arguments)
    assert list(tmp_path.iterdir()) == []


def test_report_command(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.html"
    main(["report", str(folder / "gold-dev.jsonl"), "-o", str(out), "--no-pictures", "--examples", "2", "--json"])
    captured = capsys.readouterr()
    (row,) = json.loads(captured.out)
    assert row["file"] == str(out) and row["episodes"] == 2 and row["bytes"] == out.stat().st_size
    assert "no pictures" not in captured.err
    for arguments in (["report"], ["report", str(folder / "gold-dev.jsonl"), "-o", str(tmp_path / "r.png")]):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
