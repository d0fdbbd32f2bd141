"""The demo: every dataset that comes with bearleft, and the whole story on the smallest of them."""

from __future__ import annotations

import json
import os
import re
import shlex
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from bearleft import demo as module
from bearleft import warmup as warm
from bearleft.agents.registry import AGENTS
from bearleft.cli import cli, main
from bearleft.data import load
from bearleft.demo import PARTS, STAGES, DemoPart, Stages
from bearleft.metrics.registry import METRICS
from bearleft.reports.film.film import FilmConfig
from bearleft.reports.html.quality import Limits
from bearleft.reports.html.report import report
from bearleft.world.render import cpu

# Twenty episodes each, in the same city; one of them is pictured.
SMALL = (
    DemoPart("walks", "city/pairs/turn-left-right", ("random", "follower"), "TC"),
    DemoPart("spots", "city/pairs/left-right", ("follower",), "A@80px"),
)


def test_what_is_played_is_there() -> None:
    for part in PARTS:
        assert load(part.dataset) and part.metric in METRICS and set(part.agents) <= set(AGENTS)
    assert len({part.name for part in PARTS}) == len(PARTS)
    assert "follower" in PARTS[0].agents  # the film is of its walk


@pytest.mark.usefixtures("city_cache")
def test_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(module, "PARTS", SMALL)
    monkeypatch.setattr(module, "EXAMPLES", 1)
    monkeypatch.setattr(module, "REPORT_LIMITS", Limits(1.0, 30e6))  # some of the pictures
    monkeypatch.setattr(module, "FilmConfig", partial(FilmConfig, fps=2))
    folder = tmp_path / "shown here"
    main(["demo", "-o", str(folder), "--json"])
    out, err = capsys.readouterr()
    rows = {(row["dataset"], row["agent"]): row for row in json.loads(out)}
    assert len(rows) == 3 and all(row["low"] <= row["value"] <= row["high"] for row in rows.values())
    assert rows["city/pairs/left-right", "follower"]["value"] > 80
    assert json.loads((folder / "scores.json").read_text()) == list(rows.values())
    stages = re.findall(r"^\[(\d)/(\d)\] .+: \d+\.\d s$", err, re.MULTILINE)
    assert stages == [(str(k + 1), str(STAGES)) for k in range(STAGES)]
    link = re.search(r"file://\S+", err)
    assert link and Path(unquote(urlparse(link[0]).path)) == folder / "report.html"
    assert (folder / "report.html").stat().st_size > 300_000 and (folder / "walk.gif").stat().st_size > 10_000
    assert_commands_can_be_typed(err)
    assert_nothing_is_done_again(folder)
    monkeypatch.setattr(module, "report", partial(report, with_pictures=False))
    assert_a_run_that_was_killed_goes_on(folder)


def assert_commands_can_be_typed(said: str) -> None:
    """Every command that is offered is one of ours, with options that it has and files that are there."""
    offered = re.findall(r"^  bearleft (.+)$", said, re.MULTILINE)
    assert len(offered) >= 5
    for line in offered:
        name, *words = shlex.split(line, comments=True)  # as a shell would, which stumbles over brackets
        assert "(" not in line.partition("#")[0]
        command = cli.commands[name]
        while inner := getattr(command, "commands", {}).get(words[0] if words else ""):
            command, words = inner, words[1:]
        context = command.make_context(name, words)
        for given in context.params.get("files", ()):
            assert Path(given).exists() or Path(given).name == "mine.jsonl", given


def assert_nothing_is_done_again(folder: Path) -> None:
    before = {name: (folder / name).stat().st_mtime_ns for name in ("report.html", "walk.gif", "my_agent.py")}
    main(["demo", "-o", str(folder)])
    assert {name: (folder / name).stat().st_mtime_ns for name in before} == before


def assert_a_run_that_was_killed_goes_on(folder: Path) -> None:
    cut, kept = sorted(folder.glob("*.jsonl"))[:2]
    whole, changed = cut.read_bytes(), kept.read_bytes().replace(b'"version":"', b'"version":"kept ', 1)
    cut.write_bytes(whole[:-50])
    kept.write_bytes(changed)  # whoever plays this again writes another version
    (folder / "my_agent.py").write_text("# mine\n")
    before = (folder / "report.html").stat().st_mtime_ns
    main(["demo", "-o", str(folder)])
    assert cut.read_bytes() == whole and kept.read_bytes() == changed
    assert (folder / "my_agent.py").read_text() == "# mine\n"
    assert (folder / "report.html").stat().st_mtime_ns > before


def test_the_agent_to_begin_with_can_play(tmp_path: Path) -> None:
    (tmp_path / "my_agent.py").write_text(module.AGENT)
    main(["eval", str(tmp_path / "my_agent.py"), "city/sdr/small", "-o", str(tmp_path / "mine.jsonl"), "--limit", "3"])
    assert (tmp_path / "mine.jsonl").read_bytes().count(b"\n") == 3


def test_stages_are_numbered() -> None:
    told: list[tuple[str, int, int]] = []
    said: list[str] = []
    stages = Stages(lambda *how: told.append(how), said.append, 2)
    with stages.stage("one"):
        pass
    with pytest.raises(KeyError), stages.stage("other") as tell:
        tell("thing", 3, 4)
        raise KeyError
    assert told == [("[1/2] one", 0, 0), ("[2/2] other", 0, 0), ("[2/2] thing", 3, 4)]
    assert len(said) == 1 and said[0].startswith("[1/2] one: ")


@pytest.mark.slow
def test_the_second_process_compiles_what_is_needed_and_may_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here with nothing to compile: what it does runs, and a killed process is no error."""
    warm.compile_renderer()
    warm.compile_metrics()
    warm.compile_tasks()
    monkeypatch.setattr(warm, "CACHED", True)
    monkeypatch.setattr(warm, "num_threads", lambda: 2)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(warm, "compile_renderer", partial(os._exit, 3))
    with warm.compile_in_background() as (renderer, measures):
        assert renderer is not measures
        renderer()
        measures()
    (tmp_path / "render").mkdir()
    (tmp_path / "render" / f"cpu.{cpu._render_rows.__name__}-92.py311.nbi").touch()
    with warm.compile_in_background() as (renderer, measures):
        assert renderer is measures  # nothing to wait for


def test_who_has_no_bearleft_on_the_path_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "an environment"
    here.mkdir()
    (here / "bearleft").write_text("#!/bin/sh\n")
    (here / "bearleft").chmod(0o755)
    monkeypatch.setattr("sys.executable", str(here / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    (line,) = [line for line in module._next_steps(tmp_path, 0) if "export PATH=" in line]
    assert f"'{here}'" in line  # quoted, for it has a space
    monkeypatch.setenv("PATH", str(here))
    assert not [line for line in module._next_steps(tmp_path, 0) if "export" in line]
