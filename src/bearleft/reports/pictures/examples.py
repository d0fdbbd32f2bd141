"""Example pictures of a dataset: text, route on a map, views on the way, and the target in its panorama."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from bearleft.data import open_dataset
from bearleft.errors import InputError, format_value
from bearleft.geometry import to_equirectangular, turn
from bearleft.records import Assemble, Collect, Direction, Episode, Leg, Point, Reach, check_goals
from bearleft.reports.pictures.arramon_examples import task_pictures
from bearleft.runtime.store import atomic_write, write_text
from bearleft.types import DataFolder, Progress
from bearleft.world.city.city import City, open_city
from bearleft.world.maps.map import Line, overhead_map, paint, region
from bearleft.world.render.camera import Lens, panorama, view
from bearleft.world.render.devices import renderer
from bearleft.world.worlds import world_kind

PICTURE_WIDTH = 960  # pixels
VIEW = view(262, 208, 80.0)
PANORAMA = panorama(PICTURE_WIDTH)
BAND_PITCH = 60.0  # degrees shown above and below the horizon
MAP_SIDE = 2 * VIEW.height + 8  # two rows of views stand beside it
TURN_DEGREES = 45.0  # a smaller turn counts as straight ahead
MAX_VIEWS = 4  # beside the map
GOAL_VERBS = {Reach: "Walk", Point: "Point", Collect: "Collect", Assemble: "Assemble"}
INK, TARGET_COLOUR, VIEW_COLOUR = (30, 30, 30), (255, 40, 160), (0, 220, 255)


def examples(
    name: str,
    output: str | os.PathLike[str],
    ids: Sequence[str] = (),
    count: int = 10,
    seed: int = 0,
    data: DataFolder = None,
    progress: Progress | None = None,
    city: int | None = None,
) -> list[dict[str, str]]:
    """Write `count` random episodes of a dataset, or those of `ids`: a picture each, and a README.md.

    Args:
        name: the dataset; only datasets of rendered cities have pictures.
        output: the folder.
        ids: episodes to write.
        count: how many random episodes, without `ids`.
        seed: of the random choice.
        data: the folder of datasets.
        progress: called with a label, the work done, and all of it.
        city: seed of the city on streets without buildings.

    Returns:
        A row for each file.
    """
    if count < 1:
        raise InputError("at least one example", str(count), "count")
    episodes = {episode.id: episode for episode in open_dataset(name, data)}
    check_goals(episodes.values(), "to show")
    for episode_id in ids:
        if episode_id not in episodes:
            raise InputError(
                f"ids of {name}", format_value(episode_id), hint=f"For example: {next(iter(episodes), 'none is there')}"
            )
    chosen = list(ids) or Random(f"{seed} examples").sample(sorted(episodes), min(count, len(episodes)))
    for world in (episodes[episode_id].world for episode_id in chosen):
        if world_kind(world).from_release:
            hint = "Released files hold no city. `bearleft report` shows their tasks, with what was done in them."
            raise InputError("episodes in a world that has pictures", f"{name} in {world}", hint=hint)
    folder, rows, page = Path(output), [], [f"# {name}: {len(chosen)} examples", ""]
    for k, episode_id in enumerate(chosen):
        episode = episodes[episode_id]
        built_city = open_city(episode.world, city if world_kind(episode.world).buildable else None, data)
        file = f"{episode_id.replace('/', '-')}.jpg"
        image = picture(built_city, episode)
        with atomic_write(folder / file, "wb") as stream:
            image.save(stream, "JPEG", quality=85, subsampling=0)
        page += [
            f"## {k + 1}. Episode {episode_id}, {episode.world}",
            "",
            *_list_texts(episode),
            "",
            f"![Episode {episode_id}]({file})",
            "",
        ]
        rows.append({"episode": episode_id, "world": episode.world, "file": str(folder / file)})
        if progress:
            progress("examples", k + 1, len(chosen))
    write_text(folder / "README.md", "\n".join(page))
    return rows


def _list_texts(episode: Episode) -> list[str]:
    lines = []
    for leg in episode.legs:
        verb = GOAL_VERBS[type(leg.goal)]
        lines += [f"- **{verb}**: {sentence}" for sentence in leg.sentences or (leg.text,)]
    return lines


def picture(city: City, episode: Episode) -> Image.Image:
    """Draw one episode: a map and views for a leg that walks, the panorama with its target for one that points."""
    if any(isinstance(leg.goal, Collect) for leg in episode.legs):
        legs = task_pictures(episode, MAP_SIDE, (VIEW.width, VIEW.height), MAX_VIEWS)
        strips = [_place_beside(above, shots) for above, shots in legs]
    else:
        strips = [strip for leg in episode.legs for strip in _leg_strips(city, leg)]
    sheet = Image.new("RGB", (PICTURE_WIDTH, sum(strip.height for strip in strips) + 8 * (len(strips) - 1)), "white")
    top = 0
    for strip in strips:
        sheet.paste(strip, (0, top))
        top += strip.height + 8
    return sheet


def _leg_strips(city: City, leg: Leg) -> list[Image.Image]:
    if isinstance(leg.goal, Reach):
        return [_draw_route(city, leg.goal.route)]
    if isinstance(leg.goal, Point) and leg.goal.place is not None:
        return [_draw_target(city, leg.goal)]
    raise InputError("legs to walk or to point from a place", type(leg.goal).__name__)


def _draw_route(city: City, route: Sequence[str]) -> Image.Image:
    """Draw the map, and the views at start, turns and end."""
    graph = city.graph
    places = [graph.place_index(place) for place in route]
    headings = [float(graph.heading[graph.find_link(a, b)]) for a, b in pairwise(places)]
    stops = [(places[0], headings[0], "start"), *_find_turns(places, headings), (places[-1], headings[-1], "end")]
    line = Line(route, width=7.0)
    drawing = overhead_map(
        city.plan, region(graph, [line], 60.0, MAP_SIDE, MAP_SIDE), [line], f"{len(route)} places", names=False
    )
    shown_stops = [*stops[:-1][: MAX_VIEWS - 1], stops[-1]]
    return _place_beside(
        paint(drawing), [(_render(city, VIEW, place, heading), name) for place, heading, name in shown_stops]
    )


def _place_beside(map_picture: Image.Image, views: Sequence[tuple[Image.Image, str]]) -> Image.Image:
    """Draw a map with captioned views to its right, two by two."""
    strip = Image.new("RGB", (PICTURE_WIDTH, MAP_SIDE), "white")
    strip.paste(map_picture, (0, 0))
    for k, (view_picture, caption) in enumerate(views):
        at = MAP_SIDE + 6 + k % 2 * (VIEW.width + 6), k // 2 * (VIEW.height + 8)
        strip.paste(_add_caption(view_picture, caption), at)
    return strip


def _find_turns(places: Sequence[int], headings: Sequence[float]) -> list[tuple[int, float, str]]:
    """Return the places where the route turns, with the heading of arrival."""
    turns = []
    for place, (before, after) in zip(places[1:], pairwise(headings), strict=False):
        angle = float(turn(before, after))
        if abs(angle) > TURN_DEGREES:
            turns.append((place, before, f"before turning {'right' if angle > 0 else 'left'}"))
    return turns


def _draw_target(city: City, goal: Point) -> Image.Image:
    """Draw the panorama around the goal with its yaw in the middle, with rings at intermediate views and the target."""
    assert goal.place is not None
    panorama_picture = _render(city, PANORAMA, city.graph.place_index(goal.place), goal.yaw)
    draw = ImageDraw.Draw(panorama_picture)
    for k, view_direction in enumerate(goal.views[:-1], 1):
        _draw_ring(draw, view_direction, goal.yaw, VIEW_COLOUR, str(k))
    _draw_ring(draw, goal.direction, goal.yaw, TARGET_COLOUR, "")
    margin = round((90.0 - BAND_PITCH) / 180.0 * PANORAMA.height)
    return panorama_picture.crop((0, margin, PICTURE_WIDTH, PANORAMA.height - margin))


def _draw_ring(
    draw: ImageDraw.ImageDraw, direction: Direction, yaw: float, colour: tuple[int, int, int], name: str
) -> None:
    x, y = (
        float(v) for v in to_equirectangular(direction.heading, direction.pitch, PANORAMA.width, PANORAMA.height, yaw)
    )
    for radius, width, ring_colour in ((11, 4, (255, 255, 255)), (10, 2, colour)):
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), outline=ring_colour, width=width)
    if name:
        draw.text((x + 13, y - 9), name, colour, ImageFont.load_default(16))


def _render(city: City, lens: Lens, place: int, heading: float) -> Image.Image:
    pictures = renderer(city.scene, "cpu")(city.poses([place], heading), lens, samples=2)
    return Image.fromarray(np.asarray(pictures.rgb[0]))


def _add_caption(view_picture: Image.Image, caption: str) -> Image.Image:
    draw = ImageDraw.Draw(view_picture)
    font = ImageFont.load_default(13)
    left, top, right, bottom = draw.textbbox((6, 4), caption, font)
    draw.rectangle((left - 3, top - 2, right + 3, bottom + 2), (255, 255, 255))
    draw.text((6, 4), caption, INK, font)
    return view_picture
