"""Walks as arrays: states, reference actions, the oracle's actions, and the steps that networks read."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.data import load  # noqa: E402
from bearleft.envs.reach import ReachGame, actions_along  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.models.vocabulary import Vocabulary  # noqa: E402
from bearleft.models.walking.examples import (  # noqa: E402
    NO_LABEL,
    StepReader,
    WalkExamples,
    WalkTable,
    build_walks,
    open_graphs,
    reference_actions,
    steps_along,
)
from bearleft.models.walking.network import MAX_LINKS, NO_ACTION, WalkShape  # noqa: E402
from bearleft.models.walking.registry import walk_spec  # noqa: E402
from bearleft.models.walking.rollout import oracle_actions, walk  # noqa: E402
from bearleft.models.walking.states import StateTable  # noqa: E402
from bearleft.records import Direction, Episode, Leg, Pose, Reach  # noqa: E402
from bearleft.world.graphs.graph import Graph  # noqa: E402
from bearleft.world.graphs.transitions import ACTIONS, STOP  # noqa: E402
from bearleft.world.worlds import open_world  # noqa: E402

SPLIT = "city/touchdown/small"
CPU = torch.device("cpu")
both_rules = pytest.mark.parametrize("auto_turn", [True, False], ids=["turn", "keep"])


def two_worlds(auto_turn: bool = True) -> tuple[list[Episode], WalkExamples, StateTable]:
    """Return walks of two worlds, interleaved."""
    first, second = load(SPLIT)[:40], load("town/dev")[:10]
    episodes = [episode for pair in zip(first, second, strict=False) for episode in pair] + first[10:]
    walks = build_walks(episodes, 80, auto_turn=auto_turn)
    return episodes, walks, StateTable.build(open_graphs(walks.worlds), walks.starts, CPU, auto_turn)


def make_table(walks: WalkExamples, table: StateTable) -> WalkTable:
    return WalkTable.build(walks, table, Vocabulary.from_texts(walks.texts))


def check_references(episodes: list[Episode], data: Path | None, auto_turn: bool) -> int:
    """Compare the reference actions of whole batches with those of one walk at a time; return how many were cut."""
    horizon, cut = 70, 0
    walks = build_walks(episodes, horizon, data, auto_turn)
    for episode, actions in zip(episodes, walks.actions, strict=True):
        goal: Any = episode.legs[0].goal
        expected = actions_along(open_world(episode.world, data), episode.start, goal.route, auto_turn)
        named = next((k for k, action in enumerate(expected) if action not in ACTIONS), len(expected))
        cut += named < len(expected)
        slow = [ACTIONS.index(action) for action in expected[:named]][:horizon]
        assert actions.tolist() == slow + [NO_LABEL] * (horizon - len(slow)), episode.id
    return cut


@both_rules
def test_reference_actions_equal_those_of_one_walk(auto_turn: bool) -> None:
    assert check_references(two_worlds()[0], None, auto_turn) == 0


@both_rules
@pytest.mark.parametrize("split", ["touchdown/unseen_dev", "map2seq/seen_dev"])
def test_reference_actions_of_real_walks(split: str, auto_turn: bool, real_data: Path) -> None:
    check_references(load(split, real_data)[::8], real_data, auto_turn)


def test_walks_are_cut_where_two_links_share_a_heading() -> None:
    stairs = Graph.make("g", ["a", "up", "down"], np.zeros((3, 3)), [0, 0, 1, 2], [1, 2, 0, 0], [90, 90, 270, 270])
    actions = reference_actions(stairs, [(0, 90.0), (0, 0.0)], [["a", "down"], ["a", "up"]], 4, True)
    assert actions.tolist() == [[NO_LABEL] * 4, [2, 0, STOP, NO_LABEL]]


@both_rules
def test_steps_in_the_table_equal_those_of_games(auto_turn: bool) -> None:
    episodes, walks, table = two_worlds(auto_turn)
    rng = np.random.default_rng(2)
    states = torch.tensor([table.start_states[start] for start in walks.starts])
    games = [
        ReachGame(episode.legs[0], episode.start, open_world(episode.world), 100, auto_turn=auto_turn)
        for episode in episodes
    ]
    kept = 0
    for _ in range(40):
        actions = rng.choice(3, len(games), p=[0.6, 0.2, 0.2])
        states = table.next_state[states, torch.from_numpy(actions)]
        for game, action, state, world in zip(games, actions, states.tolist(), walks.worlds, strict=True):
            game.step(ACTIONS[action])
            assert table.places.number(world, game.path[-1]) == int(table.place[state])
            assert float(table.heading[state]) == pytest.approx(game.heading, abs=1e-4)
            assert int(table.junction[state]) == min(MAX_LINKS, int(game.graph.degree[game.place]))
            kept += game.heading not in game.transitions.links[game.place]
    assert (kept > 0) == (not auto_turn)


@pytest.mark.slow(keep=1)
@both_rules
def test_the_oracle_leads_any_walk_to_its_goal(auto_turn: bool) -> None:
    """After some random steps, its actions reach the end of the route and stop there, or one place behind it."""
    _, walks, table = two_worlds(auto_turn)
    examples = make_table(walks, table)
    indices, rng = torch.arange(len(walks)), np.random.default_rng(5)
    lengths = rng.integers(0, 12, len(walks))
    lengths[:5] = 0
    state = examples.starts.clone()
    states, taken = [], [[] for _ in range(len(walks))]  # type: list[Any], list[list[int]]
    goals = examples.routes[indices, examples.route_lengths - 1]
    ended = np.zeros(len(walks), bool)
    for step in range(160):
        states.append(state)
        labels = oracle_actions(examples, indices, torch.stack(states, 1))[:, -1].numpy()
        action = np.where(step < lengths, rng.integers(0, 3, len(walks)), labels)
        action = np.where(ended, STOP, action)
        for k in np.flatnonzero(~ended):
            taken[k].append(int(action[k]))
        ended |= action == STOP
        state = table.next_state[state, torch.from_numpy(action)]
        if ended.all():
            break
    assert ended.all()
    passed = 0
    for row, (world, goal) in enumerate(zip(walks.worlds, goals.tolist(), strict=True)):
        first = table.places.offsets[world]
        graph = next(graph for graph in table.places.graphs if graph.name == world)
        hops = graph.hops(goal - first)[int(table.place[state[row]]) - first]
        visited = goal in {int(table.place[one[row]]) for one in states}
        assert hops == 0 or (hops == 1 and visited)
        passed += int(hops == 1)
    assert passed < len(walks) / 5
    for k in np.flatnonzero(lengths == 0):  # on the route, it takes as many actions as the reference
        reference = [action for action in walks.actions[k].tolist() if action != NO_LABEL]
        assert len(taken[k]) <= len(reference)


def test_the_oracle_repeats_references() -> None:
    """In the states of a reference walk, most of its actions are the reference's; a turn may go the other way."""
    _, walks, table = two_worlds()
    examples = make_table(walks, table)
    labels = oracle_actions(examples, torch.arange(len(walks)), examples.states)
    valid = examples.actions != NO_LABEL
    same = (labels == examples.actions)[valid].double().mean()
    assert float(same) > 0.97
    stops = examples.actions == STOP
    assert bool((labels[stops] == STOP).all()) and not bool((labels[valid & ~stops] == STOP).any())


