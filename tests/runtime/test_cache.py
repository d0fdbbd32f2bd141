"""The cache folder: its sizes, and what clearing deletes and leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bearleft.cli import main
from bearleft.errors import InputError
from bearleft.runtime.cache import KINDS, cache_rows, clear_cache


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a cache folder with distances, compiled code, a dataset, a foreign file and links to other folders."""
    folder, outside = tmp_path / "cache", tmp_path / "outside"
    for name, size in (
        ("distances/a-hops.npy", 2000),
        ("numba/hash/module/f.nbi", 30),
        ("city/sdr/dev.jsonl", 7),
        ("mine.txt", 5),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"x" * size)
    outside.mkdir()
    (outside / "precious.txt").write_text("keep me")
    (folder / "distances" / "link").symlink_to(outside)
    (folder / "visible").symlink_to(outside)
    monkeypatch.setenv("BEARLEFT_CACHE", str(folder))
    return folder


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = 0
    try:
        main(["cache", *arguments])
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_rows_count_files_without_following_links(cache: Path) -> None:
    rows = {row["kind"]: row for row in cache_rows()}
    assert set(rows) == {*KINDS, "other", "total"}
    assert rows["numba"]["bytes"] == 30 and rows["numba"]["files"] == 1
    assert 2000 <= rows["distances"]["bytes"] < 2000 + 4096 and rows["city"]["bytes"] == 7
    assert rows["other"]["bytes"] == 5 and rows["samples"]["files"] == 0
    assert rows["total"]["bytes"] == sum(row["bytes"] for kind, row in rows.items() if kind != "total")
    assert rows["distances"]["path"] == str(cache / "distances")


def test_missing_folder_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEARLEFT_CACHE", str(tmp_path / "none"))
    assert cache_rows()[-1]["bytes"] == 0 and clear_cache() == []
    assert not (tmp_path / "none").exists()


def test_clear_deletes_only_what_is_cached(cache: Path) -> None:
    clear_cache()
    assert sorted(path.name for path in cache.iterdir()) == ["city", "mine.txt"]
    assert (cache.parent / "outside" / "precious.txt").read_text() == "keep me"
    clear_cache(["city"])
    assert [path.name for path in cache.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("kind", ["../outside", "other", "total", "", "distance"])
def test_unknown_kinds_are_errors(kind: str, cache: Path) -> None:
    with pytest.raises(InputError, match="kind of cached file"):
        clear_cache([kind])
    assert (cache / "distances").exists() and (cache.parent / "outside" / "precious.txt").exists()


def test_command_lists_and_clears(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--json")
    assert code == 0 and json.loads(out) == cache_rows()
    code, out, _ = run(capsys)
    assert code == 0 and "2.0 kB" in out and "compiled code" in out
    code, out, err = run(capsys, "clear", "numba", "--yes", "--json")
    assert code == 0 and [row["kind"] for row in json.loads(out)] == ["numba"] and "Deleted 30 bytes" in err
    assert not (cache / "numba").exists() and (cache / "distances").exists()
    code, _, err = run(capsys, "clear", "distance", "--yes")
    assert code == 2 and "Did you mean distances?" in err


def test_command_asks_first(cache: Path) -> None:
    from click.testing import CliRunner

    from bearleft.cli import cli

    refused = CliRunner().invoke(cli, ["cache", "clear"], input="n\n")
    assert refused.exit_code == 1 and str(cache / "distances") in refused.output and (cache / "numba").exists()
    accepted = CliRunner().invoke(cli, ["cache", "clear"], input="y\n")
    assert accepted.exit_code == 0 and not (cache / "numba").exists() and (cache / "city").exists()
