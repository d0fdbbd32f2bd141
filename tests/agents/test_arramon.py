"""Agents of ArraMon's networks: they play as in the vector environment, and traces hold what they computed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.agents.arramon import VIEW_SECTORS, ArraMonAgent, to_sectors  # noqa: E402
from bearleft.agents.checkpoints import CheckpointOptions  # noqa: E402
from bearleft.agents.registry import make_agent  # noqa: E402
from bearleft.envs.arramon.vector import VectorArraMon  # noqa: E402
from bearleft.envs.legs import EnvOptions  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.evaluation.play import play, play_batch  # noqa: E402
from bearleft.evaluation.recorded import played_legs  # noqa: E402
from bearleft.models.arramon.checkpoint import ArraMonCheckpoint  # noqa: E402
from bearleft.models.arramon.legs import reference_actions  # noqa: E402
from bearleft.models.arramon.network import ArraMonShape  # noqa: E402
from bearleft.models.arramon.registry import arramon_spec  # noqa: E402
from bearleft.models.arramon.rollout import Texts, roll_out  # noqa: E402
from bearleft.models.arramon.views import ViewMaps  # noqa: E402
from bearleft.models.backbones.registry import load_backbone  # noqa: E402
from bearleft.models.vocabulary import Vocabulary  # noqa: E402
from bearleft.records import LegTrace, Trace  # noqa: E402
from tests.models.arramon.tasks import three_tasks  # noqa: E402
from tests.models.arramon.test_networks import SMALL  # noqa: E402

RULES = EnvOptions(collect_horizon=12, assemble_horizon=8)


def make_checkpoint(name: str, folder: Path) -> Path:
    """Write the checkpoint of a small network with random weights."""
    backbone, spec = load_backbone("random:0"), arramon_spec(name)
    vocabulary = Vocabulary.from_texts(leg.text for task in three_tasks() for leg in task.legs)
    config = spec.make_config({"shape": ArraMonShape(len(vocabulary), 256, 2), **SMALL[name]})
    network = spec.build(config, 3)
    with torch.no_grad():  # large weights, so that actions differ
        for parameter in network.parameters():
            parameter.mul_(3.0)
    seen = (backbone.name, backbone.hash) if network.sees else ("", "")
    path = folder / f"{name}.pt"
    ArraMonCheckpoint(network, name, config, vocabulary, *seen, 16).save(path)
    return path


def without_policy(legs: tuple[LegTrace, ...]) -> list[object]:
    return [(leg.actions, leg.path, leg.answer) for leg in legs]


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("name", ["arramon-vl", "arramon-memory", "arramon-lo"])
@pytest.mark.parametrize("perfect", [False, True])
def test_an_agent_plays_as_the_vector_environment_alone_and_in_a_batch(
    name: str, perfect: bool, tmp_path: Path
) -> None:
    rules = replace(RULES, perfect_navigation=perfect)
    tasks = three_tasks()
    agent = make_agent(str(make_checkpoint(name, tmp_path)), "mine", options=CheckpointOptions(device="cpu"))
    assert isinstance(agent, ArraMonAgent)
    together = play_batch(agent, tasks, options=rules)
    alone = [play(agent, task, options=rules) for task in tasks]
    checkpoint, backbone = agent.checkpoint, agent.backbone
    views = None if backbone is None else ViewMaps("arramon/1", backbone, "cpu", 2, 16)
    players = VectorArraMon(tasks, 3, "all", 12, 8)
    texts = Texts.build(tasks, checkpoint.vocabulary, torch.device("cpu"))
    given = reference_actions(tasks) if perfect else None
    codes = roll_out(checkpoint.network, players, np.arange(3), texts, views, given)
    recorded = list(played_legs(tasks, codes, RULES))
    for one, other, third in zip(together, alone, recorded, strict=True):
        assert without_policy(one) == without_policy(other) == without_policy(third)


def test_traces_hold_probabilities_and_attention_of_every_step(tmp_path: Path) -> None:
    tasks = three_tasks()
    agent = make_agent(str(make_checkpoint("arramon-vl", tmp_path)), "mine", options=CheckpointOptions(device="cpu"))
    legs = play(agent, tasks[0], options=RULES)
    for leg, leg_trace in zip(tasks[0].legs, legs, strict=True):
        assert leg_trace.policy is not None and len(leg_trace.policy.steps) == len(leg_trace.actions)
        words = [leg.text[begin:end] for begin, end in leg_trace.policy.spans]
        assert words[:2] == leg.text.split()[:2]
        for step in leg_trace.policy.steps:
            assert sum(step.probabilities) == pytest.approx(1, abs=0.01)
            assert len(step.views) == VIEW_SECTORS and max(step.words) == max(step.views) == 255
    trace = Trace(tasks[0].id, "mine", agent.label, legs, 0)  # type: ignore[attr-defined]
    assert Trace.from_json(json.loads(json.dumps(trace.to_json()))).legs == legs


def test_attention_over_a_view_lies_before_the_player() -> None:
    weights = np.zeros((1, 7, 7))
    weights[0, :, 3] = 0.1
    weights[0, 2, 0] = 0.3
    sectors = to_sectors(weights)[0]
    assert sectors[0] == pytest.approx(0.7) and sectors[VIEW_SECTORS - 3] == pytest.approx(0.3)
    assert np.count_nonzero(sectors) == 2


def test_a_checkpoint_keeps_its_network(tmp_path: Path) -> None:
    path = make_checkpoint("arramon-memory", tmp_path)
    first, again = ArraMonCheckpoint.load(path), ArraMonCheckpoint.load(path)
    first.save(tmp_path / "copy.pt")
    copy = ArraMonCheckpoint.load(tmp_path / "copy.pt")
    assert copy.metadata() == first.metadata() == again.metadata()
    for name, value in first.network.state_dict().items():
        assert torch.equal(value, copy.network.state_dict()[name])


def test_another_backbone_and_options_without_a_meaning_are_errors(tmp_path: Path) -> None:
    path = make_checkpoint("arramon-vl", tmp_path)
    with pytest.raises(InputError, match="the backbone that it was trained with"):
        make_agent(str(path), "mine", options=CheckpointOptions(device="cpu", backbone="random:1"))
    with pytest.raises(InputError, match="no features"):
        make_agent(str(path), "mine", options=CheckpointOptions(device="cpu", features="store"))
