"""The 24 kinds of street objects of ArraMon's city: class, models and colours of each."""

from __future__ import annotations

from typing import Any, NamedTuple

from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.placement import variant_index


class ObjectKind(NamedTuple):
    """A class of the catalog, its models that are of this kind, and their colours."""

    thing: str
    models: tuple[str, ...]
    colours: tuple[str, ...]


OBJECT_KINDS: dict[str, ObjectKind] = {
    "dumpster 1": ObjectKind("dumpster", ("dumpster",), ("blue", "green", "red", "brown")),
    "dumpster 2": ObjectKind("dumpster", ("dumpster_of_rubble",), ("silver", "yellow", "blue", "green")),
    "traffic light 1": ObjectKind(
        "traffic light", ("traffic_light_red", "traffic_light_yellow", "traffic_light_green"), ("dark green", "black")
    ),
    "traffic light 2": ObjectKind(
        "traffic light", ("traffic_light_on_pole_red", "traffic_light_on_pole_green"), ("yellow", "black")
    ),
    "stop sign": ObjectKind("stop sign", ("stop_sign",), ("red",)),
    "speed limit sign": ObjectKind("speed limit sign", ("speed_limit_sign",), ("white",)),
    "traffic barrier 1": ObjectKind("barrier", ("barrier",), ("red", "orange", "blue")),
    "traffic barrier 2": ObjectKind("barrier", ("barrier_of_wood",), ("blue", "yellow", "orange")),
    "traffic barrier 3": ObjectKind("barrier", ("barrier_of_concrete",), ("concrete",)),
    "traffic barrier 4": ObjectKind("barrier", ("barrier_of_plastic",), ("orange", "red", "white", "green")),
    "traffic barrier 5": ObjectKind("barrier", ("barrier_of_steel",), ("silver",)),
    "barrel": ObjectKind("barrel", ("barrel", "barrel_with_light"), ("orange", "blue", "red", "green", "yellow")),
    "streetlamp": ObjectKind("lamp post", ("lamp_post", "lamp_post_with_crook"), ("black", "dark green", "dark grey")),
    "tire pile": ObjectKind("tire pile", ("tire_pile", "tire_heap"), ("black",)),
    "mailbox": ObjectKind("mailbox", ("mailbox",), ("blue", "red", "green")),
    "trash can 1": ObjectKind("trash can", ("trash_can",), ("dark green", "silver", "blue")),
    "trash can 2": ObjectKind("trash can", ("trash_can_with_lid",), ("grey", "green", "blue", "brown")),
    "metal bench": ObjectKind("bench", ("bench_of_metal",), ("silver", "dark green", "black")),
    "wooden bench": ObjectKind("bench", ("bench",), ("brown", "tan")),
    "traffic cone": ObjectKind("traffic cone", ("traffic_cone",), ("orange", "red", "blue", "green")),
    "banner": ObjectKind("banner", ("banner",), ("red", "blue", "green", "yellow", "purple", "orange")),
    "garbage bags": ObjectKind("trash bags", ("trash_bags",), ("black", "white", "light blue")),
    "hydrant": ObjectKind("fire hydrant", ("fire_hydrant",), ("red", "yellow", "blue", "silver")),
    "phone booth": ObjectKind("phone booth", ("phone_booth",), ("red", "blue", "green", "silver")),
}

_KIND_BY_VARIANT = {
    (kind.thing, variant_index(kind.thing, model)): name for name, kind in OBJECT_KINDS.items() for model in kind.models
}  # (class, variant) -> kind


def object_kind(thing: Any) -> str:
    """Return the kind of a row of a plan's things, "" if it is none of them (houses, trees, doors, ...)."""
    return _KIND_BY_VARIANT.get((CLASSES[int(thing["kind"])].name, int(thing["variant"])), "")
