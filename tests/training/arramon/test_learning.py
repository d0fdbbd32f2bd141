"""Trained networks of ArraMon read their texts; those of shuffled texts do not; DAgger learns from an oracle."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.envs.arramon.oracle import best_room_actions, collect_labels  # noqa: E402
from bearleft.envs.arramon.vector import FORWARD, INTERACT, LEFT, RIGHT, VectorArraMon  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.evaluation.recorded import means, score_codes  # noqa: E402
from bearleft.models.arramon.checkpoint import ArraMonCheckpoint  # noqa: E402
from bearleft.models.arramon.legs import NO_LABEL, reference_actions  # noqa: E402
from bearleft.models.arramon.network import ASSEMBLE, COLLECT  # noqa: E402
from bearleft.models.arramon.rollout import Texts, roll_out  # noqa: E402
from bearleft.training.arramon.config import SCORES, ArraMonTrainConfig  # noqa: E402
from bearleft.training.arramon.dagger import labelled_legs  # noqa: E402
from bearleft.training.arramon.loop import ArraMonTrainer  # noqa: E402
from bearleft.training.arramon.train import train_arramon  # noqa: E402
from bearleft.training.distributed import ProcessGroup  # noqa: E402
from bearleft.world.arramon.moves import COLUMNS, ROWS, TURNS_PER_CIRCLE, cell_ahead  # noqa: E402
from bearleft.world.arramon.walkable_grids import load_walkable_grid  # noqa: E402
from tests.training.arramon.planted import (  # noqa: E402
    blind_config,
    blind_inputs,
    planted_tasks,
    seeing_config,
    seeing_inputs,
)


def test_a_network_that_reads_beats_one_of_shuffled_texts(tmp_path: Path) -> None:
    inputs = blind_inputs()
    own = train_arramon(blind_config(), inputs, tmp_path / "own")
    shuffled = train_arramon(blind_config(shuffle_texts=True), inputs, tmp_path / "shuffled")
    assert own.finished and own.history[-1]["loss"] < own.history[0]["loss"]
    best = own.checkpoint.training_info
    assert best["PTC"] == best["CTC-3"] == 1.0 and best["nDTW"] > 0.99
    assert shuffled.checkpoint.training_info["PTC"] < 0.7

    checkpoint = ArraMonCheckpoint.load(tmp_path / "own" / "best.pt")
    tasks = planted_tasks(12, 5)
    texts = Texts.build(tasks, checkpoint.vocabulary, torch.device("cpu"))
    players = VectorArraMon(tasks, len(tasks))
    codes = roll_out(checkpoint.network, players, np.arange(len(tasks)), texts, None)
    assert means(score_codes(tasks, codes), SCORES) == dict.fromkeys(SCORES, 1.0)
    given = reference_actions(tasks)
    assert np.array_equal(
        roll_out(checkpoint.network, players, np.arange(12), texts, None, given)[:, ::2], codes[:, ::2]
    )


def test_the_oracles_actions_lead_to_the_goal_from_every_cell() -> None:
    occupied = ((2, 2), (1, 1))
    for goal in ((2, 2), (4, 3), (0, 0)):
        best = best_room_actions(occupied, goal)
        for column in range(COLUMNS):
            for row in range(ROWS):
                for turns in range(TURNS_PER_CIRCLE):
                    at, steps = (column, row, turns), 0
                    while (action := best[at]) not in (INTERACT, NO_LABEL):
                        ahead = cell_ahead(*at)
                        if action == FORWARD:
                            assert ahead is not None and ahead not in occupied
                            at = (*ahead, at[2])
                        else:
                            at = (at[0], at[1], (at[2] + (1 if action == RIGHT else -1)) % TURNS_PER_CIRCLE)
                        steps += 1
                        assert steps < 30
                    if action == INTERACT:
                        assert cell_ahead(*at) == goal
                    else:  # the door's corner may be walled in by items, nothing else
                        assert (column, row) in occupied or goal == (column, row)


def test_a_walker_who_does_not_follow_the_oracle_is_led_back() -> None:
    ground = load_walkable_grid("arramon/1")
    positions = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    headings, taken = np.array([0.0, 330.0, 0.0, 0.0]), [LEFT, RIGHT, FORWARD, LEFT]
    labels = collect_labels(ground, positions, headings, taken, (0.0, 5.0))
    assert labels.tolist()[:3] == [FORWARD, RIGHT, FORWARD]
    assert labels[3] != NO_LABEL


def test_the_oracle_labels_references_with_their_own_actions() -> None:
    tasks = planted_tasks(4)
    legs = labelled_legs(VectorArraMon(tasks, 4), np.arange(4, dtype=np.int32), reference_actions(tasks))
    room = legs.legs % 2 == 1
    for k in np.flatnonzero(room):
        span = slice(legs.offsets[k], legs.offsets[k + 1])
        assert legs.labels[span].tolist() == legs.actions[span].tolist()
    for k in np.flatnonzero(~room):  # A* may turn at another moment, but ends no later
        span = slice(legs.offsets[k], legs.offsets[k + 1])
        assert (legs.labels[span] != NO_LABEL).all() and legs.labels[span][-1] == INTERACT


@pytest.mark.slow
def test_a_network_with_a_memory_learns_along_its_own_actions(tmp_path: Path) -> None:
    config = seeing_config("arramon-memory", epochs=3)
    messages: list[str] = []
    result = train_arramon(
        config, seeing_inputs(config), tmp_path, report=lambda progress: messages.append(progress.message)
    )
    assert result.finished and len(result.history) == 3
    played = [line for line in messages if "tasks played" in line]
    assert [line.split(":")[0] for line in played] == ["epoch 2", "epoch 3"]
    assert [row["examples"] for row in result.history] == [8, 12, 16]  # turns: four tasks, then two more per round


def test_legs_of_several_sources_are_read_in_one_call(tmp_path: Path) -> None:
    config = blind_config(forcing="dagger", dagger_tasks=4)
    trainer = ArraMonTrainer(config, blind_inputs(6), "", ProcessGroup(), tmp_path, lambda _: None)
    trainer.epochs_done = 3
    trainer._play_round()
    trainer.network.eval()
    turns = trainer.turns
    assert set(turns[:, 0]) == {0, 1}
    for phase in (COLLECT, ASSEMBLE):
        total, count = 0.0, 0
        for k in (0, 1):
            own = turns[turns[:, 0] == k]
            legs, labels = trainer.sources[k][0], 0
            for leg in own[:, 1 + phase]:
                labels += int((legs.labels[legs.offsets[leg] : legs.offsets[leg + 1]] != NO_LABEL).sum())
            total += labels * trainer._loss(own[:, 0], own[:, 1 + phase], phase).item()
            count += labels
        calls: list[int] = []
        hook = trainer.network.register_forward_hook(lambda *_, calls=calls: calls.append(1))
        mixed = trainer._loss(turns[:, 0], turns[:, 1 + phase], phase)
        hook.remove()
        assert len(calls) == 1
        assert mixed.item() == pytest.approx(total / count, abs=1e-5)


def test_settings_are_checked() -> None:
    for wrong in ({"batch_size": 0}, {"forcing": "none"}, {"dagger_after": 2.0}, {"overrides": {"shape": 1}}):
        with pytest.raises(InputError):
            ArraMonTrainConfig("arramon-vl", **wrong)
    with pytest.raises(InputError, match="arramon-memory"):
        ArraMonTrainConfig("arramon-mind")
