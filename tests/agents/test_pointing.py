"""Trained networks as agents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft import cli  # noqa: E402
from bearleft.agents.checkpoints import CheckpointOptions  # noqa: E402
from bearleft.agents.pointing import PointAgent  # noqa: E402
from bearleft.agents.registry import make_agent  # noqa: E402
from bearleft.data import load as load_dataset  # noqa: E402
from bearleft.data import write  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.evaluation.evaluate import evaluate  # noqa: E402
from bearleft.evaluation.score import score  # noqa: E402
from bearleft.models.backbones.registry import load_backbone  # noqa: E402
from bearleft.models.checkpoint import PointCheckpoint  # noqa: E402
from bearleft.models.examples import build_examples  # noqa: E402
from bearleft.models.features.computed import ComputedFeatures  # noqa: E402
from bearleft.models.features.sources import features_for  # noqa: E402
from bearleft.models.pointing.network import Shape  # noqa: E402
from bearleft.models.pointing.predict import predict  # noqa: E402
from bearleft.models.pointing.registry import build_network  # noqa: E402
from bearleft.models.vocabulary import Vocabulary  # noqa: E402
from bearleft.world.slices import Slicing  # noqa: E402

TINY_SLICING = Slicing(56, 96)
SPLIT, LIMIT = "city/sdr/small", 4


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a checkpoint with random weights, whose answers depend on the text."""
    backbone = load_backbone("random:1")
    vocabulary = Vocabulary.from_texts(episode.legs[0].text for episode in load_dataset(SPLIT))
    network = build_network(
        "concat", Shape(len(vocabulary), TINY_SLICING.rows, TINY_SLICING.columns, backbone.channels), seed=1
    )
    path = tmp_path_factory.mktemp("neural") / "best.pt"
    PointCheckpoint(network, "concat", network.config, vocabulary, TINY_SLICING, "random:1", backbone.hash).save(path)
    return path


@pytest.fixture(scope="module")
def traces(checkpoint: Path) -> list[Any]:
    """On the CPU, also where there is a GPU, whose heat maps differ a little."""
    return evaluate(PointAgent(checkpoint, CheckpointOptions("cpu")), SPLIT, limit=LIMIT)


@pytest.mark.slow
def test_agent_answers_equal_predict(checkpoint: Path, traces: list[Any]) -> None:
    point_checkpoint = PointCheckpoint.load(checkpoint)
    examples = build_examples(load_dataset(SPLIT)[:LIMIT])
    predictions = predict(
        point_checkpoint,
        examples,
        features_for(examples, load_backbone("random:1"), TINY_SLICING, cache=False),
        batch_size=3,
    )
    for trace, expected in zip(traces, examples.to_directions(predictions.answers), strict=True):
        assert trace.legs[0].answer == expected
    assert len({trace.legs[0].answer for trace in traces}) > 1


def test_single_episodes_equal_a_batched_run(checkpoint: Path, traces: list[Any]) -> None:
    agent = PointAgent(checkpoint, CheckpointOptions("cpu"))
    for episode, trace in list(zip(load_dataset(SPLIT), traces, strict=False))[:2]:
        goal: Any = episode.legs[0].goal
        agent.begin(episode, np.random.default_rng())
        observation = {"kind": "point", "text": episode.legs[0].text, "place": episode.start.place, "yaw": goal.yaw}
        prediction: Any = agent.act(observation)
        assert prediction.direction == trace.legs[0].answer and prediction.heat == trace.legs[0].heat


def test_traces_have_heatmaps_and_can_be_scored(checkpoint: Path, tmp_path: Path) -> None:
    out = tmp_path / "traces.jsonl"
    traces = evaluate(str(checkpoint), SPLIT, out, limit=2)
    assert traces[0].legs[0].heat is not None and max(traces[0].legs[0].heat.values) == 255
    assert traces[0].agent.startswith(f"{checkpoint}[")
    assert "A@80px" in {row["metric"] for row in score(out).rows}
    content = out.read_bytes()
    assert evaluate(str(checkpoint), SPLIT, out, limit=2) == traces and out.read_bytes() == content


