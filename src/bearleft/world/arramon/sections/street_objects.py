"""Street objects of the sections: all OBJECT_KINDS, placed in rounds wherever there is room."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from bearleft.world.arramon.sections.houses import section_themes
from bearleft.world.arramon.sections.layout import DIRECTIONS, SECTION_SPACING, Layout, Segment, section_layouts
from bearleft.world.arramon.sections.object_kinds import OBJECT_KINDS
from bearleft.world.arramon.sections.themes import Theme
from bearleft.world.city import names, raster
from bearleft.world.city.palette import colour_index
from bearleft.world.city.placement import (
    footprints,
    make_things,
    model_extents,
    new_groups,
    raster_of,
    reserve,
    variant_index,
)
from bearleft.world.city.plan import DIRECTION_SCALE, Draft
from bearleft.world.city.randomness import Stage
from bearleft.world.rooms.room_random import SeededRandom

STAGE = Stage.STREET_OBJECTS
ROUNDS = 4  # placements of every kind per section; a row of objects counts once
MAX_TRIES = 60
MIN_PER_KIND = 3  # objects per kind and section
CLEARANCE = 650  # millimetres between two objects, so that agents can pass
SAME_KIND_DISTANCE = 9_000  # millimetres between objects of one kind; shrinks with every try
BLOCKS_ON_ROAD = raster.CAMERA | raster.BUILDING | raster.THING
BLOCKS_BESIDE_ROAD = BLOCKS_ON_ROAD | raster.ROAD


@dataclass(frozen=True)
class Placement:
    """A position in the world, the direction that the object faces (index into DIRECTIONS), and the street there."""

    x: int
    y: int
    direction: int
    street: int = -1


@dataclass
class SectionBuilder:
    """State of a section while objects are placed."""

    draft: Draft
    layout: Layout
    rng: SeededRandom
    segments: list[Segment]
    squares: list[int]  # indices of areas
    placed: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    remaining_colours: dict[str, list[str]] = field(default_factory=dict)

    def next_colour(self, kind: str) -> str:
        """Return the next colour of a kind; colours rotate, so that a section shows as many as possible."""
        colours = self.remaining_colours.setdefault(kind, [])
        if not colours:
            colours += self.rng.shuffled(OBJECT_KINDS[kind].colours)
        return colours.pop()

    def street(self, segment: Segment) -> int:
        """Return the index of a segment's street."""
        ahead = segment[0][1] == segment[1][1]
        return (self.layout.number - 1) * 6 + (segment[0][1] if ahead else 3 + segment[0][0])

    def placement_along(self, segment: Segment, distance: int, offset: int, quarter_turns: int) -> Placement:
        """Return a placement `distance` millimetres along a segment and `offset` to its right.

        The object faces along the segment, turned clockwise by `quarter_turns`.
        """
        begin = self.layout.node_position(segment[0])
        runs_ahead = segment[0][1] == segment[1][1]
        position = (
            self.layout.to_world(begin[0] + distance, begin[1] + offset)
            if runs_ahead
            else self.layout.to_world(begin[0] - offset, begin[1] + distance)
        )
        return Placement(*position, ((0 if runs_ahead else 1) + quarter_turns) % 4, self.street(segment))

    def length(self, segment: Segment) -> int:
        """Return the length of a segment from node to node."""
        (low, left), (high, right) = (self.layout.node_position(node) for node in segment)
        return high - low + right - left


PositionSampler = Callable[
    [SectionBuilder, int, int], Placement
]  # takes half the width and half the depth of the object


def at_kerb(builder: SectionBuilder, _hx: int, hy: int) -> Placement:
    """Return a placement on the sidewalk beside the kerb, facing the houses or the road."""
    segment, side = builder.rng.choice(builder.segments), builder.rng.choice((-1, 1))
    distance = builder.rng.randint(
        builder.layout.half_road_width + 900, builder.length(segment) - builder.layout.half_road_width - 900
    )
    quarter_turns = side if builder.rng.chance(600) else -side
    return builder.placement_along(
        segment, distance, side * (builder.layout.half_road_width + 260 + hy), -quarter_turns
    )


