"""Trained walkers as agents, on the command line, and together with a pointing network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.agents.registry import make_agent  # noqa: E402
from bearleft.agents.walking import WalkAgent  # noqa: E402
from bearleft.data import load  # noqa: E402
from bearleft.envs.legs import EnvOptions  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.evaluation.evaluate import evaluate  # noqa: E402
from bearleft.evaluation.score import score  # noqa: E402
from bearleft.evaluation.trace_files import read_trace  # noqa: E402
from bearleft.models.backbones.registry import load_backbone  # noqa: E402
from bearleft.models.checkpoint import PointCheckpoint  # noqa: E402
from bearleft.models.pointing.network import Shape  # noqa: E402
from bearleft.models.pointing.registry import build_network  # noqa: E402
from bearleft.models.subwords import Subwords  # noqa: E402
from bearleft.models.vocabulary import Vocabulary  # noqa: E402
from bearleft.models.walking.checkpoint import WalkCheckpoint  # noqa: E402
from bearleft.models.walking.examples import StepReader, WalkTable, build_walks, open_graphs  # noqa: E402
from bearleft.models.walking.network import WalkShape  # noqa: E402
from bearleft.models.walking.registry import WALK_NETWORKS, walk_spec  # noqa: E402
from bearleft.models.walking.rollout import walk  # noqa: E402
from bearleft.models.walking.states import StateTable  # noqa: E402
from bearleft.world.graphs.transitions import ACTIONS  # noqa: E402
from bearleft.world.slices import Slicing  # noqa: E402
from tests.commands import run_command  # noqa: E402

SPLIT, COMPLETE = "city/touchdown/small", "city/touchdown-complete/small"
TINY: dict[str, dict[str, Any]] = {
    "rconcat": {"word_dim": 4, "text_dim": 8, "hidden_dim": 8},
    "ga": {"word_dim": 4, "text_dim": 8, "hidden_dim": 8, "gate_dim": 4},
    "orar": {"word_dim": 4, "hidden_dim": 8},
    "compass": {"word_dim": 4, "dim": 8, "layers": 1, "heads": 2},
}


def make_checkpoint(name: str, auto_turn: bool = True, seed: int = 2) -> WalkCheckpoint:
    """Return a network without views, with random weights that make its walks depend on the text."""
    spec, texts = walk_spec(name), [episode.legs[0].text for episode in load(SPLIT)]
    tokenizer = Subwords.from_texts(texts, 80) if spec.subwords else Vocabulary.from_texts(texts)
    config = spec.make_config({"shape": WalkShape(len(tokenizer)), "image": False, **TINY[name]})
    network = spec.build(config, seed).eval()
    generator = torch.Generator().manual_seed(seed)
    for parameter in network.parameters():
        parameter.data.normal_(0.0, 0.7, generator=generator)
    return WalkCheckpoint(network, name, config, tokenizer, Slicing(), "", "", "", auto_turn, {"epoch": 1})


def read_traces(path: Path) -> list[Any]:
    return [read_trace(line, path, k) for k, line in enumerate(path.read_bytes().splitlines(), 1)]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a checkpoint file of every network, one without automatic turns, and one of a pointing network."""
    folder = tmp_path_factory.mktemp("walkers")
    out = {}
    for name in WALK_NETWORKS:
        out[name] = folder / f"{name}.pt"
        make_checkpoint(name).save(out[name])
    out["keep"], out["point"] = folder / "keep.pt", folder / "point.pt"
    make_checkpoint("orar", auto_turn=False).save(out["keep"])
    backbone, slicing = load_backbone("random:1"), Slicing(56, 96)
    words = Vocabulary.from_texts(episode.legs[1].text for episode in load(COMPLETE))
    pointing = build_network("concat", Shape(len(words), slicing.rows, slicing.columns, backbone.channels), seed=1)
    PointCheckpoint(pointing, "concat", pointing.config, words, slicing, "random:1", backbone.hash).save(out["point"])
    return out


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("name", WALK_NETWORKS)
def test_batches_equal_single_episodes_and_walks_of_training(name: str, files: dict[str, Path]) -> None:
    traces = evaluate(str(files[name]), SPLIT, limit=8)
    agent = WalkAgent.from_checkpoint(files[name])
    agent.batch_size = 1
    for one, batched in zip(evaluate(agent, SPLIT, limit=8), traces, strict=True):
        assert one.legs[0].actions == batched.legs[0].actions and one.legs[0].path == batched.legs[0].path
    episodes, checkpoint = load(SPLIT)[:8], WalkCheckpoint.load(files[name])
    walks = build_walks(episodes, 50)
    table = StateTable.build(open_graphs(walks.worlds), walks.starts, torch.device("cpu"))
    reader = StepReader.make(checkpoint.network, table.places, None, table.device)
    examples = WalkTable.build(walks, table, checkpoint.tokenizer)
    walked = walk(checkpoint.network, reader, examples, torch.arange(8), 50)
    for trace, actions in zip(traces, walked.actions.tolist(), strict=True):
        assert [ACTIONS[action] for action in actions if action >= 0] == list(trace.legs[0].actions)