def test_checkpoint_is_hashed_once_per_run(checkpoint: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hashing a checkpoint of tens of megabytes for every trace would make evaluation slow."""
    hashed_files: list[str] = []

    def file_hash(file: str) -> str:
        hashed_files.append(file)
        return "0" * 8

    monkeypatch.setattr("bearleft.evaluation.trace_files.file_hash", file_hash)
    evaluate(str(checkpoint), SPLIT, tmp_path / "traces.jsonl", limit=3)
    assert len(hashed_files) == 1


def test_next_panoramas_are_prefetched(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one batch is scored, a GPU already renders the next."""
    calls: list[tuple[str, int]] = []

    def spied(name: str, method: Any) -> Any:
        def spy(self: ComputedFeatures, pictures: Any) -> Any:
            calls.append((name, int(pictures[0])))
            return method(self, pictures)

        return spy

    monkeypatch.setattr(ComputedFeatures, "__call__", spied("call", ComputedFeatures.__call__))
    monkeypatch.setattr(ComputedFeatures, "prefetch", spied("prefetch", ComputedFeatures.prefetch))
    examples = build_examples(load_dataset(SPLIT)[:3])
    predict(
        PointCheckpoint.load(checkpoint),
        examples,
        features_for(examples, load_backbone("random:1"), TINY_SLICING, cache=False),
        batch_size=1,
    )
    assert calls == [("call", 0), ("prefetch", 1), ("call", 1), ("prefetch", 2), ("call", 2)]


def test_look_leg_reads_all_sentences(checkpoint: Path) -> None:
    [trace] = evaluate(str(checkpoint), "city/refer360/small", limit=1)
    episode = load_dataset("city/refer360/small")[0]
    count = len(episode.legs[0].sentences)
    assert trace.legs[0].actions == ("next",) * (count - 1) + ("look", "next")
    examples = build_examples([episode])
    predictions = predict(
        PointCheckpoint.load(checkpoint),
        examples,
        features_for(examples, load_backbone("random:1"), TINY_SLICING, cache=False),
    )
    answer: Any = trace.legs[0].answer
    assert answer.pitch == pytest.approx(predictions.answers[0, 1])
    assert (answer.heading - predictions.answers[0, 0] + 180) % 360 - 180 == pytest.approx(0, abs=1e-9)


def test_point_agent_cannot_walk(checkpoint: Path) -> None:
    with pytest.raises(InputError, match="reach"):
        evaluate(str(checkpoint), "city/touchdown/small", limit=1)


def test_other_backbone_raises(checkpoint: Path) -> None:
    with pytest.raises(InputError, match="trained with, random:1"):
        PointAgent(checkpoint, CheckpointOptions("cpu", backbone="random:2"))


@pytest.mark.slow
def test_city_is_built_on_street_graphs(checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`bearleft features --city` and `bearleft eval --city` build the same city."""
    episodes_file, store = tmp_path / "few.jsonl", tmp_path / "store"
    write("jsonl", load_dataset("town/point")[:2], episodes_file)
    options = f"--backbone random:1 --size {TINY_SLICING.width}x{TINY_SLICING.height} --half"
    cli.main(f"features {episodes_file} -o {store} --city 3 {options}".split())
    rows = {}
    for name, arguments in (("rendered", "--city 3"), ("stored", f"--features {store}"), ("other", "--city 0")):
        out = tmp_path / f"{name}.jsonl"
        cli.main(f"eval {checkpoint} {episodes_file} -o {out} --device cpu {arguments}".split())
        rows[name] = [json.loads(line) for line in out.read_text().splitlines()]
    answers = {name: [trace["legs"][0]["answer"] for trace in traces] for name, traces in rows.items()}
    heats = {name: [trace["legs"][0]["heat"] for trace in traces] for name, traces in rows.items()}
    assert answers["rendered"] == answers["stored"] and heats["rendered"] != heats["other"]
    assert rows["rendered"][0]["agent"].endswith(",city=3]") and "city=" not in rows["stored"][0]["agent"]
    mistakes = (
        (f"{episodes_file} --city 0 -o {tmp_path}/rendered.jsonl", "traces of this run (agent"),
        (f"{episodes_file} --city 3 -o {tmp_path}/new --features {store}", "a store of features, or a city"),
        (f"{episodes_file} -o {tmp_path}/new", "--city 0"),
        (f"{SPLIT} --city 3 -o {tmp_path}/new --limit 1", "a world of streets to build a city on"),
    )
    for arguments, expected in mistakes:
        with pytest.raises(SystemExit, match="2"):
            cli.main(f"eval {checkpoint} {arguments} --device cpu".split())
        assert expected in capsys.readouterr().err


@pytest.mark.slow
def test_training_folder_stands_for_its_best_checkpoint(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "traces.jsonl"
    cli.main(f"eval {checkpoint.parent} {SPLIT} -o {out} --limit 1 --device cpu".split())
    [trace] = evaluate(str(checkpoint), SPLIT, out, limit=1)  # the same agent, so nothing is left to play
    assert trace.agent.startswith(f"{checkpoint}[") and "1 new episode in" in capsys.readouterr().err
    assert evaluate(f"{checkpoint.parent}/", SPLIT, out, limit=1) == [trace]
    (tmp_path / "begun").mkdir()
    with pytest.raises(SystemExit, match="2"):
        cli.main(f"eval {tmp_path}/begun {SPLIT} -o {out}".split())
    assert "a training's folder with best.pt" in capsys.readouterr().err
    monkeypatch.chdir(tmp_path)
    (tmp_path / "uniform").mkdir()
    assert evaluate("uniform", SPLIT, limit=1)[0].agent == "uniform"  # names of agents come before folders
    with pytest.raises(InputError, match="agent"):
        evaluate("", SPLIT, limit=1)


def test_missing_checkpoint_raises(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file"):
        make_agent(str(tmp_path / "best.pt"), SPLIT)


def test_missing_gpu_raises(checkpoint: Path) -> None:
    with pytest.raises(InputError, match="a CUDA GPU that torch can use"):
        PointAgent(checkpoint, CheckpointOptions("cuda:99"))
