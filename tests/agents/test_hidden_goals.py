"""Agents play episodes with hidden goals as they play the same ones with goals, or say that they need the goals."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bearleft
from bearleft.agents.registry import AGENTS
from bearleft.data import load, stats, write
from bearleft.envs.gym import ReachEnv
from bearleft.envs.legs import EnvOptions
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.generate.hidden import hide_goals
from tests.agents.test_agents import ECHO_PROGRAM
from tests.commands import run_command
from tests.sizes import FULL

SPLITS = ("city/touchdown/small", "city/touchdown-complete/small", "city/sdr/small", "city/refer360/small")
WALK, COMPLETE, POINT, LOOK = SPLITS
LIMIT = 2
ORACLES = ("gold", "shortest", "average")
# The agents that play no walks, or nothing else.
UNPLAYABLE = {(name, split) for name in ("uniform", "center") for split in (WALK, COMPLETE)}
UNPLAYABLE |= {("frequent", split) for split in (COMPLETE, POINT, LOOK)}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """Return two files of the first episodes of each split: with goals, and without."""
    folder = tmp_path_factory.mktemp("hidden")
    out = {}
    for split in SPLITS:
        episodes = load(split)[:LIMIT]
        known, hidden = (folder / f"{split.replace('/', '-')}-{kind}.jsonl" for kind in ("known", "hidden"))
        write("jsonl", episodes, known)
        write("jsonl", [hide_goals(episode, episode.id) for episode in episodes], hidden)
        out[split] = str(known), str(hidden)
    return out


def assert_plays_alike(agent: str, files: tuple[str, str], **options: Any) -> None:
    known, hidden = (evaluate(agent, file, **options) for file in files)
    assert all(episode.hidden for episode in load(files[1]))
    assert [trace.legs for trace in known] == [trace.legs for trace in hidden]
    assert [trace.horizon for trace in known] == [trace.horizon for trace in hidden]


CASES = [(name, split) for name in AGENTS for split in SPLITS]
SLOW = [case for case in CASES if case[0] in ("follower", "colour-blind") and case != ("follower", COMPLETE)]


@pytest.mark.parametrize(("name", "split"), [case for case in CASES if case not in SLOW or FULL])
def test_every_agent_plays_or_refuses(name: str, split: str, files: dict[str, tuple[str, str]]) -> None:
    if name in ORACLES:
        with pytest.raises(InputError, match=r"expected episodes with goals, .*, got the hidden goals of episode"):
            evaluate(name, files[split][1])
    elif (name, split) in UNPLAYABLE:
        with pytest.raises(InputError, match="can play"):
            evaluate(name, files[split][1])
    else:
        assert_plays_alike(name, files[split])


def test_average_of_another_split_and_own_agents_play(files: dict[str, tuple[str, str]], tmp_path: Path) -> None:
    assert_plays_alike(f"average:{POINT}", files[LOOK])
    (tmp_path / "echo.py").write_text(ECHO_PROGRAM)
    assert_plays_alike(f"pipe:{sys.executable} {tmp_path / 'echo.py'}", files[COMPLETE])
    (tmp_path / "mine.py").write_text(
        "class Agent:\n"
        "    def begin(self, episode, rng):\n"
        "        self.hidden, self.rng = episode.hidden, rng\n"
        "    def act(self, observation):\n"
        "        return ('forward', 'left', 'stop')[self.rng.integers(3)]\n"
    )
    assert_plays_alike(str(tmp_path / "mine.py"), files[WALK])


@pytest.mark.slow
def test_trained_agents_play(files: dict[str, tuple[str, str]], tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from bearleft.models.backbones.registry import load_backbone
    from bearleft.models.checkpoint import PointCheckpoint
    from bearleft.models.panoramic.checkpoint import PanoramicCheckpoint
    from bearleft.models.pointing.network import Shape
    from bearleft.models.pointing.registry import build_network
    from bearleft.models.vocabulary import Vocabulary
    from bearleft.world.slices import Slicing
    from tests.agents.test_walking import make_checkpoint
    from tests.models.panoramic.random_walks import small_network

    walker, pointer, panoramic = (tmp_path / f"{name}.pt" for name in ("walker", "pointer", "panoramic"))
    make_checkpoint("orar").save(walker)
    backbone, slicing = load_backbone("random:1"), Slicing(56, 96)
    words = Vocabulary.from_texts(episode.legs[0].text for episode in load(POINT))
    network = build_network("concat", Shape(len(words), slicing.rows, slicing.columns, backbone.channels), seed=1)
    PointCheckpoint(network, "concat", network.config, words, slicing, "random:1", backbone.hash).save(pointer)
    other = small_network(words)
    PanoramicCheckpoint(other, other.config, words, 12, {"epoch": 1}).save(panoramic)
    assert_plays_alike(str(walker), files[WALK])
    assert_plays_alike(str(panoramic), files[WALK])
    assert_plays_alike(str(pointer), files[POINT])
    assert_plays_alike(f"{walker}+{pointer}", files[COMPLETE])
    assert_plays_alike(str(pointer), files[LOOK])


def refusals(hidden: str, folder: Path) -> dict[str, Callable[[], object]]:
    """Return what needs goals."""
    traces = folder / "traces.jsonl"
    evaluate("random", hidden, traces)
    return {
        "score": lambda: bearleft.score(traces),
        "report": lambda: bearleft.report(traces, output=folder / "report.html"),
        "stats": lambda: stats(None, [hidden]),
        "write": lambda: write("city/touchdown", load(hidden), folder / "lines.jsonl"),
        "environment": lambda: ReachEnv(hidden),
        "map": lambda: bearleft.draw_map(folder / "map.svg", config=bearleft.MapConfig(dataset=hidden)),
        "film": lambda: bearleft.write_film(traces, output=folder / "film.gif"),
        "train": lambda: bearleft.train("rconcat", bearleft.TrainInputs(hidden), folder / "run"),
    }


def test_what_needs_goals_refuses(files: dict[str, tuple[str, str]], tmp_path: Path) -> None:
    for name, refuse in refusals(files[WALK][1], tmp_path).items():
        with pytest.raises(InputError, match="expected episodes with goals, ") as caught:
            refuse()
        assert "whoever made the dataset can score the traces" in caught.value.hint, name


def test_interactive_play_needs_the_views(files: dict[str, tuple[str, str]]) -> None:
    with pytest.raises(InputError, match="a dataset with recorded views"):
        evaluate("random", files[LOOK][1], options=EnvOptions(interactive=True))


def test_the_command_line_says_so(
    files: dict[str, tuple[str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run_command(capsys, "eval", "gold", files[WALK][1], "-o", tmp_path / "gold.jsonl")
    assert (code, (tmp_path / "gold.jsonl").exists()) == (2, False)
    assert "expected episodes with goals, which the agents gold and shortest repeat, got the hidden goals" in err