def make_reader(table: StateTable) -> StepReader:
    spec = walk_spec("compass")
    config = spec.make_config({"shape": WalkShape(9), "image": False, "dim": 8, "heads": 2, "layers": 1})
    return StepReader.make(spec.build(config, 0), table.places, None, CPU)


def test_links_by_sector_equal_slow_code() -> None:
    table = two_worlds()[2]
    reader = make_reader(table)
    rng = np.random.default_rng(0)
    numbers = rng.choice(len(table.places), 60)
    headings = rng.uniform(0.0, 360.0, 60).astype(np.float32)
    before = (headings + rng.uniform(-200.0, 200.0, 60)).astype(np.float32) % 360
    previous = rng.integers(0, 5, 60)
    places, turned, earlier, actions = (
        torch.from_numpy(array)[:, None] for array in (numbers, headings, before, previous)
    )
    steps = reader(places, turned, earlier, actions, 3)
    assert steps.views is None and steps.numbers.tolist() == [3] and steps.links is not None
    for k in range(60):
        world = max((g for g in table.places.graphs if table.places.offsets[g.name] <= numbers[k]),
                    key=lambda g: table.places.offsets[g.name])  # fmt: skip
        place = int(numbers[k]) - table.places.offsets[world.name]
        slow = np.zeros(64)
        ahead = math.floor(float(headings[k]) / 5.625 + 0.5)
        for link in world.links(place):
            sector = (math.floor(float(world.heading[link]) / 5.625 + 0.5) - ahead) % 64
            slow[sector] += 1
            clockwise = (float(world.heading[link]) - float(headings[k])) % 360.0
            assert abs((sector * 5.625 - clockwise + 180.0) % 360.0 - 180.0) <= 5.625 + 1e-3
        assert steps.links[k, 0].tolist() == slow.tolist() and slow.sum() == world.degree[place]
        assert int(steps.junctions[k, 0]) == min(MAX_LINKS, int(world.degree[place]))
        change = float(steps.heading_changes[k, 0])
        assert -180.0 <= change < 180.0
        assert math.cos(math.radians(change - headings[k] + before[k])) == pytest.approx(1.0)


