"""Legs step by step: replays equal the games, batches have what was done, maps are those of the pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.agents.oracles import Gold  # noqa: E402
from bearleft.envs.arramon.vector import VectorArraMon  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.evaluation.play import play  # noqa: E402
from bearleft.models.arramon.legs import NO_LABEL, LegMaps, Legs, reference_actions, replay  # noqa: E402
from bearleft.models.arramon.network import ASSEMBLE, COLLECT, NO_ACTION  # noqa: E402
from bearleft.models.arramon.views import ViewMaps, map_channels, open_backbone, pool_maps, take  # noqa: E402
from bearleft.models.backbones.deep_resnet import DeepResNet  # noqa: E402
from bearleft.models.backbones.registry import load_backbone  # noqa: E402
from bearleft.records import Assemble, Collect  # noqa: E402
from tests.models.arramon.tasks import three_tasks  # noqa: E402

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def legs() -> Legs:
    tasks = three_tasks()
    return replay(VectorArraMon(tasks, len(tasks)), np.arange(3), reference_actions(tasks))


@pytest.fixture(scope="module")
def views() -> ViewMaps:
    return ViewMaps("arramon/1", load_backbone("random:0"), "cpu", 2, 16)


def test_a_replay_has_all_legs_of_the_references(legs: Legs) -> None:
    tasks = three_tasks()
    assert legs.tasks.tolist() == [k for k in range(3) for _ in range(4)] and legs.legs.tolist() == [0, 1, 2, 3] * 3
    goals = [leg.goal for task in tasks for leg in task.legs]
    expected = [len(goal.actions) for goal in goals if isinstance(goal, Collect | Assemble)]
    assert legs.lengths.tolist() == expected
    trace = play(Gold(), tasks[1])
    for leg in range(4):
        steps = legs.step_indices(np.array([4 + leg]))[0]
        path: Any = trace[leg].path
        if leg % 2 == COLLECT:
            walked = np.unique(legs.positions[steps], axis=0)
            assert {tuple(np.round(at, 6)) for at in walked} == {tuple(np.round(at[:2], 6)) for at in path}
        else:
            cells = {(column, row) for column, row, _ in legs.cells[steps].tolist()}
            assert cells == {(cell[0], cell[2]) for cell in path}


def test_a_replay_is_the_same_whatever_memory_held_before(legs: Legs, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = np.empty

    def dirty(*arguments: Any, **options: Any) -> Any:
        out = empty(*arguments, **options)
        out.fill(7)
        return out

    tasks = three_tasks()
    monkeypatch.setattr(np, "empty", dirty)
    again = replay(VectorArraMon(tasks, len(tasks)), np.arange(3), reference_actions(tasks))
    monkeypatch.undo()
    assert (legs.counts < legs.objects.shape[1]).any()  # so that there is padding
    assert again.fingerprint() == legs.fingerprint()


def test_actions_that_do_not_end_a_leg_are_an_error() -> None:
    tasks = three_tasks()
    actions = reference_actions(tasks)
    actions[1, 0, 2:] = NO_LABEL
    with pytest.raises(InputError, match="end their leg"):
        replay(VectorArraMon(tasks, 3), np.arange(3), actions)


def test_a_batch_has_labels_previous_actions_and_relative_poses(legs: Legs) -> None:
    chosen = legs.of_phase(COLLECT)[:2]
    steps, labels = legs.batch(chosen, CPU)
    lengths = legs.lengths[chosen]
    for k, length in enumerate(lengths):
        taken = legs.actions[legs.offsets[chosen[k]] : legs.offsets[chosen[k] + 1]]
        assert labels[k, :length].tolist() == taken.tolist()
        assert (labels[k, length:] == NO_LABEL).all()
        assert steps.previous_actions[k, :length].tolist() == [NO_ACTION, *taken[:-1].tolist()]
    # forward four times, right, forward: the first walk of the task
    torch.testing.assert_close(steps.poses[0, 4, :2], torch.tensor([0.0, 4.0]), rtol=0, atol=1e-4)
    torch.testing.assert_close(steps.poses[0, 5, 2], torch.tensor(0.5), rtol=0, atol=1e-4)  # sine of 30 degrees
    room, _ = legs.batch(legs.of_phase(ASSEMBLE)[1:2], CPU)
    torch.testing.assert_close(room.poses[0, 5, :2], torch.tensor([3.0, 0.0]), rtol=0, atol=1e-4)  # two cells right


def test_maps_of_steps_are_those_of_their_pictures_whether_kept_or_not(legs: Legs, views: ViewMaps) -> None:
    chosen = legs.of_phase(ASSEMBLE)[:2]
    size = 2 * views.channels * views.rows**2
    for kept in (0, 3, 1000):
        maps = LegMaps(legs, views, kept * size)
        first, again = maps(chosen), maps(chosen)
        assert maps.filled == min(kept, int(legs.lengths[chosen].sum())) and torch.equal(first, again)
        for k, leg in enumerate(chosen):
            steps = legs.step_indices(np.array([leg]))[0]
            assert torch.equal(first[k, : len(steps)], views(legs.viewpoints(steps)))
            assert not first[k, len(steps) :].any()


def test_players_see_items_as_the_picture_of_the_environment_shows_them(legs: Legs, views: ViewMaps) -> None:
    tasks = three_tasks()
    players = VectorArraMon(tasks, 3)
    players.reset(np.arange(3))
    from bearleft.envs.arramon.pictures import batch_viewpoints

    direct = batch_viewpoints(players.tasks, players.state, players.world)
    ours = legs.viewpoints(legs.offsets[legs.of_phase(COLLECT)[::2]])
    assert torch.equal(views.render(direct), views.render(ours))


def test_own_maps_have_means_and_maxima_and_deep_ones_2048_channels() -> None:
    backbone = load_backbone("random:0")
    assert map_channels(backbone) == 256
    maps = torch.rand(2, 128, 28, 28)
    pooled = pool_maps(backbone, maps, 7)
    assert pooled.shape == (2, 256, 7, 7)
    torch.testing.assert_close(pooled[0, 3, 1, 2], maps[0, 3, 4:8, 8:12].mean())
    torch.testing.assert_close(pooled[1, 128 + 5, 0, 6], maps[1, 5, 0:4, 24:28].max())
    assert DeepResNet().channels == 2048


def test_a_users_resnet_is_read_from_torchvisions_names(tmp_path: pytest.TempPathFactory) -> None:
    torch.manual_seed(0)
    own = DeepResNet((3, 4, 6, 3), 2).eval()
    file = tmp_path / "resnet50.pth"  # type: ignore[operator]
    torch.save({**own.state_dict(), "fc.weight": torch.zeros(2, 2)}, file)
    backbone = open_backbone(str(file), "cpu")
    assert isinstance(backbone, DeepResNet) and map_channels(backbone) == backbone.channels == 64
    pictures = torch.randint(0, 255, (1, 64, 64, 3), dtype=torch.uint8)
    with torch.no_grad():
        expected = own(pictures)
        torch.testing.assert_close(backbone(pictures), expected)
        torch.testing.assert_close(backbone.for_inference("cpu")(pictures), expected, rtol=1e-3, atol=1e-4)
    assert expected.shape == (1, 64, 2, 2)  # a cell is 32 pixels a side


def test_some_viewpoints_can_be_taken(legs: Legs) -> None:
    some = take(legs.viewpoints(np.arange(5)), np.array([3, 1]))
    assert np.array_equal(some.poses, legs.poses[[3, 1]])
