"""Examples of a city's datasets to look at: text, route on a map, views on the way, the target in its picture."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from bearleft.data import open_dataset
from bearleft.errors import InputError, shown
from bearleft.geometry import to_equirectangular, turn
from bearleft.records import Assemble, Collect, Direction, Episode, Leg, Point, Reach
from bearleft.report.pictures.arramon_examples import task_pictures
from bearleft.runtime.store import atomic_write, write_text
from bearleft.world.arramon.task_setup import RELEASED
from bearleft.world.city.city import City, open_city
from bearleft.world.maps.map import Line, overhead, paint, region
from bearleft.world.render.camera import Lens, panorama, view
from bearleft.world.render.devices import renderer

Progress = Callable[[str, int, int], None]
WIDTH = 960  # of an example's picture
VIEW = view(262, 208, 80.0)
AROUND = panorama(WIDTH)
BAND = 60.0  # degrees of pitch shown to either side of the horizon
MAP = 2 * VIEW.height + 8  # two views stand beside it, in two rows
TURN = 45.0  # degrees; a smaller one is going straight
MOST = 4  # views beside the map
WHAT = {Reach: "Walk", Point: "Point", Collect: "Collect", Assemble: "Assemble"}
INK, RING, LOOKED = (30, 30, 30), (255, 40, 160), (0, 220, 255)


def examples(
    name: str,
    output: str | os.PathLike[str],
    ids: Sequence[str] = (),
    count: int = 10,
    seed: int = 0,
    data: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> list[dict[str, str]]:
    """Writes `count` episodes of a dataset, drawn at random, or those of `ids`: a picture each, README.md around them.

    Episodes of cities alone: others have no pictures.
    """
    if count < 1:
        raise InputError("at least one example", str(count), "count")
    episodes = {episode.id: episode for episode in open_dataset(name, data)}
    for one in ids:
        if one not in episodes:
            raise InputError(f"ids of {name}", shown(one), hint=f"For example: {next(iter(episodes), 'none is there')}")
    chosen = list(ids) or Random(f"{seed} examples").sample(sorted(episodes), min(count, len(episodes)))
    for world in (episodes[one].world for one in chosen):
        if world.startswith(RELEASED):
            hint = "Released files hold no city. `bearleft report` shows their tasks, with what was done in them."
            raise InputError("episodes in a world that has pictures", f"{name} in {world}", hint=hint)
    folder, rows, page = Path(output), [], [f"# {name}: {len(chosen)} examples", ""]
    for k, one in enumerate(chosen):
        episode = episodes[one]
        city = open_city(episode.world, data=data)
        file = f"{one.replace('/', '-')}.jpg"
        drawn = picture(city, episode)
        with atomic_write(folder / file, "wb") as stream:
            drawn.save(stream, "JPEG", quality=85, subsampling=0)
        page += [
            f"## {k + 1}. Episode {one}, {episode.world}",
            "",
            *_told(episode),
            "",
            f"![Episode {one}]({file})",
            "",
        ]
        rows.append({"episode": one, "world": episode.world, "file": str(folder / file)})
        if progress:
            progress("examples", k + 1, len(chosen))
    write_text(folder / "README.md", "\n".join(page))
    return rows


def _told(episode: Episode) -> list[str]:
    told = []
    for leg in episode.legs:
        what = WHAT[type(leg.goal)]
        told += [f"- **{what}**: {sentence}" for sentence in leg.sentences or (leg.text,)]
    return told


def picture(city: City, episode: Episode) -> Image.Image:
    """One episode: a map and views on the way of a leg to walk, the panorama with its target of one to point."""
    if any(isinstance(leg.goal, Collect) for leg in episode.legs):
        legs = task_pictures(episode, MAP, (VIEW.width, VIEW.height), MOST)
        strips = [_beside(above, shots) for above, shots in legs]
    else:
        strips = [strip for leg in episode.legs for strip in _strips(city, leg)]
    sheet = Image.new("RGB", (WIDTH, sum(one.height for one in strips) + 8 * (len(strips) - 1)), "white")
    top = 0
    for one in strips:
        sheet.paste(one, (0, top))
        top += one.height + 8
    return sheet


def _strips(city: City, leg: Leg) -> list[Image.Image]:
    if isinstance(leg.goal, Reach):
        return [_way(city, leg.goal.route)]
    if isinstance(leg.goal, Point) and leg.goal.place is not None:
        return [_target(city, leg.goal)]
    raise InputError("legs to walk or to point from a place", type(leg.goal).__name__)


def _way(city: City, route: Sequence[str]) -> Image.Image:
    """The map, and what one sees where one begins, turns and ends."""
    graph = city.graph
    places = [graph.number(place) for place in route]
    headings = [float(graph.heading[graph.link(a, b)]) for a, b in pairwise(places)]
    stops = [(places[0], headings[0], "start"), *_turns(places, headings), (places[-1], headings[-1], "end")]
    line = Line(route, width=7.0)
    above = overhead(city.plan, region(graph, [line], 60.0, MAP, MAP), [line], f"{len(route)} places", names=False)
    seen = [*stops[:-1][: MOST - 1], stops[-1]]
    return _beside(paint(above), [(_look(city, VIEW, place, heading), name) for place, heading, name in seen])


def _beside(above: Image.Image, shots: Sequence[tuple[Image.Image, str]]) -> Image.Image:
    """A picture from above, and views with their names to its right, two by two."""
    strip = Image.new("RGB", (WIDTH, MAP), "white")
    strip.paste(above, (0, 0))
    for k, (shot, name) in enumerate(shots):
        at = MAP + 6 + k % 2 * (VIEW.width + 6), k // 2 * (VIEW.height + 8)
        strip.paste(_titled(shot, name), at)
    return strip


def _turns(places: Sequence[int], headings: Sequence[float]) -> list[tuple[int, float, str]]:
    """Where one turns, and in which direction one comes there."""
    found = []
    for place, (before, after) in zip(places[1:], pairwise(headings), strict=False):
        by = float(turn(before, after))
        if abs(by) > TURN:
            found.append((place, before, f"before turning {'right' if by > 0 else 'left'}"))
    return found


def _target(city: City, goal: Point) -> Image.Image:
    """The panorama around the goal, its middle where the place's picture has it, rings where one looks and points."""
    assert goal.place is not None
    shot = _look(city, AROUND, city.graph.number(goal.place), goal.yaw)
    draw = ImageDraw.Draw(shot)
    for k, looked in enumerate(goal.views[:-1], 1):
        _ring(draw, looked, goal.yaw, LOOKED, str(k))
    _ring(draw, goal.direction, goal.yaw, RING, "")
    edge = round((90.0 - BAND) / 180.0 * AROUND.height)
    return shot.crop((0, edge, WIDTH, AROUND.height - edge))


def _ring(draw: ImageDraw.ImageDraw, where: Direction, yaw: float, colour: tuple[int, int, int], name: str) -> None:
    x, y = (float(v) for v in to_equirectangular(where.heading, where.pitch, AROUND.width, AROUND.height, yaw))
    for reach, width, ink in ((11, 4, (255, 255, 255)), (10, 2, colour)):
        draw.ellipse((x - reach, y - reach, x + reach, y + reach), outline=ink, width=width)
    if name:
        draw.text((x + 13, y - 9), name, colour, ImageFont.load_default(16))


def _look(city: City, lens: Lens, place: int, heading: float) -> Image.Image:
    seen = renderer(city.scene, "cpu")(city.poses([place], heading), lens, samples=2)
    return Image.fromarray(np.asarray(seen.rgb[0]))


def _titled(shot: Image.Image, name: str) -> Image.Image:
    draw = ImageDraw.Draw(shot)
    font = ImageFont.load_default(13)
    left, top, right, bottom = draw.textbbox((6, 4), name, font)
    draw.rectangle((left - 3, top - 2, right + 3, bottom + 2), (255, 255, 255))
    draw.text((6, 4), name, INK, font)
    return shot
