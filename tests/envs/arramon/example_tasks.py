"""Example tasks of ArraMon on open ground: two turns, a few items in the city and in the room."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from bearleft.records import Assemble, Cell, Collect, Direction, Episode, Leg, Pose, Position
from bearleft.world.arramon.moves import AGENT_Z, GRID_HEADING, replay, replay_room
from bearleft.world.arramon.task_setup import CityItem, RoomItem, TaskSetup

START: Position = (10.0, 20.0, AGENT_Z)
BOOK, MUG, TWIN = "Striped White Book", "Dotted Red Mug", "Dotted White Book"
DECOYS = (RoomItem("Dotted Blue Tv", (2, 1, 2)), RoomItem("Striped Green Bowl", (4, 1, 3)), RoomItem(TWIN, (4, 2, 3)))
WALKS = (("forward",) * 4 + ("right", "forward", "pick"), ("left", "left", "forward", "forward", "pick"))
ROOMS = (("forward", "place"), ("right",) * 3 + ("forward",) * 2 + ("left",) * 3 + ("forward",) * 2 + ("place",))
CELLS: tuple[Cell, Cell] = (DECOYS[0].cell[0], 2, DECOYS[0].cell[2]), (4, 3, 3)


def ahead_of(position: Position, heading: float, metres: float) -> Position:
    """Return the position of an item so many metres ahead."""
    path, _ = replay(position, heading, ["forward"])
    step = (path[1][0] - position[0], path[1][1] - position[1])
    return position[0] + metres * step[0], position[1] + metres * step[1], 0.06


def task(name: str = "1", world: str = "arramon/1", from_release: bool = False) -> Episode:
    """Return a task whose references pick up a book and a mug; another book is behind the start."""
    legs, city_items, position, heading = [], [], START, GRID_HEADING
    cells = (CELLS[0], (4, 2, 3)) if from_release else CELLS
    for item, walk, room, cell in zip((BOOK, MUG), WALKS, ROOMS, cells, strict=True):
        path, heading = replay(position, heading, walk)
        position = path[-1]
        city_items.append(CityItem(item, ahead_of(position, heading, 1.5)))
        legs.append(Leg(f"Go and get the {item}.", Collect(tuple(path), item, city_items[-1].at, walk)))
        legs.append(Leg(f"Put the {item} there.", Assemble(cell, tuple(replay_room(room)[0]), room)))
    city_items.append(CityItem(TWIN, ahead_of(START, GRID_HEADING, -6.0), 1))
    episode = Episode(name, "mine", world, Pose(Direction(GRID_HEADING), position=START), tuple(legs))
    return (
        episode if from_release else replace(episode, extra={"setting": TaskSetup(tuple(city_items), DECOYS).to_json()})
    )


columns_and_rows = st.tuples(st.integers(0, 4), st.integers(0, 3))


@st.composite
def rooms(draw: st.DrawFn) -> list[RoomItem]:
    """Draw items on the floor and on one another, at most four high."""
    stack_heights: dict[tuple[int, int], int] = {}
    room_items = []
    for spot in draw(st.lists(columns_and_rows, max_size=10)):
        if stack_heights.get(spot, 0) < 4:
            stack_heights[spot] = stack_heights.get(spot, 0) + 1
            room_items.append(RoomItem(TWIN, (spot[0], stack_heights[spot], spot[1])))
    return room_items
