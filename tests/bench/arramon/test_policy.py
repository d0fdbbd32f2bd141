"""The benchmark of ArraMon with a policy, on a CPU with a few environments; on a GPU where there is one."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.bench.arramon.policy import PARTS, PolicyPlayers, time_policy  # noqa: E402
from bearleft.envs.arramon.pictures import batch_viewpoints  # noqa: E402
from bearleft.models.arramon.network import NO_ACTION, Steps  # noqa: E402
from tests.models.arramon.tasks import three_tasks  # noqa: E402


def make_players(device: str = "cpu") -> PolicyPlayers:
    players = PolicyPlayers(three_tasks(), 4, device, 16, "random:0")
    players.reset()
    return players


def test_players_in_different_legs_act_as_each_leg_alone() -> None:
    players = make_players()
    for leg, player in enumerate(range(4)):  # one player in each leg
        players.envs.state.leg[player] = leg
    state = players.envs.state
    maps = players.views(batch_viewpoints(players.envs.tasks, state, players.envs.world))
    seen: list[object] = []
    network = players.network
    for leg in range(4):
        index = int(state.episode[leg]) * 4 + leg
        text = players.text[leg % 2]
        length = int(text.mask[index].sum())
        one = type(text)(text.tokens[index : index + 1, :length], text.mask[index : index + 1, :length])
        steps = Steps(torch.tensor([[NO_ACTION]]), torch.zeros(1, 1, 4), torch.tensor([0]), maps[leg : leg + 1, None])
        with torch.no_grad():
            seen.append(network(one, steps, leg % 2))
    with torch.no_grad():
        players.choose(maps)
    for leg, policy in enumerate(seen):
        expected = torch.stack([part[0, 0] for part in policy.state])  # type: ignore[attr-defined]
        torch.testing.assert_close(players.state[:, leg], expected, rtol=0, atol=1e-5)


def test_a_new_leg_begins_with_a_new_state() -> None:
    players = make_players()
    players.step()
    assert players.state.abs().sum() > 0
    players._begin(np.array([False, True, False, True]))
    assert not players.state[:, [1, 3]].any() and players.state[:, [0, 2]].abs().sum() > 0
    assert players.previous[[1, 3]].tolist() == [NO_ACTION, NO_ACTION]


def check_row(row: dict[str, object]) -> None:
    assert str(row["row"]).startswith("4 environments, 16 x 16")
    assert all(float(str(row[f"milliseconds_{part}"])) > 0 for part in PARTS)
    assert 0 < int(str(row["slowest"])) <= int(str(row["steps_per_second"])) <= int(str(row["fastest"]))


def test_the_row_has_steps_per_second_and_the_time_of_each_part() -> None:
    check_row(time_policy(make_players(), rounds=2, steps=2))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_a_gpu_plays_too() -> None:
    check_row(time_policy(make_players("cuda"), rounds=2, steps=2))
