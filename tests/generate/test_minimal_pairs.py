"""Tests of city/pairs: generation, loading, evaluation and scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bearleft.cli import cli
from bearleft.data import list_datasets, load, open_dataset, stats
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.generate import datasets, expand_dataset_names, make_dataset
from bearleft.generate.minimal_pairs import KINDS
from bearleft.records import Reach
from bearleft.runtime.store import sha256
from tests.commands import run_command

WORLD = "city/3/4x5"
KIND, WALK_KIND = "first-second", "turn-left-right"
# Kinds that are found at nearly every place, so that tests are fast.
FAST_KINDS = (KIND, WALK_KIND)


pytestmark = pytest.mark.usefixtures("city_cache")


def make_pairs(out: Path, **changes: Any) -> datasets.GeneratedDataset:
    arguments: dict[str, Any] = {"splits": FAST_KINDS, "size": 3, "world": WORLD, "out": out}
    return make_dataset("city/pairs", **arguments | changes)


def test_kinds_are_the_splits() -> None:
    assert tuple(datasets.SIZES["city/pairs"]) == KINDS and set(datasets.SIZES["city/pairs"].values()) == {200}


def test_pairs_are_generated_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, int, int]] = []
    first = make_pairs(tmp_path, progress=lambda *args: calls.append(args))
    assert [row["dataset"] for row in first.rows] == [f"city/pairs/{kind}" for kind in FAST_KINDS]
    assert calls[-1] == ("city/pairs/turn-left-right", 3, 3)
    for kind in FAST_KINDS:
        episodes = load(f"city/pairs/{kind}", tmp_path)
        assert [episode.extra["pair"] for episode in episodes] == [0, 0, 1, 1, 2, 2]
        assert {episode.world for episode in episodes} == {WORLD}
        assert len({episode.id for episode in episodes}) == 6
    manifest = datasets.read_manifest(tmp_path / "city/pairs/manifest.json")
    for kind, entry in manifest["splits"].items():
        assert entry["files"] == {f"{kind}.jsonl": sha256(tmp_path / f"city/pairs/{kind}.jsonl")}
        assert (entry["examples"], entry["lines"]) == (3, 6)
        assert entry["attempts"] == 3 + entry["skipped"]["places without such a pair"]
    # Existing kinds are not generated again; an unfinished one is.
    unfinished = tmp_path / "city/pairs/turn-left-right.jsonl"
    content = unfinished.read_bytes()
    unfinished.unlink()
    monkeypatch.setitem(datasets.SIZES, "city/pairs", dict.fromkeys(FAST_KINDS, 3))
    assert make_pairs(tmp_path, splits=()).rows == first.rows and unfinished.read_bytes() == content
    # A smaller size gives the first pairs of a larger one; another seed gives others.
    make_pairs(tmp_path / "fewer", size=2, splits=[KIND])
    assert load(f"city/pairs/{KIND}", tmp_path / "fewer") == load(f"city/pairs/{KIND}", tmp_path)[:4]
    make_pairs(tmp_path / "other", size=3, splits=[KIND], seed=1)
    assert load(f"city/pairs/{KIND}", tmp_path / "other") != load(f"city/pairs/{KIND}", tmp_path)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"splits": ["colours"]}, "a split of city/pairs"),
        ({"splits": ["small"]}, "a split of city/pairs"),
        ({"style": "loose"}, "the style plain"),
    ],
)
def test_invalid_arguments(tmp_path: Path, changes: dict[str, Any], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        make_pairs(tmp_path, **changes)
    assert not list(tmp_path.rglob("*.jsonl"))


def test_city_with_fewer_pairs_gives_all_and_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("data", "make", "city/pairs", WALK_KIND, "--world", WORLD, "-o", tmp_path, "--json", "--size")
    code, out, err = run_command(capsys, *arguments, 900)
    count = json.loads(out)[0]["examples"]
    assert code == 0 and 3 < count < 900
    warning = f"Warning: city/pairs/{WALK_KIND}: expected 900 examples, found {count:,} in {WORLD}, which are written."
    assert err.startswith(warning)
    assert len(load(f"city/pairs/{WALK_KIND}", tmp_path)) == 2 * count
    entry = datasets.read_manifest(tmp_path / "city/pairs/manifest.json")["splits"][WALK_KIND]
    assert (entry["examples"], entry["requested"], entry["lines"]) == (count, 900, 2 * count)
    assert entry["attempts"] == count + entry["skipped"]["places without such a pair"]
    # The same command does not search again, and still warns; a smaller size is refused.
    with monkeypatch.context() as patch:
        patch.setattr("bearleft.generate.minimal_pairs.pair_episodes", lambda *_: pytest.fail("generated again"))
        assert run_command(capsys, *arguments, 900) == (0, out, err)
        assert "at least the" in run_command(capsys, *arguments, 3)[2]
    # Requesting the existing number gives the same file without a warning.
    content = (tmp_path / f"city/pairs/{WALK_KIND}.jsonl").read_bytes()
    code, out, err = run_command(capsys, *arguments, count)
    assert code == 0 and "Warning" not in err and (tmp_path / f"city/pairs/{WALK_KIND}.jsonl").read_bytes() == content


def test_city_without_pairs_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bearleft.generate.minimal_pairs.pair_episodes", lambda *_: ([], 7))
    with pytest.raises(InputError, match=f"a city with 3 examples for {WALK_KIND}, got 0 in {WORLD}"):
        make_pairs(tmp_path, splits=[WALK_KIND])
    assert not list(tmp_path.rglob("*.jsonl"))


def test_small_splits_are_part_of_the_package() -> None:
    listed = {row["dataset"] for row in list_datasets()}
    assert {f"city/pairs/{kind}" for kind in KINDS} <= listed and "city/pairs/manifest" not in listed
    for kind in KINDS:
        episodes = list(open_dataset(f"city/pairs/{kind}"))
        assert len(episodes) == 20 and {episode.extra["kind"] for episode in episodes} == {kind}
        for first, second in zip(episodes[::2], episodes[1::2], strict=True):
            assert (first.extra["changed"], second.extra["changed"]) == (False, True)
            assert first.start == second.start and first.extra["pair"] == second.extra["pair"]
            texts = []
            for episode in (first, second):
                begin, end = episode.extra["span"]
                texts.append(episode.legs[0].text[:begin] + episode.legs[0].text[end:])
            assert texts[0] == texts[1] and first.legs[0].text != second.legs[0].text
    folder = Path(datasets.__file__).parents[1] / "data/embedded/city/pairs"
    assert sum(path.stat().st_size for path in folder.iterdir()) < 120_000


def test_statistics() -> None:
    rows = stats(None, expand_dataset_names(["city/pairs"], None))
    assert {row["dataset"] for row in rows} == {f"city/pairs/{kind}" for kind in KINDS}
    assert {row["value"] for row in rows if row["statistic"] == "episodes"} == {20}


@pytest.mark.parametrize("kind", KINDS)
def test_follower_understands_the_changed_word(kind: str, tmp_path: Path) -> None:
    name, path = f"city/pairs/{kind}", tmp_path / "traces.jsonl"
    evaluate("follower", name, path)
    rows = {row["metric"]: row for row in score(path, resamples=10).rows}
    assert rows["Changed"]["value"] >= 90 and rows["Changed"]["n"] == rows["Pairs"]["n"] == 10
    assert rows["Pairs"]["value"] >= 90
    walked = isinstance(load(name)[0].legs[0].goal, Reach)
    assert (rows["TC"] if walked else rows["A@40px"])["value"] >= 95


@pytest.mark.parametrize(("agent", "kind"), [("stop", "turn-left-right"), ("center", "colour"), ("average", "count")])
def test_agents_that_do_not_read_solve_no_pair(agent: str, kind: str, tmp_path: Path) -> None:
    evaluate(agent, f"city/pairs/{kind}", tmp_path / "traces.jsonl")
    values = {row["metric"]: row["value"] for row in score(tmp_path / "traces.jsonl", resamples=10).rows}
    assert values["Pairs"] == 0


def test_command_line(tmp_path: Path) -> None:
    runner = CliRunner()
    command = ["data", "make", "city/pairs", KIND, "--size", "2", "--world", WORLD, "-o", str(tmp_path), "--json"]
    result = runner.invoke(cli, command)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)[0]["lines"] == 4
    traces = str(tmp_path / "t.jsonl")
    for arguments in (
        ["eval", "gold", f"city/pairs/{KIND}", "--data", str(tmp_path), "-o", traces],
        ["score", traces, "--data", str(tmp_path), "--json"],
    ):
        result = runner.invoke(cli, arguments)
        assert result.exit_code == 0, result.output
    values = {row["metric"]: row["value"] for row in json.loads(result.stdout)}
    assert values["Pairs"] == values["Changed"] == 100
