"""Navigation along the links of a world: Touchdown, map2seq, R2R and R4R."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from bearleft.data.catalog import split_name
from bearleft.envs.game import Action, Observation, PolicyRecorder, check_horizon, check_running, invalid_action
from bearleft.errors import InputError
from bearleft.records import REFUSED, Direction, Leg, LegTrace, Pose, Reach
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.transitions import ACTIONS, FORWARD, LEFT, RIGHT, transitions, turns_off_link

HORIZON = 200  # long enough for every demonstration
# Touchdown's appendix E.2 tests with 50 actions; routes of cities are drawn as Touchdown's, and none needs more.
TEST_HORIZONS = dict.fromkeys(("touchdown", "touchdown-complete", "city/touchdown", "city/touchdown-complete"), 50)


def default_horizon(dataset: str) -> int:
    """Return the horizon that walks of a dataset are evaluated with: its paper's where it gives one, else HORIZON."""
    return TEST_HORIZONS.get(split_name(dataset)[0], HORIZON)


class ReachGame:
    """Walk as the text says, and stop at its end.

    Task: a text; the goal is the last place of a route that the agent does not see.
    Actions: "forward", "left", "right", "stop", or the id of a linked place to walk there at once; or a Decision, which
        holds what the agent's network computed, too: for every action of the leg, or for none.
    Observation: kind, text, place, heading, links (turn clockwise from the heading, and its side), step, horizon.
    Reward: none here; `envs/gym.py` gives 1 for a stop at the goal or next to it.
    End: at "stop", or after `horizon` actions.
    Ids: bearleft/Reach-v0.
    """

    def __init__(
        self,
        leg: Leg,
        start: Pose,
        graph: Graph,
        horizon: int = HORIZON,
        border: bool = False,
        auto_turn: bool = True,
    ) -> None:
        check_horizon(horizon)
        if start.place is None:
            raise InputError("a start at a place", "a start without one")
        self.leg, self.graph, self.horizon, self.border = leg, graph, horizon, border
        self.transitions = _transition_lists(graph, border, auto_turn)
        self.place = graph.place_index(start.place)
        self.heading = start.look.heading
        self.done = False
        self.actions: list[str] = []
        self.path = [start.place]
        self._recorder = PolicyRecorder(leg.text)
        self._state = self._enter()

    def _enter(self) -> int | None:
        """Return the state of the place and heading; None if the heading lies on no link."""
        headings = self.transitions.links[self.place]
        if self.heading not in headings:
            return None
        return int(self.graph.link_offsets[self.place]) + headings.index(self.heading)

    def observe(self) -> Observation:
        """Return the current observation."""
        turns = [(heading - self.heading + 180.0) % 360.0 - 180.0 for heading in self.transitions.links[self.place]]
        return {
            "kind": "reach",
            "text": self.leg.text,
            "place": self.path[-1],
            "heading": self.heading,
            "links": [{"turn": degrees, "side": link_side(degrees)} for degrees in turns],
            "step": len(self.actions),
            "horizon": self.horizon,
        }

    def step(self, action: Action) -> None:
        """Take one action.

        Raises:
            InputError: The action is unknown, or the leg has ended; or decisions and plain actions are mixed.
        """
        check_running(self)
        action, decision = self._recorder.plain(action, len(self.actions))
        self._take(action)
        self._recorder.record(decision)

    def record_noop(self) -> None:
        """Count an action that could not be read as one that changes nothing; the trace says "refused"."""
        check_running(self)
        self._recorder.plain(REFUSED, len(self.actions))
        self._record(REFUSED)

    def _record(self, action: str) -> None:
        self.actions.append(action)
        self.path.append(self.graph.ids[self.place])
        self.done = len(self.actions) >= self.horizon

    def _take(self, action: Action) -> None:
        if action == "stop":
            self.done = True
            self.actions.append("stop")
            return
        if action in ACTIONS:
            self._move(ACTIONS.index(action))
        elif isinstance(action, str) and action in self.graph.index_by_id:
            self._walk_to(action)
        else:
            raise invalid_action(action, f"{', '.join(ACTIONS)} or a linked place")
        self._record(str(action))

    def _move(self, action: int) -> None:
        if self._state is None:
            after = turns_off_link(self.graph, self.place, self.heading)[action]
            if after < 0 or (self.border and self.graph.degree[self.place] < 2):
                return
        else:
            after = self.transitions.following[self._state][action]
        self._look_along(after)

    def _look_along(self, state: int) -> None:
        self._state = state
        self.place, self.heading = self.transitions.place[state], self.transitions.heading[state]

    def _walk_to(self, place: str) -> None:
        link = self.graph.find_link(self.place, self.graph.place_index(place))
        if link is None:
            raise invalid_action(place, f"a place linked to {self.graph.ids[self.place]}")
        self._look_along(self.transitions.following[link][FORWARD])

    @property
    def end(self) -> Pose:
        """The pose in which the next leg begins."""
        return Pose(Direction(self.heading), self.path[-1])

    def trace(self) -> LegTrace:
        """Return the trace of the leg so far."""
        look = Direction(self.heading)
        return LegTrace(tuple(self.actions), tuple(self.path), (look,), policy=self._recorder.policy())


@dataclass(frozen=True)
class _Transitions:
    """The transition table as plain lists, which are several times faster than arrays for one walker."""

    following: list[list[int]]
    place: list[int]
    heading: list[float]
    links: list[list[float]]  # the headings of each place's links


@lru_cache(maxsize=128)
def _transition_lists(graph: Graph, border: bool, auto_turn: bool) -> _Transitions:
    table = transitions(graph, (), border, auto_turn)
    headings, first = graph.heading.tolist(), graph.link_offsets.tolist()
    links = [headings[begin:end] for begin, end in pairwise(first)]
    return _Transitions(table.next_state.tolist(), table.place.tolist(), table.heading.tolist(), links)


def link_side(degrees: float) -> str:
    """Return the side of a link from its turn in degrees: "ahead" within 45 degrees, "right", "back" or "left"."""
    if abs(degrees) <= 45:
        return "ahead"
    if abs(degrees) >= 135:
        return "back"
    return "right" if degrees > 0 else "left"


def actions_along(graph: Graph, start: Pose, route: Sequence[str], auto_turn: bool = True) -> list[str]:
    """Return the actions that walk a route from a start pose and stop, turning the shorter way at each place.

    If two links share a heading, only one can be turned to; the other is walked by naming its place.
    """
    graph.check_route(route)
    game = ReachGame(Leg("", Reach(tuple(route))), start, graph, 10**9, auto_turn=auto_turn)
    for place in route[1:]:
        link = graph.find_link(game.place, graph.place_index(place))
        assert link is not None
        for action in _turns_to(game, link) or [place]:
            game.step(action)
    game.step("stop")
    return game.actions


def _turns_to(game: ReachGame, link: int) -> list[str]:
    """Return the fewest turns to a link and the step along it; empty if no turn gets there."""
    following = game.transitions.following
    if game._state is not None and following[game._state][FORWARD] == following[link][FORWARD]:
        return ["forward"]
    best: list[str] = []
    for action in (RIGHT, LEFT):
        state, turns = game._state, 0
        while state != link and turns <= game.graph.degree[game.place]:
            if state is None:
                state = turns_off_link(game.graph, game.place, game.heading)[action]
            else:
                state = following[state][action]
            turns += 1
        if state == link and (not best or turns + 1 < len(best)):
            best = [ACTIONS[action]] * turns + ["forward"]
    return best