def test_traces_tell_what_the_network_computed(files: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    evaluate(str(files["orar"]), SPLIT, path, limit=4)
    tokenizer = WalkCheckpoint.load(files["orar"]).tokenizer
    for trace, episode in zip(read_traces(path), load(SPLIT), strict=False):
        leg: Any = trace.legs[0]
        assert len(leg.policy.steps) == len(leg.actions)
        assert list(leg.policy.spans) == tokenizer.spans(episode.legs[0].text)
        for action, step in zip(leg.actions, leg.policy.steps, strict=True):
            assert sum(step.probabilities) == pytest.approx(1.0, abs=3e-3)
            assert ACTIONS[int(np.argmax(step.probabilities))] == action
            assert len(step.words) == len(leg.policy.spans) and max(step.words) > 0
    assert {"TC", "SPD", "SED"} <= {row["metric"] for row in score(path).rows}
    agent = WalkAgent(make_checkpoint("orar"), None, "cpu", explain=False)
    assert evaluate(agent, SPLIT, limit=1)[0].legs[0].policy is None


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", WALK_NETWORKS)
def test_checkpoints_round_trip(name: str, files: dict[str, Path], tmp_path: Path) -> None:
    first, loaded = make_checkpoint(name), WalkCheckpoint.load(files[name])
    assert loaded.metadata() == first.metadata() and loaded.config == first.config
    assert loaded.tokenizer == first.tokenizer and not loaded.network.training
    torch.testing.assert_close(loaded.network.state_dict(), first.network.state_dict(), rtol=0, atol=0)
    loaded.save(tmp_path / "again.pt")
    assert WalkCheckpoint.load(tmp_path / "again.pt").metadata() == first.metadata()


def test_damaged_checkpoints_and_other_kinds_are_named(files: dict[str, Path], tmp_path: Path) -> None:
    content = files["orar"].read_bytes()
    damaged = tmp_path / "damaged.pt"
    for broken in (content[:-100], b"", content[:2000] + bytes([content[2000] ^ 1]) + content[2001:]):
        damaged.write_bytes(broken)
        with pytest.raises(InputError) as error:
            make_agent(str(damaged), SPLIT)
        assert error.value.file == str(damaged)
    with pytest.raises(InputError):
        WalkCheckpoint.load(files["point"])
    with pytest.raises(InputError):
        PointCheckpoint.load(files["orar"])
    with pytest.raises(InputError, match="no file"):
        make_agent(str(tmp_path / "missing.pt"), SPLIT)
    other = make_checkpoint("orar")
    replace(other, config=replace(other.config, hidden_dim=6)).save(damaged)
    with pytest.raises(InputError, match="one that does not fit"):
        WalkCheckpoint.load(damaged)


def test_the_rule_of_junctions_must_be_that_of_training(files: dict[str, Path]) -> None:
    with pytest.raises(InputError, match="Add --no-auto-turn") as error:
        evaluate(str(files["keep"]), SPLIT, limit=1)
    assert error.value.field == "auto_turn"
    with pytest.raises(InputError, match="Leave out --no-auto-turn"):
        evaluate(str(files["orar"]), SPLIT, limit=1, options=EnvOptions(auto_turn=False))
    [trace] = evaluate(str(files["keep"]), SPLIT, limit=1, options=EnvOptions(auto_turn=False))
    assert trace.legs[0].actions
    with pytest.raises(InputError, match="point"):
        evaluate(str(files["orar"]), "city/sdr/small", limit=1)


@pytest.mark.slow
def test_walkers_and_pointers_play_the_complete_task(files: dict[str, Path], tmp_path: Path) -> None:
    point = files["point"]
    gold = evaluate(f"gold+{point}", COMPLETE, tmp_path / "gold.jsonl", limit=2)
    walked = evaluate(f"{files['orar']}+{point}", COMPLETE, tmp_path / "walked.jsonl", limit=2)
    for trace, other, episode in zip(gold, walked, load(COMPLETE), strict=False):
        goal: Any = episode.legs[0].goal
        assert trace.legs[0].path[-1] == goal.route[-1]
        for played in (trace, other):
            assert len(played.legs) == 2 and played.legs[1].answer is not None and played.legs[1].heat is not None
    assert "Found@80px" in {row["metric"] for row in score(tmp_path / "gold.jsonl").rows}
    with pytest.raises(InputError, match=r"two agents, WALKER\+POINTER"):
        make_agent(f"+{point}", COMPLETE)
    with pytest.raises(InputError, match="Add --no-auto-turn"):
        evaluate(f"{files['keep']}+{point}", COMPLETE, limit=1)


def test_train_and_eval_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, traces = tmp_path / "run", tmp_path / "traces.jsonl"
    small = ["--set", "hidden_dim=16", "--set", "word_dim=8", "--device", "cpu", "--limit", "40"]
    command = ["train", "orar", SPLIT, "--no-image", "--epochs", 1, "-o", folder, *small]
    code, out, err = run_command(capsys, *command)
    assert code == 0 and "SPD" in out and f"bearleft eval {folder}/best.pt" in out + err
    code, _, err = run_command(capsys, "eval", folder, SPLIT, "--limit", 4, "-o", traces, "--device", "cpu")
    assert code == 0 and "4 new episodes" in err
    played: list[Any] = list(read_traces(traces))
    assert len(played) == 4 and all(trace.legs[0].policy is not None for trace in played)
    code, _, err = run_command(capsys, *command, "--seed", 3)
    assert code == 2 and "seed 0, as in this folder's training" in err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("orar city/touchdown/smal --no-image", "city/touchdown/small"),
        ("orar city/sdr/small --no-image", "episodes that begin with a Reach leg"),
        ("orar city/touchdown/small --no-text", "text"),
        ("orar city/touchdown/small --rgb", "rgb"),
        ("orar city/touchdown/small --no-image --set hidden=3", "hidden"),
        ("orar city/touchdown/small --no-image --horizon 65", "horizon"),
        ("orar city/touchdown/small --no-image --validation-share 1", "validation_share"),
        ("orar city/touchdown/small --no-image --limit 1", "at least two walks"),
        ("orar city/touchdown/small --no-image --validation city/touchdown/non", "city/touchdown"),
        ("orar city/touchdown/small --no-image --device cuda:99", "CUDA"),
        ("compass city/touchdown/small --no-image --clients 2", "teacher forcing with HOGWILD! clients"),
        ("rconcat city/touchdown/small --no-image --clients 2 --batch-size 4", "one walk per update"),
        ("rconcat city/touchdown/small --size 46x80", "views of at least 20 rows"),
        ("rconcat city/touchdown/small --rgb --features store", "a feature store"),
    ],
)
def test_mistakes_on_the_command_line(
    arguments: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them are found before views are computed."""

    def no_views(*_: Any) -> None:
        raise AssertionError("views are computed first")

    monkeypatch.setattr("bearleft.models.walking.views.FeatureViews.prepare", no_views)
    code, _, err = run_command(capsys, "train", *arguments.split(), "-o", tmp_path / "run")
    assert code == 2 and expected in err, err
    assert not (tmp_path / "run" / "best.pt").exists()
