"""ArraMon's worlds: walkable grids, A* search, actions, the room and task setups. Names are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.world.arramon.astar import action_cost as action_cost
    from bearleft.world.arramon.astar import shortest_actions as shortest_actions
    from bearleft.world.arramon.moves import is_in_reach as is_in_reach
    from bearleft.world.arramon.moves import replay as replay
    from bearleft.world.arramon.moves import replay_room as replay_room
    from bearleft.world.arramon.room import cell_position as cell_position
    from bearleft.world.arramon.room import room_scene as room_scene
    from bearleft.world.arramon.room_search import room_actions as room_actions
    from bearleft.world.arramon.room_search import stack_height as stack_height
    from bearleft.world.arramon.task_setup import CityItem as CityItem
    from bearleft.world.arramon.task_setup import RoomItem as RoomItem
    from bearleft.world.arramon.task_setup import TaskSetup as TaskSetup
    from bearleft.world.arramon.walkable import UNOBSTRUCTED as UNOBSTRUCTED
    from bearleft.world.arramon.walkable import WalkableGrid as WalkableGrid
    from bearleft.world.arramon.walkable import step_forward as step_forward
    from bearleft.world.arramon.walkable_grids import load_walkable_grid as load_walkable_grid

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "CityItem": "bearleft.world.arramon.task_setup",
    "RoomItem": "bearleft.world.arramon.task_setup",
    "TaskSetup": "bearleft.world.arramon.task_setup",
    "UNOBSTRUCTED": "bearleft.world.arramon.walkable",
    "WalkableGrid": "bearleft.world.arramon.walkable",
    "action_cost": "bearleft.world.arramon.astar",
    "cell_position": "bearleft.world.arramon.room",
    "is_in_reach": "bearleft.world.arramon.moves",
    "load_walkable_grid": "bearleft.world.arramon.walkable_grids",
    "replay": "bearleft.world.arramon.moves",
    "replay_room": "bearleft.world.arramon.moves",
    "room_actions": "bearleft.world.arramon.room_search",
    "room_scene": "bearleft.world.arramon.room",
    "shortest_actions": "bearleft.world.arramon.astar",
    "stack_height": "bearleft.world.arramon.room_search",
    "step_forward": "bearleft.world.arramon.walkable",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
