"""Numbers of actions between states of a walk and places, by breadth-first search backwards from every place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bearleft.runtime.compiled import jit, parallel_map
from bearleft.world.graphs.transitions import FORWARD, RIGHT

if TYPE_CHECKING:
    from bearleft.world.graphs.graph import Ints

MAX_ACTIONS = 255  # also the distance of states from which a place cannot be reached
MOVES = RIGHT - FORWARD + 1


def action_distances(next_state: Ints, place: Ints, places: int) -> npt.NDArray[np.uint8]:
    """Return the least number of actions (places, states) from each state to any state at a place.

    Args:
        next_state: The transition table [state, action] -> state.
        place: The place of each state.
        places: The number of places.
    """
    states = len(place)
    source = np.tile(np.arange(states, dtype=np.int32), MOVES)
    target = next_state[:, :MOVES].T.ravel()
    order = np.argsort(target, kind="stable")
    offsets = np.searchsorted(target[order], np.arange(states + 1)).astype(np.int32)
    sources = source[order].astype(np.int32)
    by_place = np.argsort(place, kind="stable").astype(np.int32)
    place_offsets = np.searchsorted(place[by_place], np.arange(places + 1)).astype(np.int32)
    out = np.full((places, states), MAX_ACTIONS, np.uint8)

    def search(begin: int, end: int) -> None:
        _search(offsets, sources, by_place, place_offsets, begin, end, out)

    chunk = max(1, places // 64)
    parallel_map(lambda begin: search(begin, min(begin + chunk, places)), range(0, places, chunk))
    return out


@jit
def _search(offsets: Any, sources: Any, by_place: Any, place_offsets: Any, begin: int, end: int, out: Any) -> None:
    queue = np.empty(out.shape[1], np.int32)
    for place in range(begin, end):
        tail = 0
        for k in range(place_offsets[place], place_offsets[place + 1]):
            out[place, by_place[k]] = 0
            queue[tail] = by_place[k]
            tail += 1
        head = 0
        while head < tail:
            state = queue[head]
            head += 1
            distance = out[place, state]
            if distance >= MAX_ACTIONS - 1:
                break
            for k in range(offsets[state], offsets[state + 1]):
                before = sources[k]
                if out[place, before] == MAX_ACTIONS:
                    out[place, before] = distance + 1
                    queue[tail] = before
                    tail += 1
