"""Trained panoramic networks as agents, from Python and on the command line, on small data and on R2R and R4R."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import bearleft  # noqa: E402
from bearleft.agents.checkpoints import CheckpointOptions  # noqa: E402
from bearleft.agents.panoramic import PanoramicAgent  # noqa: E402
from bearleft.data import load  # noqa: E402
from bearleft.envs.rewards import REWARDS, DistanceTable, WalkRewards  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.evaluation.evaluate import evaluate  # noqa: E402
from bearleft.models.panoramic.checkpoint import PanoramicCheckpoint  # noqa: E402
from bearleft.models.panoramic.examples import PanoramicWalks, build_panoramic_walks  # noqa: E402
from bearleft.models.panoramic.links import LinkTable  # noqa: E402
from bearleft.models.panoramic.rollout import walk  # noqa: E402
from bearleft.models.panoramic.views import VIEW_COUNT  # noqa: E402
from bearleft.models.vocabulary import Vocabulary  # noqa: E402
from bearleft.models.walking.examples import open_graphs  # noqa: E402
from bearleft.training import ReinforceConfig, TrainInputs  # noqa: E402
from tests.commands import run_command  # noqa: E402
from tests.data import sample_files  # noqa: E402
from tests.models.panoramic.random_walks import small_network  # noqa: E402

SPLIT, JOINED = f"r2r/{sample_files.SPLIT}", f"r4r/{sample_files.SPLIT}"
REAL = "r2r/val_unseen"
STREETS = "city/touchdown/small"
SMALL = [f"--set={name}={size}" for name, size in (("word_dim", 4), ("text_dim", 4), ("hidden_dim", 8))]
SMALL += ["--set=link_dim=6", "--set=text_attention_dim=4", "--epochs", "2", "--batch-size", "4"]
TINY = {"word_dim": 4, "text_dim": 4, "hidden_dim": 8, "link_dim": 6, "text_attention_dim": 4}
ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BEARLEFT_DATA") or ROOT.parent / "shared" / "data")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_files.make(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def random_walker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a checkpoint with random weights that make its walks depend on the text."""
    vocabulary = Vocabulary.from_texts(episode.legs[0].text for episode in load(STREETS))
    network = small_network(vocabulary)
    generator = torch.Generator().manual_seed(0)
    for parameter in network.parameters():
        parameter.data.normal_(0.0, 1.0, generator=generator)
    path = tmp_path_factory.mktemp("walker") / "best.pt"
    PanoramicCheckpoint(network, network.config, vocabulary, 12, {"epoch": 1}).save(path)
    return path


@pytest.mark.slow
def test_batches_equal_single_episodes_and_walks_of_training(random_walker: Path) -> None:
    traces = evaluate(str(random_walker), STREETS, limit=20)
    agent = PanoramicAgent.from_checkpoint(random_walker)
    agent.batch_size = 1
    for one, batched in zip(evaluate(agent, STREETS, limit=20), traces, strict=True):
        assert one.legs[0].actions == batched.legs[0].actions and one.legs[0].path == batched.legs[0].path
    checkpoint, episodes = PanoramicCheckpoint.load(random_walker), load(STREETS)[:20]
    walks = build_panoramic_walks(episodes)
    links = LinkTable.build(open_graphs(walks.worlds), torch.device("cpu"))
    examples = PanoramicWalks.build(walks, links, checkpoint.vocabulary, checkpoint.horizon)
    rewards = WalkRewards(REWARDS["goal"], DistanceTable.build(links.places.graphs, "cpu"))
    indices = torch.arange(len(episodes))
    text = examples.encode(checkpoint.network, indices, examples.words.shape[1])
    walked = walk(checkpoint.network, examples, indices, text, checkpoint.horizon, rewards)
    graph = links.places.graphs[0]
    lengths = set()
    for k, trace in enumerate(traces):
        places = [*walked.places[k, : int(walked.running[k].sum())].tolist(), int(walked.final[k])]
        path = [graph.ids[place] for i, place in enumerate(places) if i == 0 or place != places[i - 1]]
        assert list(trace.legs[0].path) == path and trace.legs[0].actions[-1] == "stop"
        lengths.add(len(path))
    assert len(lengths) > 1 and max(lengths) <= 13


