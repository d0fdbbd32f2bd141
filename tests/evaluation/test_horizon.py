"""The horizon of a run: 50 on Touchdown data as in the paper, recorded in traces and printed with scores."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bearleft import cli, load
from bearleft.agents.registry import AGENTS
from bearleft.data import write
from bearleft.envs.game import Observation
from bearleft.envs.legs import EnvOptions
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.records import Direction, Episode, Trace
from tests.data.sample_files import make


class Circling:
    """An agent that turns left until the leg ends, then points north."""

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        pass

    def act(self, observation: Observation) -> object:
        if observation["kind"] != "reach":
            return Direction(0)
        return "left"


@pytest.fixture(scope="module")
def generated_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("made") / "data")


@pytest.mark.parametrize(
    ("dataset", "expected"),
    [
        ("touchdown/made", 50),
        ("touchdown-complete/made", 50),
        ("city/touchdown/small", 50),
        ("city/touchdown-complete/small", 50),
        ("map2seq/made", 200),
        ("town/dev", 200),
    ],
)
def test_leg_ends_at_the_horizon_of_its_dataset(generated_data: Path, dataset: str, expected: int) -> None:
    [trace] = evaluate(Circling(), dataset, data=generated_data, limit=1)  # type: ignore[arg-type]
    assert len(trace.legs[0].actions) == expected and trace.horizon == expected
    options = EnvOptions(horizon=7)
    [trace] = evaluate(Circling(), dataset, data=generated_data, limit=1, options=options)  # type: ignore[arg-type]
    assert len(trace.legs[0].actions) == 7 and trace.horizon == 7


def test_all_navigating_agents_have_the_same_horizon(generated_data: Path, tmp_path: Path) -> None:
    for name in ("stop", "random", "frequent", "gold", "shortest"):
        assert name in AGENTS
        out = tmp_path / f"{name}.jsonl"
        traces = evaluate(name, "touchdown/made", out, data=generated_data)
        assert all(len(trace.legs[0].actions) <= 50 and trace.horizon == 50 for trace in traces)
        assert {row["horizon"] for row in score(out, data=generated_data).rows} == {50}


def test_touchdown_episodes_in_a_jsonl_file_keep_their_horizon(generated_data: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    write("jsonl", load("touchdown/made", generated_data), path)
    assert evaluate(Circling(), str(path), data=generated_data)[0].horizon == 50  # type: ignore[arg-type]


def test_pointing_has_no_horizon(tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    assert evaluate("center", "town/point", out, limit=2)[0].horizon is None
    assert "horizon" not in json.loads(out.read_text().splitlines()[0])
    assert all("horizon" not in row for row in score(out).rows)


def test_scores_print_the_horizon(generated_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "a.jsonl")
    cli.main(["eval", "random", "touchdown/made", "-o", out, "--data", str(generated_data), "--horizon", "30"])
    capsys.readouterr()
    cli.main(["score", out, "--data", str(generated_data), "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert rows and all(row["horizon"] == 30 for row in rows)
    cli.main(["score", out, "--data", str(generated_data)])
    assert "horizon" in capsys.readouterr().out


def test_traces_without_a_horizon_are_scored_as_before(tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    evaluate("gold", "town/dev", out, limit=3)
    lines = out.read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    for row in rows:
        del row["horizon"]
    old = tmp_path / "old.jsonl"
    old.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))
    assert Trace.from_json(rows[0]).horizon is None
    assert all("horizon" not in row for row in score(old).rows)
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_text(lines[0] + "\n" + json.dumps(rows[1]) + "\n")
    assert {row["horizon"] for row in score(mixed).rows} == {"200, unknown"}


@pytest.mark.parametrize("value", [0, -1, 1.5, "50", True])
def test_horizon_must_be_a_positive_whole_number(value: object, tmp_path: Path) -> None:
    row = Trace("1", "toy/dev", "me", ()).to_json() | {"horizon": value}
    with pytest.raises(InputError, match="horizon"):
        Trace.from_json(row)
    out = tmp_path / "a.jsonl"
    evaluate("gold", "town/dev", out, limit=1)
    out.write_text(json.dumps(json.loads(out.read_text()) | {"horizon": value}) + "\n")
    with pytest.raises(InputError, match=r"a.jsonl:1, field horizon: expected a (whole )?number"):
        score(out)


def test_file_with_another_horizon_is_not_continued(generated_data: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    evaluate("gold", "touchdown/made", out, data=generated_data, limit=2)
    out.write_text(out.read_text().replace(',"horizon":50', ""))
    content = out.read_bytes()
    with pytest.raises(InputError, match=r"horizon 50.*Write to another file"):
        evaluate("gold", "touchdown/made", out, data=generated_data)
    assert out.read_bytes() == content
    # A file of an earlier version is continued where the default horizon has not changed.
    town = tmp_path / "town.jsonl"
    evaluate("gold", "town/dev", town, limit=2)
    town.write_text(town.read_text().replace(',"horizon":200', ""))
    assert "horizon" not in town.read_text()
    assert len(evaluate("gold", "town/dev", town, limit=3)) == 3


def test_explicit_default_horizon_continues_the_same_run(generated_data: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    evaluate("gold", "touchdown/made", out, data=generated_data, limit=2)
    traces = evaluate("gold", "touchdown/made", out, data=generated_data, options=EnvOptions(horizon=50))
    assert {trace.agent for trace in traces} == {"gold"}
    [other] = evaluate("gold", "touchdown/made", data=generated_data, options=EnvOptions(horizon=200), limit=1)
    assert other.agent == "gold[horizon=200]"


def test_every_route_of_the_generated_city_fits_the_horizon(tmp_path: Path) -> None:
    out = tmp_path / "gold.jsonl"
    assert {trace.horizon for trace in evaluate("gold", "city/touchdown/small", out)} == {50}
    assert {row["value"] for row in score(out).rows if row["metric"] == "TC"} == {100}


@pytest.mark.slow
def test_one_real_route_needs_more_than_the_papers_horizon(real_data: Path, tmp_path: Path) -> None:
    out = tmp_path / "gold.jsonl"
    evaluate("gold", "touchdown/unseen_dev", out, data=real_data)
    rows = {row["metric"]: row for row in score(out, data=real_data, resamples=10).rows}
    assert rows["TC"]["value"] == pytest.approx(99.875) and rows["TC"]["horizon"] == 50
