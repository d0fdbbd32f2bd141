"""The 24 kinds of street objects that ArraMon's city has: which of our things each is, and in which colours."""

from __future__ import annotations

from typing import Any, NamedTuple

from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.placement import variant


class Kind(NamedTuple):
    """A class of the catalog, those of its models that are this kind, and the colours they come in here."""

    thing: str
    models: tuple[str, ...]
    colours: tuple[str, ...]


KINDS: dict[str, Kind] = {
    "dumpster 1": Kind("dumpster", ("dumpster",), ("blue", "green", "red", "brown")),
    "dumpster 2": Kind("dumpster", ("dumpster_of_rubble",), ("silver", "yellow", "blue", "green")),
    "traffic light 1": Kind(
        "traffic light", ("traffic_light_red", "traffic_light_yellow", "traffic_light_green"), ("dark green", "black")
    ),
    "traffic light 2": Kind(
        "traffic light", ("traffic_light_on_pole_red", "traffic_light_on_pole_green"), ("yellow", "black")
    ),
    "stop sign": Kind("stop sign", ("stop_sign",), ("red",)),
    "speed limit sign": Kind("speed limit sign", ("speed_limit_sign",), ("white",)),
    "traffic barrier 1": Kind("barrier", ("barrier",), ("red", "orange", "blue")),
    "traffic barrier 2": Kind("barrier", ("barrier_of_wood",), ("blue", "yellow", "orange")),
    "traffic barrier 3": Kind("barrier", ("barrier_of_concrete",), ("concrete",)),
    "traffic barrier 4": Kind("barrier", ("barrier_of_plastic",), ("orange", "red", "white", "green")),
    "traffic barrier 5": Kind("barrier", ("barrier_of_steel",), ("silver",)),
    "barrel": Kind("barrel", ("barrel", "barrel_with_light"), ("orange", "blue", "red", "green", "yellow")),
    "streetlamp": Kind("lamp post", ("lamp_post", "lamp_post_with_crook"), ("black", "dark green", "dark grey")),
    "tire pile": Kind("tire pile", ("tire_pile", "tire_heap"), ("black",)),
    "mailbox": Kind("mailbox", ("mailbox",), ("blue", "red", "green")),
    "trash can 1": Kind("trash can", ("trash_can",), ("dark green", "silver", "blue")),
    "trash can 2": Kind("trash can", ("trash_can_with_lid",), ("grey", "green", "blue", "brown")),
    "metal bench": Kind("bench", ("bench_of_metal",), ("silver", "dark green", "black")),
    "wooden bench": Kind("bench", ("bench",), ("brown", "tan")),
    "traffic cone": Kind("traffic cone", ("traffic_cone",), ("orange", "red", "blue", "green")),
    "banner": Kind("banner", ("banner",), ("red", "blue", "green", "yellow", "purple", "orange")),
    "garbage bags": Kind("trash bags", ("trash_bags",), ("black", "white", "light blue")),
    "hydrant": Kind("fire hydrant", ("fire_hydrant",), ("red", "yellow", "blue", "silver")),
    "phone booth": Kind("phone booth", ("phone_booth",), ("red", "blue", "green", "silver")),
}

_KINDS = {
    (one.thing, variant(one.thing, model)): name for name, one in KINDS.items() for model in one.models
}  # (class, variant) -> kind


def kind_of(thing: Any) -> str:
    """The kind of a row of a plan's things, "" for what is none of them (houses, trees, doors, ...)."""
    return _KINDS.get((CLASSES[int(thing["kind"])].name, int(thing["variant"])), "")