@pytest.mark.slow
def test_train_and_eval_on_the_command_line(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, traces = tmp_path / "run", tmp_path / "traces.jsonl"
    options = ("--validation", SPLIT, "--reward", "goal")
    command = ["train", "panoramic", SPLIT, "--data", data, "-o", run, *SMALL, *options]
    code, out, err = run_command(capsys, *command, "--json")
    assert code == 0, err
    rows = json.loads(out)
    assert [row["epoch"] for row in rows] == [1, 2]
    assert {"loss", "return", "entropy", "nDTW", "SDTW", "SR"} <= rows[0].keys()
    assert "is the best, nDTW" in err and f"Next: bearleft eval {run}/best.pt" in err
    for dataset, metrics in ((SPLIT, {"SR", "SPL", "nDTW", "SDTW", "CLS"}), (JOINED, {"nDTW"})):
        code, _, err = run_command(capsys, "eval", run, dataset, "--data", data, "-o", traces)
        assert code == 0, err
        code, out, err = run_command(capsys, "score", traces, "--data", data, "--json")
        values = {row["metric"]: row["value"] for row in json.loads(out)}
        assert metrics <= values.keys()
        if dataset == SPLIT:  # as the training's own validation
            best = max(rows, key=lambda row: float(row["nDTW"]))
            for name in ("nDTW", "SDTW", "SR"):
                assert values[name] == pytest.approx(best[name])
        traces.unlink()


BAD: dict[str, tuple[str, ...]] = {
    'expected the name of a reward, got "fidelty". Did you mean fidelity?': ("--reward", "fidelty"),
    "field imitation: expected a number from 0 to 1, got 2.0": ("--imitation", "2"),
    'expected the name of a setting, got "hiden_dim". Did you mean hidden_dim?': ("--set", "hiden_dim=3"),
    "expected a file of features of Matterport views": ("--features", "none.tsv"),
    "expected a number above 0 and below a million, got 0.0": ("--learning-rate", "0"),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_options_are_named(message: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run_command(
        capsys, "train", "panoramic", SPLIT, "--data", data, "-o", tmp_path / "run", *SMALL, *BAD[message]
    )
    assert code == 2 and message in err


def test_datasets_without_walks_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run_command(capsys, "train", "panoramic", "city/sdr/small", "-o", tmp_path / "run")
    assert code == 2 and "expected episodes that begin with a Reach leg" in err


def test_networks_with_pictures_need_their_features(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], random_walker: Path
) -> None:
    """Features of the user's pictures, of which one tells where the walker is."""
    lines = []
    for k, place in enumerate("abcdef"):
        values = np.zeros((VIEW_COUNT, 2), np.float32)
        values[:, k % 2] = k
        lines.append(f"house1\t{place}\t640\t480\t60\t{base64.b64encode(values.tobytes()).decode()}\n")
    features = tmp_path / "features.tsv"
    features.write_text("".join(lines))
    config = ReinforceConfig(epochs=1, batch_size=4, overrides={**TINY, "view_attention_dim": 4})
    inputs = TrainInputs(SPLIT, features=str(features), data=data)
    result: Any = bearleft.train(config, inputs, tmp_path / "run")
    assert result.finished and result.checkpoint.config.shape.view_dim == 2
    evaluating = ["eval", tmp_path / "run", SPLIT, "--data", data, "-o", tmp_path / "traces.jsonl"]
    code, _, err = run_command(capsys, *evaluating)
    assert code == 2 and "Add --features FILE.tsv" in err
    code, _, err = run_command(capsys, *evaluating, "--features", features)
    assert code == 0, err
    with pytest.raises(InputError, match="the examples that training in this folder began with"):
        bearleft.train(config, TrainInputs(SPLIT, data=data), tmp_path / "run")
    code, _, err = run_command(capsys, "eval", random_walker, *evaluating[2:], "--features", features)
    assert code == 2 and "expected no features: it was trained without" in err
    code, _, err = run_command(capsys, "eval", random_walker, *evaluating[2:], "--backbone", "x.pt")
    assert code == 2 and "expected no backbone" in err


def test_real_walks_are_trained_on_and_evaluated(tmp_path: Path) -> None:
    if not (DATA / "r2r").is_dir():
        pytest.skip("no real datasets: BEARLEFT_DATA")
    config = ReinforceConfig(epochs=1, batch_size=16, overrides=TINY)
    result: Any = bearleft.train(config, TrainInputs(REAL, limit=60, data=DATA), tmp_path)
    assert result.checkpoint.horizon >= 10 and 0.0 < result.history[0]["nDTW"] <= 1.0
    agent = PanoramicAgent(result.checkpoint, "cpu", CheckpointOptions(data=DATA))
    traces = evaluate(agent, REAL, data=DATA, limit=20)
    assert all(trace.legs[0].actions[-1] == "stop" for trace in traces)
