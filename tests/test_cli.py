"""The command line as a user types it: forms of output, exit codes, and messages for mistakes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from bearleft import cli, load
from bearleft.data import write
from bearleft.world.city.city import open_city
from bearleft.world.render.gpu import available
from tests.commands import run_command


def rows(out: str) -> list[dict[str, Any]]:
    found = json.loads(out)
    assert isinstance(found, list)
    for row in found:
        assert isinstance(row, dict) and not any(isinstance(value, dict | list) for value in row.values())
    return found


@pytest.fixture
def traces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "gold.jsonl"
    assert run_command(capsys, "eval", "gold", "town/dev", "-o", path)[0] == 0
    return path


def test_json_is_all_there_is(traces: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ("score", traces),
        ("score", traces, traces),
        ("doctor",),
        ("data", "list", "--data", tmp_path),
        ("data", "stats", "town/dev"),
        ("data", "check", "town/dev"),
        ("paper", "ndtw-study"),
    ):
        code, out, _ = run_command(capsys, *words, "--json")
        assert code == 0, words
        assert rows(out), words


def test_score_rows_have_the_promised_form(traces: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = rows(run_command(capsys, "score", traces, "--json")[1])
    assert all(list(row) == ["metric", "value", "low", "high", "unit", "n", "convention", "horizon"] for row in found)
    assert {row["metric"]: row["value"] for row in found}["TC"] == 100


def test_tables_for_people(traces: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run_command(capsys, "score", traces, "--metric", "nDTW", "--metric", "TC")
    assert code == 0 and "nDTW" in out and "SPD" not in out and not err
    code, out, _ = run_command(capsys, "doctor")
    assert code == 0 and "numba" in out


def test_help_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    def walk(command: Any, words: list[str]) -> None:
        code, out, _ = run_command(capsys, *words, "--help")
        assert code == 0 and out.startswith("Usage: bearleft") and command.help, words
        for name, inner in getattr(command, "commands", {}).items():
            walk(inner, [*words, name])

    walk(cli.cli, [])
    assert "bearleft, version" in run_command(capsys, "--version")[1]


MISTAKES: list[tuple[list[str], str]] = [
    (["evel"], "Did you mean eval?"),
    (["data", "chek"], "Did you mean check?"),
    (["paper", "ndwt"], "Did you mean ndtw"),
    (["bench", "metric"], "Did you mean metrics?"),
    (["data", "check", "--data", "{tmp}/none"], "which does not exist"),
    (["data", "check", "--data", "{tmp}/file"], "which is a file"),
    (["data", "check", "--data", "{tmp}/empty"], "datasets in folders"),
    (["data", "check", "touchdwn/dev", "--data", "{tmp}/empty"], "the name of a dataset"),
    (["data", "stats", "town/def"], "Did you mean town/dev?"),
    (["data", "stats", "{tmp}/none.jsonl"], "nothing there"),
    (["data", "stats", "{tmp}/folder.jsonl"], "a folder"),
    (["data", "stats", "{tmp}/empty.jsonl"], "empty"),
    (["data", "stats", "{tmp}/half.jsonl"], "half.jsonl:1"),
    (["data", "stats", "{tmp}/nan.jsonl"], "nan.jsonl:1"),
    (["data", "stats", "{tmp}/types.jsonl"], "types.jsonl:1, field start.look: expected a list"),
    (["eval", "randm", "town/dev", "-o", "{tmp}/o"], "Did you mean random?"),
    (["eval", "stop", "twn/dev", "-o", "{tmp}/o", "--data", "{tmp}/empty"], "Did you mean town/dev?"),
    (["eval", "stop", "town/dev", "-o", "{tmp}/empty"], "a file to write traces to, got a folder"),
    (["eval", "stop", "town/dev", "-o", "{tmp}/file/o"], "can be written"),
    (["eval", "stop", "town/dev"], "Missing option"),
    (["eval", "stop", "town/dev", "-o", "{tmp}/o", "--horizon", "0"], "Invalid value for '--horizon'"),
    (["eval", "stop", "town/dev", "-o", "{tmp}/o", "--processes", "0"], "Invalid value for '--processes'"),
    (["eval", "stop", "town/dev", "-o", "{tmp}/o", "--seed", "x"], "not a valid integer"),
    (["eval", "center", "town/dev", "-o", "{tmp}/o"], "a leg that the agent center can play"),
    (["eval", "{tmp}/none.py", "town/dev", "-o", "{tmp}/o"], "a Python file with an agent"),
    (["eval", "pipe:/no/such", "town/dev", "-o", "{tmp}/o"], "a program that can be started"),
    (["score", "{tmp}/none"], "nothing there"),
    (["score", "{tmp}/empty"], "a folder"),
    (["score", "{tmp}/empty.jsonl"], "an empty file"),
    (["score", "{tmp}/half.jsonl", "--dataset", "town/dev"], "half.jsonl"),
    (["score", "{tmp}/paths.json"], "--dataset DATASET/SPLIT"),
    (["score", "{tmp}/paths.json", "--dataset", "town/dev"], "a place of the episode's world"),
    (["score", "{tmp}/emptypath.json", "--dataset", "town/dev"], "a list that is not empty"),
    (["score", "{tmp}/paths.json", "--dataset", "town/dev", "--metric", "ndtv"], "Did you mean nDTW?"),
    (["score", "{tmp}/good.json", "--dataset", "town/dev", "--convention", "vlan"], "Did you mean valan?"),
    (["score"], "Missing argument"),
    (["doctor", "--data", "{tmp}/none"], "which does not exist"),
    (["eval", "stop", "town/dev", "-o", "/dev/full"], "a device or a pipe"),
    (["eval", "stop", "town/dev", "-o", "{tmp}/file"], "a file of traces"),
    (["eval", "stop", "town/dev", "-o", "{tmp}/o", "--look-step", "nan"], "a step of the view"),
    (["score", "{tmp}/good.json", "--dataset", "town/dev", "--resamples", "0"], "resamples"),
    (["paper", "ndtw", "--data", "{tmp}/empty"], "r2r"),
    (["paper", "ndtw", "--data", "{tmp}/none"], "which does not exist"),
    (["paper", "touchdown", "--data", "{tmp}/empty"], "touchdown"),
    (["paper", "ndtw-study", "--rankings", "{tmp}/half.jsonl"], "half.jsonl:1"),
    (["bench", "metrics", "--rounds", "0"], "at least one round"),
    (["demo", "-o", "{tmp}/file"], "file"),
    (["demo", "--seed", "-1"], "seed"),
    (["eval", "stop", "town/dev", "-o", "{tmp}/o", "--seed", "-1"], "seed"),
    (["eval", "stop", "town/dev", "-o", "{tmp}/o", "--city", "0"], "--city with a trained network"),
    (["render", "town/0"], "Missing option"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--cube", "--pitch", "4"], "a level cube"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--fov", "60"], "a field of view for a view alone"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--legend"], "a legend for classes alone"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--at", "0,0,1e9"], "at most 1200 m high"),
    (["render", "city/" + "9" * 5000, "-o", "{tmp}/o.png"], "a world that can be rendered"),
    (["render", "city/٣", "-o", "{tmp}/o.png"], "a world that can be rendered"),
    (
        ["render", "nowhere", "-o", "{tmp}/o.png"],
        "city/SEED, sections/SEED, rooms/SEED, town/SEED or touchdown,",
    ),
    (["render", "classes/foo", "-o", "{tmp}/o.png"], "Known: classes, classes/street, classes/rooms."),
    (["render", "classes/rooms", "-o", "{tmp}/o.png", "--place", "3"], "--place for a picture of a world"),
    (["render", "classes", "-o", "{tmp}/o.png", "--size", "64"], "--size for a picture of a world"),
    (["render", "classes", "-o", "{tmp}/o.png", "--cube"], "--cube for a picture of a world"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--view", "--cube"], "one of --panorama, --view and --cube"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--cube", "--panorama"], "one of --panorama, --view and --cube"),
    (["visible", "town/0"], "Missing option"),
    (["visible", "town/0", "-o", "{tmp}/o", "--width", "63"], "an even width"),
    (["visible", "town/0", "-o", "{tmp}/file"], "a new folder"),
    (["visible", "nowhere", "-o", "{tmp}/o"], "a world that can be rendered"),
    (["render", "town/0", "-o", "{tmp}/o.jpg"], "ends in .png"),
    (["render", "town/0", "-o", "{tmp}/folder.png"], "can be written, got a folder"),
    (["render", "town/0", "-o", "{tmp}/file/o.png"], "can be written"),
    (["render", "twn/0", "-o", "{tmp}/o.png"], "a world"),
    (["render", "matterport/abc", "-o", "{tmp}/o.png"], "a world that can be rendered"),
    (["render", "touchdown", "-o", "{tmp}/o.png", "--data", "{tmp}/none"], "which does not exist"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--place", "p99999"], "a place of the world town/0"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--place", "538"], "a number from 0 to 537"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--place", "1", "--at", "1,2"], "a place or a position, got both"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--at", "1"], "metres EAST,NORTH"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--at", "1,2,3,4"], "metres EAST,NORTH"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--at", "1,nan"], "metres EAST,NORTH"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--at", "here"], "metres EAST,NORTH"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--at", "1e6,0"], "poses between"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--at", "0,0,-1"], "above the ground"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--size", "0x10"], "a width from 1"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--size", "10x99999"], "a height from 1"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--size", "big"], "a size like 1024x512"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--size", "8x8x8"], "a size like 1024x512"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--cube", "--size", "8x16"], "a square size"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--view", "--fov", "180"], "a field of view"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--heading", "nan"], "a heading in degrees"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--pitch", "91"], "a pitch from -90 to 90"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--place", "9" * 5000], "a place of the world town/0"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--size", "9" * 5000], "a size like 1024x512"),
    (["render", "city/0", "-o", "{tmp}/o.png", "--city", "1"], "field city: expected the seed of city/0, or none"),
    (["render", "city/0", "--all", "-o", "{tmp}/o", "--city", "1"], "field city: expected the seed of city/0, or none"),
    (["visible", "city/0", "-o", "{tmp}/o", "--city", "1"], "field city: expected the seed of city/0, or none"),
    (["tiles", "city/0", "-o", "{tmp}/o", "--city", "1"], "field city: expected the seed of city/0, or none"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--hour", "25"], "hour from 0 to 24"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--fog", "-1"], "fog from 0 to 1"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--samples", "0"], "samples from 1 to 8"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--channel", "colour"], "the name of a channel"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--city", "-1"], "--city"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--city", "2147483648"], "a seed from 0"),
    (["render", "town/0", "-o", "{tmp}/o.png", "--device", "tpu"], "the name of a device"),
]


@pytest.fixture
def mistakes(tmp_path: Path) -> Path:
    (tmp_path / "empty").mkdir()
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty.jsonl").touch()
    line = (
        '{"format":1,"id":"1","dataset":"d","world":"town/0","start":{"look":[0,0],"place":"p00000"},'
        '"legs":[{"text":"go","goal":{"reach":["p00000"]}}],"extra":{}}\n'
    )
    (tmp_path / "half.jsonl").write_text(line[:70])
    (tmp_path / "nan.jsonl").write_text(line.replace("[0,0]", "[NaN,0]"))
    (tmp_path / "types.jsonl").write_text(line.replace("[0,0]", '"north"'))
    (tmp_path / "paths.json").write_text('{"0": ["nowhere"]}')
    (tmp_path / "emptypath.json").write_text('{"0": []}')
    (tmp_path / "good.json").write_text('{"0": ["p00457"]}')
    return tmp_path


@pytest.mark.parametrize(
    ("words", "message"), MISTAKES, ids=lambda value: " ".join(value)[:90] if isinstance(value, list) else ""
)
def test_mistakes_are_one_line_and_exit_code_two(
    mistakes: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    code, out, err = run_command(capsys, *(word.format(tmp=mistakes) for word in words))
    assert code == 2, err
    assert message in err and "Traceback" not in err
    assert not out
    assert not (mistakes / "o.png").exists()
    assert not (mistakes / "o").exists() or not (mistakes / "o").read_bytes()


def test_what_is_visible_goes_on_and_counts_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["visible", "city/0/2x2", "-o", tmp_path / "seen", "--width", 64, "--json"]
    code, out, err = run_command(capsys, *words)
    assert code == 0, err
    found = rows(out)
    assert list(found[0]) == ["class", "places", "things", "median_metres", "median_hidden"]
    by_class = {row["class"]: row for row in found}
    assert by_class["building"]["places"] == by_class["road"]["places"] == 47 and by_class["car"]["things"] > 3
    assert run_command(capsys, *words)[1] == out
    code, out, err = run_command(capsys, "visible", "city/1/2x2", "-o", tmp_path / "seen", "--width", 64)
    assert code == 2 and not out and "Name another folder" in err


RENDER = ["render", "town/0", "--samples", 1, "--json"]


def test_a_picture_of_every_channel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*RENDER, "-o", tmp_path / "a.png", "--channel", "all", "--size", "128x64", "--place", "p00100"]
    code, out, err = run_command(capsys, *words)
    assert code == 0, err
    found = rows(out)
    assert [row["channel"] for row in found] == ["rgb", "depth", "instances", "classes", "parts"]
    names = ["a.png", "a-depth.png", "a-instances.png", "a-classes.png", "a-parts.png"]
    assert [row["path"] for row in found] == [str(tmp_path / name) for name in names]
    for row in found:
        assert list(row)[2:] == ["width", "height", "instances", "classes", "seconds", "compile_seconds"]
        with Image.open(row["path"]) as picture:
            assert picture.size == (row["width"], row["height"]) == (128, 64)
        assert row["instances"] > 20 and row["classes"] > 5
    assert len({Path(row["path"]).read_bytes() for row in found}) == 5
    again = tmp_path / "b.png"
    assert run_command(capsys, *RENDER, "-o", again, "--size", 128, "--place", 100)[0] == 0
    assert again.read_bytes() == (tmp_path / "a.png").read_bytes()


@pytest.mark.slow
def test_views_cubes_and_light(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def taken(name: str, *words: object) -> Any:
        code, _, err = run_command(capsys, *RENDER, "-o", tmp_path / name, *words)
        assert code == 0, err
        return np.asarray(Image.open(tmp_path / name), float)

    small = ["--size", "64x64"]
    day = taken("day.png", "--view", *small, "--heading", 30)
    assert day.shape == (64, 64, 3)
    assert taken("night.png", "--view", *small, "--heading", 30, "--hour", 23).mean() < day.mean() - 30
    cube = taken("cube.png", "--cube", *small, "--heading", 30)
    assert cube.shape == (64, 384, 3)
    assert np.array_equal(cube[:, :64], day)
    assert cube[:, 256:320, 2].mean() > cube[:, 320:, 2].mean()  # the sky is bluer than the road
    assert not np.array_equal(taken("up.png", "--view", *small, "--heading", 30, "--pitch", 20), day)
    assert not np.array_equal(taken("flat.png", "--view", *small, "--heading", 30, "--no-shadows"), day)
    assert not np.array_equal(taken("other.png", "--view", *small, "--heading", 30, "--city", 1), day)
    legend = taken("legend.png", "--view", "--size", "160x120", "--channel", "classes", "--legend")
    assert legend.shape[0] > 120


def test_nobody_stands_inside_a_building(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = open_city("town/0").plan
    house = plan.buildings[0]
    x, y = (float(plan.things[house["thing"]][axis]) / 1000 for axis in ("x", "y"))
    code, _, err = run_command(capsys, *RENDER, "-o", tmp_path / "o.png", f"--at={x},{y}")
    assert code == 2
    assert "a position outside of things" in err
    above = float(house["height"]) / 1000 + 60
    code, _, err = run_command(capsys, *RENDER, "-o", tmp_path / "o.png", f"--at={x},{y},{above}", "--size", 32)
    assert code == 0, err


@pytest.mark.skipif(available(), reason="there is a GPU")
def test_pictures_without_a_gpu(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run_command(capsys, *RENDER, "-o", tmp_path / "o.png", "--device", "cuda")
    assert code == 2
    assert "a CUDA GPU" in err


def test_a_broken_file_is_counted_and_the_rest_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "refer360"
    folder.mkdir()
    (folder / "train.json").write_text('[{"refexp": 3}, {}]')
    code, out, err = run_command(capsys, "data", "check", "--data", tmp_path, "--json")
    assert code == 2
    assert rows(out) == [{"dataset": "refer360/train", "episodes": 0, "legs": 0, "skipped": 0, "errors": 2}]
    assert "train.json:1 (item 1)" in err and "(item 2)" in err


def test_a_failure_of_ours_is_exit_code_one() -> None:
    code = "import sys; from bearleft import cli, doctor; doctor.doctor = lambda data: 1 / 0; cli.main(['doctor'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr


def test_output_that_nobody_reads_to_the_end() -> None:
    command = f"{sys.executable} -m bearleft doctor | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, env=os.environ)
    assert "Traceback" not in done.stderr


def test_mistakes_of_a_first_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What one types who has not read everything is answered with what to type instead."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    def begin(self, e, r): pass\n    def act(self, seen): return None\n"
    )
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "words.txt").write_text("hello\n")
    for words, answer in (
        (("eval", "town/dev", "random", "-o", "a.jsonl"), "Type: bearleft eval random town/dev -o a.jsonl"),
        (("eval", "mine", "town/dev", "-o", "a.jsonl"), "Did you mean mine.py?"),
        (("eval", "mine.py", "town/dev", "-o", "b.jsonl"), "got None. An agent's act returns it"),
        (("eval", "mine.py", "town/point", "-o", "c.jsonl"), "a Direction or a Prediction, got None. An agent's act"),
        (("score", "nothing.jsonl"), "nothing there. Traces are made by: bearleft eval"),
        (("report", "empty.jsonl"), "an empty file. Traces are made by: bearleft eval"),
        (("report", "words.txt"), "Add --dataset DATASET/SPLIT. Traces are made by"),
    ):
        code, out, err = run_command(capsys, *words)
        assert code == 2 and not out and answer in err, (words, err)


def test_eval_says_what_to_type_next(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("eval", "stop", "town/dev", "-o", tmp_path / "a.jsonl", "--limit", "3", "--data", tmp_path)
    _, _, first = run_command(capsys, *words)
    assert first.startswith("3 new episodes in ") and f"score {tmp_path / 'a.jsonl'} --data {tmp_path}" in first
    _, _, one = run_command(capsys, "eval", "stop", "town/dev", "-o", tmp_path / "one.jsonl", "--limit", "1")
    assert one.startswith("1 new episode in ") and " s, the first after " in one and "holds 1 trace. " in one
    _, _, second = run_command(capsys, *words)
    assert second.startswith("No episode was left") and "holds 3 traces" in second


def test_help_says_whole_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ((), ("data",), ("paper",), ("album",)):
        _, out, _ = run_command(capsys, *words, "--help")
        listed = out.partition("Commands:")[2]
        assert listed and "..." not in listed, words


def test_mistakes_of_a_second_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An agent that was changed, a dataset left in another folder, a walker that is to point."""
    monkeypatch.chdir(tmp_path)
    agent = "class Mine:\n    def begin(self, e, r): pass\n    def act(self, seen): return seen['links'] and 'stop'\n"
    (tmp_path / "mine.py").write_text(agent)
    assert run_command(capsys, "eval", "mine.py", "town/dev", "-o", "a.jsonl", "--limit", 2)[0] == 0
    with pytest.raises(KeyError) as caught:
        cli.main(["eval", "mine.py", "town/point", "-o", "b.jsonl"])
    assert "of kind point; its observations have kind, text" in caught.value.__notes__[-1]
    assert (
        "has changed since"
        not in run_command(capsys, "eval", "mine.py", "town/dev", "-o", "a.jsonl", "--horizon", 9)[2]
    )
    (tmp_path / "mine.py").write_text(agent + "# better\n")
    code, _, err = run_command(capsys, "eval", "mine.py", "town/dev", "-o", "a.jsonl")
    assert code == 2 and "mine.py has changed since" in err
    write("jsonl", load("town/dev")[:1], "asked.jsonl")
    assert run_command(capsys, "eval", "stop", "asked.jsonl", "-o", tmp_path / "c.jsonl")[0] == 0
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    code, _, err = run_command(capsys, "score", tmp_path / "c.jsonl")
    assert code == 2 and 'no file "asked.jsonl" here. Traces hold the path' in err
    code, _, err = run_command(capsys, "eval", "stop", "city/touchdown/mine", "-o", "d.jsonl")
    assert code == 2 and "--data DIR" in err