def at_wall(builder: SectionBuilder, hx: int, hy: int) -> Placement:
    """Return a placement on the sidewalk with its back to a house."""
    segment, side = builder.rng.choice(builder.segments), builder.rng.choice((-1, 1))
    distance = builder.rng.randint(
        builder.layout.half_street_width + hx, builder.length(segment) - builder.layout.half_street_width - hx
    )
    return builder.placement_along(segment, distance, side * (builder.layout.half_street_width - 260 - hy), -side)


def at_road_edge(builder: SectionBuilder, hx: int, hy: int) -> Placement:
    """Return a placement on the road along the kerb, with its back to the sidewalk."""
    segment, side = builder.rng.choice(builder.segments), builder.rng.choice((-1, 1))
    distance = builder.rng.randint(
        builder.layout.half_road_width + hx + 600, builder.length(segment) - builder.layout.half_road_width - hx - 600
    )
    return builder.placement_along(segment, distance, side * (builder.layout.half_road_width - 200 - hy), -side)


def on_road(builder: SectionBuilder, hx: int, hy: int) -> Placement:
    """Return a placement on the road, across it or along it."""
    segment, quarter_turns = builder.rng.choice(builder.segments), builder.rng.randint(0, 3)
    reach = max(builder.layout.half_road_width - 150 - (hx if quarter_turns % 2 == 0 else hy), 0)
    offset = builder.rng.choice((-1, 1)) * builder.rng.randint(reach // 2, reach)
    distance = builder.rng.randint(
        builder.layout.half_road_width, builder.length(segment) - builder.layout.half_road_width
    )
    return builder.placement_along(segment, distance, offset, quarter_turns)


def at_corner(builder: SectionBuilder, _hx: int, _hy: int) -> Placement:
    """Return a placement where a street meets a crossing, on the right of oncoming traffic and facing it."""
    segment, far = builder.rng.choice(builder.segments), builder.rng.chance(500)
    arms = builder.layout.arms(segment[1 if far else 0])
    distance = (
        builder.layout.half_road_width + builder.rng.randint(650, 1_500)
        if len(arms) > 1
        else builder.length(segment) // 2
    )
    return _facing_traffic(builder, segment, distance, far)


def facing_traffic(builder: SectionBuilder, _hx: int, _hy: int) -> Placement:
    """Return a placement at the kerb, on the right of oncoming traffic and facing it."""
    segment, far = builder.rng.choice(builder.segments), builder.rng.chance(500)
    return _facing_traffic(
        builder,
        segment,
        builder.rng.randint(
            builder.layout.half_street_width, builder.length(segment) - builder.layout.half_street_width
        ),
        far,
    )


def _facing_traffic(builder: SectionBuilder, segment: Segment, distance: int, far: bool) -> Placement:
    """Return a placement beside the kerb at a distance from one end of a segment, facing traffic to that end."""
    if far:
        return builder.placement_along(
            segment, builder.length(segment) - distance, builder.layout.half_road_width + 500, 2
        )
    return builder.placement_along(segment, distance, -builder.layout.half_road_width - 500, 0)


def on_square(builder: SectionBuilder, hx: int, hy: int) -> Placement:
    """Return a placement in an alley, a park or on a square; at a wall if the section has none."""
    if not builder.squares:
        return at_wall(builder, hx, hy)
    area = builder.draft.areas[builder.rng.choice(builder.squares)]
    ahead = builder.rng.randint(-int(area["hy"]) + 600, int(area["hy"]) - 600)
    right = builder.rng.randint(-int(area["hx"]) + 600, int(area["hx"]) - 600)
    ux, uy = DIRECTIONS[0]
    x = int(area["x"]) + (ahead * ux + right * uy) // DIRECTION_SCALE
    return Placement(x, int(area["y"]) + (ahead * uy - right * ux) // DIRECTION_SCALE, builder.rng.randint(0, 3))


# Where each kind is placed, and how many per thousand come as a row of two or three.
PLACEMENTS: dict[str, tuple[tuple[PositionSampler, ...], int]] = {
    "dumpster 1": ((at_road_edge, at_wall, on_square), 0),
    "dumpster 2": ((at_road_edge,), 0),
    "traffic light 1": ((at_corner,), 0),
    "traffic light 2": ((at_corner,), 0),
    "stop sign": ((at_corner, facing_traffic), 0),
    "speed limit sign": ((facing_traffic,), 0),
    "traffic barrier 1": ((on_road, at_kerb), 300),
    "traffic barrier 2": ((on_road,), 0),
    "traffic barrier 3": ((at_road_edge, on_road), 200),
    "traffic barrier 4": ((on_road, at_road_edge), 400),
    "traffic barrier 5": ((on_road, at_kerb), 300),
    "barrel": ((on_road, at_kerb, at_road_edge), 400),
    "tire pile": ((at_road_edge, at_wall, on_square), 0),
    "mailbox": ((at_kerb, at_wall), 0),
    "trash can 1": ((at_kerb, at_wall, on_square), 150),
    "trash can 2": ((at_kerb, at_wall, on_square), 0),
    "metal bench": ((at_wall, at_kerb, on_square), 150),
    "wooden bench": ((on_square, at_wall, at_kerb), 200),
    "traffic cone": ((on_road, at_road_edge, at_kerb), 550),
    "garbage bags": ((at_kerb, at_wall, on_square), 0),
    "hydrant": ((at_kerb,), 0),
    "phone booth": ((at_wall, at_kerb), 0),
}


def place_street_objects(draft: Draft) -> None:
    """Place lamps and banners, then all other objects, then trees in every section."""
    for layout, theme in zip(section_layouts(draft.seed), section_themes(draft.seed), strict=True):
        inside = [k for k, area in enumerate(draft.areas) if _is_square(draft, layout, area)]
        builder = SectionBuilder(
            draft, layout, SeededRandom(draft.seed, layout.number, STAGE), list(layout.segments()), inside
        )
        _place_lamps(builder)
        for _ in range(ROUNDS):
            for kind in builder.rng.shuffled(list(PLACEMENTS)):
                _place_kind(builder, kind)
        for kind in PLACEMENTS:
            for _ in range(ROUNDS):
                if len(builder.placed.get(kind, ())) < MIN_PER_KIND:
                    _place_kind(builder, kind)
        _plant_trees(builder, theme)


def _is_square(draft: Draft, layout: Layout, area: np.void) -> bool:
    """Return whether an area is open ground between houses of a section."""
    x, y = int(area["x"]), int(area["y"])
    near = abs(x - layout.x) < SECTION_SPACING // 2 and abs(y - layout.y) < SECTION_SPACING // 2
    return near and bool(raster_of(draft).at(x, y) & raster.PARK)


def _place_kind(builder: SectionBuilder, kind: str) -> None:
    """Place an object of a kind, or a row of them, at the first sampled position that has room."""
    object_kind, (samplers, row_per_mille) = OBJECT_KINDS[kind], PLACEMENTS[kind]
    model = builder.rng.choice(object_kind.models)
    colour = builder.next_colour(kind)
    count = builder.rng.randint(2, 3) if builder.rng.chance(row_per_mille) else 1
    for k in range(MAX_TRIES):
        sampler = builder.rng.choice(samplers)
        min_distance = SAME_KIND_DISTANCE * (MAX_TRIES - k) // MAX_TRIES
        if _try_place(builder, kind, model, colour, sampler, count if 2 * k < MAX_TRIES else 1, min_distance):
            return


def _try_place(
    builder: SectionBuilder, kind: str, model: str, colour: str, sampler: PositionSampler, count: int, min_distance: int
) -> bool:
    """Place a row at one sampled position; return whether there was room."""
    class_name = OBJECT_KINDS[kind].thing
    variant = variant_index(class_name, model)
    extents = model_extents(class_name)
    hx, hy = int(extents.half[0][variant]), int(extents.half[1][variant])
    spacing = 2 * hx + 260
    half_width = hx + spacing * (count - 1) // 2
    placement = sampler(builder, half_width, hy)
    if any(abs(x - placement.x) + abs(y - placement.y) < min_distance for x, y in builder.placed.get(kind, ())):
        return False
    ux, uy = DIRECTIONS[placement.direction]
    is_on_road = sampler in (on_road, at_road_edge)
    # The origin of the model, so that the middle of its footprint is at the position.
    mx, my = int(extents.middle[0][variant]), int(extents.middle[1][variant])
    x, y = placement.x - (mx * uy + my * ux) // DIRECTION_SCALE, placement.y - (my * uy - mx * ux) // DIRECTION_SCALE
    surroundings = raster_of(builder.draft).covers(
        (placement.x, placement.y), (ux, uy), (half_width + CLEARANCE, hy + CLEARANCE)
    )[0]
    if surroundings & raster.THING or (is_on_road and surroundings & raster.BUILDING):
        return False
    if not reserve(
        builder.draft,
        (placement.x, placement.y),
        (ux, uy),
        (half_width, hy),
        BLOCKS_ON_ROAD if is_on_road else BLOCKS_BESIDE_ROAD,
    )[0]:
        return False
    group = int(new_groups(builder.draft, 1)[0]) if count > 1 else -1
    for k in range(count):
        shift = spacing * k - spacing * (count - 1) // 2
        position = x + shift * uy // DIRECTION_SCALE, y - shift * ux // DIRECTION_SCALE
        builder.draft.add(
            make_things(
                builder.draft,
                STAGE,
                class_name,
                position,
                (ux, uy),
                len(builder.draft.things),
                variant=variant,
                first=colour_index(colour),
                street=placement.street,
                group=group,
                place_in_group=k if count > 1 else 0,
            )
        )
        builder.placed.setdefault(kind, []).append(position)
    return True


def _place_lamps(builder: SectionBuilder) -> None:
    """Place equal lamps along a section's streets on alternating sides, with banners on every other lamp."""
    draft, rng = builder.draft, builder.rng
    lamps, banners = OBJECT_KINDS["streetlamp"], OBJECT_KINDS["banner"]
    model, colour = rng.choice(lamps.models), rng.choice(lamps.colours)
    banner_count = 0
    for k, segment in enumerate(builder.segments):
        side = 1 if k % 2 else -1
        distance = builder.length(segment) * rng.randint(35, 65) // 100
        placement = builder.placement_along(segment, distance, side * (builder.layout.half_road_width + 480), -side)
        direction = DIRECTIONS[placement.direction]
        lamp = make_things(
            draft,
            STAGE,
            lamps.thing,
            (placement.x, placement.y),
            direction,
            k,
            variant=variant_index(lamps.thing, model),
            first=colour_index(colour),
            street=placement.street,
        )
        if not reserve(draft, *footprints(lamps.thing, lamp), BLOCKS_BESIDE_ROAD)[0]:
            continue
        lamp_index = draft.add(lamp)
        if k % 2 == 0 or banner_count < 2:
            banner_count += 1
            street_direction = DIRECTIONS[(placement.direction + 1) % 4]
            text = names.choose_texts(draft, names.BANNERS, np.array([lamp_index]), 3)
            draft.add(
                make_things(
                    draft,
                    STAGE,
                    banners.thing,
                    (placement.x, placement.y),
                    street_direction,
                    lamp_index,
                    owner=lamp_index,
                    street=placement.street,
                    text=text,
                    variant=variant_index(banners.thing, banners.models[0]),
                    second=colour_index("white"),
                    first=colour_index(builder.next_colour("banner")),
                )
            )


def _plant_trees(builder: SectionBuilder, theme: Theme) -> None:
    """Plant a few trees along the kerbs, and more in parks and on squares."""
    draft, rng = builder.draft, builder.rng
    extents = model_extents("tree")
    for k in range(24):
        variant = variant_index("tree", rng.choice(theme.trees))
        hx, hy = int(extents.half[0][variant]), int(extents.half[1][variant])
        placement = (on_square if k % 3 else at_kerb)(builder, hx, hy)
        surroundings = raster_of(draft).covers(
            (placement.x, placement.y), DIRECTIONS[placement.direction], (hx + 1_200, hy + 1_200)
        )[0]
        if surroundings & (raster.THING | raster.BUILDING):
            continue
        tree = make_things(
            draft,
            STAGE,
            "tree",
            (placement.x, placement.y),
            DIRECTIONS[placement.direction],
            len(draft.things),
            variant=variant,
            sx=620,
            sy=620,
            sz=620,
        )
        if reserve(draft, *footprints("tree", tree), BLOCKS_BESIDE_ROAD)[0]:
            draft.add(tree)
