"""Minimal pairs as datasets: made, found by name, played and scored."""

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
from bearleft.generate import datasets as city
from bearleft.generate import ensure_samples, make_dataset
from bearleft.generate.minimal_pairs import KINDS
from bearleft.records import Reach
from bearleft.runtime.store import sha256
from tests.test_cli import typed

WORLD = "city/3/4x5"
KIND, WALKED = "first-second", "turn-left-right"
# Found at nearly every place, or by the streets alone: quick to make.
QUICK = (KIND, WALKED)


pytestmark = pytest.mark.usefixtures("city_cache")


def made(out: Path, **changes: Any) -> city.GeneratedDataset:
    asked: dict[str, Any] = {"splits": QUICK, "size": 3, "world": WORLD, "out": out}
    return make_dataset("city/pairs", **asked | changes)


def test_the_kinds_are_the_splits() -> None:
    assert tuple(city.SIZES["city/pairs"]) == KINDS and set(city.SIZES["city/pairs"].values()) == {200}


def test_pairs_are_made_whole_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[str, int, int]] = []
    first = made(tmp_path, progress=lambda *said: heard.append(said))
    assert [row["dataset"] for row in first.rows] == [f"city/pairs/{kind}" for kind in QUICK]
    assert heard[-1] == ("city/pairs/turn-left-right", 3, 3)
    for kind in QUICK:
        episodes = load(f"city/pairs/{kind}", tmp_path)
        assert [episode.extra["pair"] for episode in episodes] == [0, 0, 1, 1, 2, 2]
        assert {episode.world for episode in episodes} == {WORLD}
        assert len({episode.id for episode in episodes}) == 6
    known = city.read_manifest(tmp_path / "city/pairs/manifest.json")
    for kind, about in known["splits"].items():
        assert about["files"] == {f"{kind}.jsonl": sha256(tmp_path / f"city/pairs/{kind}.jsonl")}
        assert (about["examples"], about["lines"]) == (3, 6)
        assert about["tried"] == 3 + about["passed_over"]["places without such a pair"]
    # What is there is not made again; a kind that was not finished is.
    unfinished = tmp_path / "city/pairs/turn-left-right.jsonl"
    whole = unfinished.read_bytes()
    unfinished.unlink()
    monkeypatch.setitem(city.SIZES, "city/pairs", dict.fromkeys(QUICK, 3))
    assert made(tmp_path, splits=()).rows == first.rows and unfinished.read_bytes() == whole
    # Fewer are the first of more, and another seed finds others.
    made(tmp_path / "fewer", size=2, splits=[KIND])
    assert load(f"city/pairs/{KIND}", tmp_path / "fewer") == load(f"city/pairs/{KIND}", tmp_path)[:4]
    made(tmp_path / "other", size=3, splits=[KIND], seed=1)
    assert load(f"city/pairs/{KIND}", tmp_path / "other") != load(f"city/pairs/{KIND}", tmp_path)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"splits": ["colours"]}, "a split of city/pairs"),
        ({"splits": ["small"]}, "a split of city/pairs"),
        ({"style": "loose"}, "the style plain"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, changes: dict[str, Any], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        made(tmp_path, **changes)
    assert not list(tmp_path.rglob("*.jsonl"))


def test_a_city_with_fewer_gives_those_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("data", "make", "city/pairs", WALKED, "--world", WORLD, "-o", tmp_path, "--json", "--size")
    code, out, err = typed(capsys, *asked, 900)
    found = json.loads(out)[0]["examples"]
    assert code == 0 and 3 < found < 900
    warning = f"Warning: city/pairs/{WALKED}: expected 900 examples, found {found:,} in {WORLD}, which are written."
    assert err.startswith(warning)
    assert len(load(f"city/pairs/{WALKED}", tmp_path)) == 2 * found
    about = city.read_manifest(tmp_path / "city/pairs/manifest.json")["splits"][WALKED]
    assert (about["examples"], about["asked"], about["lines"]) == (found, 900, 2 * found)
    assert about["tried"] == found + about["passed_over"]["places without such a pair"]
    # The same command searches no more, and still warns; a smaller size is refused as ever.
    with monkeypatch.context() as patch:
        patch.setattr("bearleft.generate.minimal_pairs.pair_episodes", lambda *_: pytest.fail("made again"))
        assert typed(capsys, *asked, 900) == (0, out, err)
        assert "at least the" in typed(capsys, *asked, 3)[2]
    # What there is, asked for by its number, is the same and needs no warning.
    whole = (tmp_path / f"city/pairs/{WALKED}.jsonl").read_bytes()
    code, out, err = typed(capsys, *asked, found)
    assert code == 0 and "Warning" not in err and (tmp_path / f"city/pairs/{WALKED}.jsonl").read_bytes() == whole


def test_a_city_with_none_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bearleft.generate.minimal_pairs.pair_episodes", lambda *_: ([], 7))
    with pytest.raises(InputError, match=f"a city with 3 examples for {WALKED}, got 0 in {WORLD}"):
        made(tmp_path, splits=[WALKED])
    assert not list(tmp_path.rglob("*.jsonl"))


def test_small_ones_come_with_bearleft() -> None:
    listed = {row["dataset"] for row in list_datasets()}
    assert {f"city/pairs/{kind}" for kind in KINDS} <= listed and "city/pairs/manifest" not in listed
    for kind in KINDS:
        episodes = list(open_dataset(f"city/pairs/{kind}"))
        assert len(episodes) == 20 and {episode.extra["kind"] for episode in episodes} == {kind}
        for one, other in zip(episodes[::2], episodes[1::2], strict=True):
            assert (one.extra["changed"], other.extra["changed"]) == (False, True)
            assert one.start == other.start and one.extra["pair"] == other.extra["pair"]
            texts = []
            for episode in (one, other):
                begin, end = episode.extra["span"]
                texts.append(episode.legs[0].text[:begin] + episode.legs[0].text[end:])
            assert texts[0] == texts[1] and one.legs[0].text != other.legs[0].text
    folder = Path(city.__file__).parents[1] / "data/embedded/city/pairs"
    assert sum(path.stat().st_size for path in folder.iterdir()) < 120_000


def test_they_are_counted() -> None:
    rows = stats(None, ensure_samples(["city/pairs"], None))
    assert {row["dataset"] for row in rows} == {f"city/pairs/{kind}" for kind in KINDS}
    assert {row["value"] for row in rows if row["statistic"] == "episodes"} == {20}


@pytest.mark.parametrize("kind", KINDS)
def test_the_follower_takes_the_word(kind: str, tmp_path: Path) -> None:
    name, path = f"city/pairs/{kind}", tmp_path / "traces.jsonl"
    evaluate("follower", name, path)
    found = {row["metric"]: row for row in score(path, resamples=10).rows}
    assert found["Changed"]["value"] >= 90 and found["Changed"]["n"] == found["Pairs"]["n"] == 10
    assert found["Pairs"]["value"] >= 90
    walked = isinstance(load(name)[0].legs[0].goal, Reach)
    assert (found["TC"] if walked else found["A@40px"])["value"] >= 95


@pytest.mark.parametrize(("agent", "kind"), [("stop", "turn-left-right"), ("center", "colour"), ("average", "count")])
def test_who_does_not_read_has_no_pair_right(agent: str, kind: str, tmp_path: Path) -> None:
    evaluate(agent, f"city/pairs/{kind}", tmp_path / "traces.jsonl")
    found = {row["metric"]: row["value"] for row in score(tmp_path / "traces.jsonl", resamples=10).rows}
    assert found["Pairs"] == 0


def test_on_the_command_line(tmp_path: Path) -> None:
    runner = CliRunner()
    command = ["data", "make", "city/pairs", KIND, "--size", "2", "--world", WORLD, "-o", str(tmp_path), "--json"]
    result = runner.invoke(cli, command)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)[0]["lines"] == 4
    traces = str(tmp_path / "t.jsonl")
    for words in (
        ["eval", "gold", f"city/pairs/{KIND}", "--data", str(tmp_path), "-o", traces],
        ["score", traces, "--data", str(tmp_path), "--json"],
    ):
        result = runner.invoke(cli, words)
        assert result.exit_code == 0, result.output
    found = {row["metric"]: row["value"] for row in json.loads(result.stdout)}
    assert found["Pairs"] == found["Changed"] == 100