def test_steps_of_whole_walks_are_those_of_a_walker() -> None:
    _, walks, table = two_worlds()
    examples, reader = make_table(walks, table), make_reader(table)
    whole = steps_along(reader, table, examples.states, examples.actions)
    assert torch.equal(whole.previous_actions[:, 0], torch.full((len(walks),), NO_ACTION))
    for k in (0, 1, 7):
        length = int((walks.actions[k] != NO_LABEL).sum())
        world, place, heading = walks.starts[k]
        route: Any = walks.routes[k]
        game = ReachGame(Leg("", Reach(route)), Pose(Direction(heading), place), open_world(world), 100)
        before = game.heading
        for t in range(length):
            assert float(whole.heading_changes[k, t]) == pytest.approx(
                (game.heading - before + 180) % 360 - 180, abs=1e-3
            )
            assert int(whole.junctions[k, t]) == game.graph.degree[game.place]
            if t:
                assert int(whole.previous_actions[k, t]) == ACTIONS.index(game.actions[-1])
            before = game.heading
            game.step(ACTIONS[walks.actions[k, t]])
        assert game.path[-1] == walks.routes[k][-1] and game.done


@pytest.mark.parametrize("sample", [False, True])
def test_a_networks_walks_are_possible_and_end_at_stop(sample: bool) -> None:
    _, walks, table = two_worlds()
    examples, reader = make_table(walks, table), make_reader(table)
    spec = walk_spec("compass")
    shape = WalkShape(int(examples.words.max()) + 1)
    network = spec.build(
        spec.make_config({"shape": shape, "image": False, "dim": 8, "heads": 2, "layers": 1}), 3
    ).eval()
    reader = StepReader.make(network, table.places, None, CPU)
    chosen = torch.tensor([3, 0, 11])
    torch.manual_seed(0)
    walked = walk(network, reader, examples, chosen, 20, sample)
    for row in range(3):
        actions = walked.actions[row].tolist()
        length = int(walked.lengths[row])
        assert NO_LABEL not in actions[:length] and actions[length:] == [NO_LABEL] * (20 - length)
        assert STOP not in actions[: length - 1] and (length == 20 or actions[length - 1] == STOP)
        state = int(examples.starts[chosen[row]])
        for t in range(length):
            assert int(walked.states[row, t]) == state
            state = int(table.next_state[state, actions[t]])
        assert int(walked.final[row]) == state
    # What a network computes step by step is what it computes along its own walk in one call.
    with torch.no_grad():
        text = examples.encode(network, chosen, examples.max_length(chosen))
        policy = network(text, steps_along(reader, table, walked.states, walked.actions))
    if not sample:
        valid = walked.actions != NO_LABEL
        actions = torch.stack([policy.choose(t) for t in range(valid.shape[1])], 1)
        assert torch.equal(actions[valid], walked.actions[valid])


def test_walks_and_their_mistakes() -> None:
    episodes, walks, table = two_worlds()
    assert walks.subset(np.array([2, 0])).ids == (episodes[2].id, episodes[0].id)
    other = walks.with_texts([*walks.texts[:-1], "another"])
    assert other.fingerprint() != walks.fingerprint() == walks.subset(np.arange(len(walks))).fingerprint()
    with pytest.raises(InputError, match="episodes that begin with a Reach leg"):
        build_walks(load("city/sdr/small")[:1], 10)
    with pytest.raises(InputError, match="a place of"):
        table.places.number("town/99", "x")
    cut = build_walks(episodes[:5], 3)
    assert cut.actions.shape == (5, 3) and STOP not in cut.actions
