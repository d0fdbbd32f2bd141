"""Heat maps as in Touchdown's Figures 7 and 9 to 14: one description, its panorama, and where each system believed it.

The target's Gaussian is red, a system's distribution green; a thin line goes round what counts as found, 80 pixels of
the paper's picture away.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from bearleft.data import load
from bearleft.errors import InputError, shown
from bearleft.evaluate.run import read_trace
from bearleft.evaluate.score import dataset_of
from bearleft.metrics.pointing import HEIGHT as ROWS
from bearleft.metrics.pointing import WIDTH as COLUMNS
from bearleft.metrics.pointing import a_80px, pixel_distance
from bearleft.models.examples import point_leg
from bearleft.records import Direction, Episode, Heat, LegTrace, Point, Trace
from bearleft.report.film.sheet import BAD, GOOD, font, laid
from bearleft.report.html.pictures import open_eyes
from bearleft.runtime.store import atomic_write, existing_file
from bearleft.world.pictures import Sees

Data = str | os.PathLike[str] | None
File = str | os.PathLike[str]
Shares = npt.NDArray[np.float64]
PAPER, INK, SOFT = (255, 255, 255), (28, 30, 36), (104, 110, 122)
RED, GREEN = np.array([226.0, 24.0, 38.0]), np.array([18.0, 232.0, 58.0])
SIGMA = 2.3  # degrees of the target's Gaussian: three cells of a slice
BAND = 38.0  # degrees up and down that are shown, a little more than the slices are high
PALE, LIGHT = 0.45, 0.82  # how grey the picture becomes, and the most that a colour covers of it
BEND = 0.6  # of what is believed little, so much more is shown


@dataclass(frozen=True)
class Told:
    """What one system said: a name, its answer, and its heat map where it left one."""

    name: str
    answer: Direction | None
    heat: Heat | None


def heatmaps(
    *files: File,
    episode: str,
    output: File | None = None,
    names: Sequence[str] = (),
    pictures: Sequence[File] = (),
    city: int | None = None,
    data: Data = None,
    width: int = 1400,
) -> Image.Image:
    """What several files of traces hold of one episode, one under another; written to `output` as PNG.

    `names` are what the systems are called, in the order of the files; else the agents' names. `pictures` and `city`
    are as in `report`.
    """
    if not files:
        raise InputError("at least one file of traces", "none")
    if names and len(names) != len(files):
        raise InputError(f"{len(files)} names, one for each file", str(len(names)), "names")
    traces = [_trace(file, episode) for file in files]
    asked = next((one for one in load(traces[0].dataset, data) if one.id == episode), None)
    if asked is None:
        raise InputError(f"an episode of {traces[0].dataset}", shown(episode))
    number = max(k for k, leg in enumerate(asked.legs) if isinstance(leg.goal, Point))
    told = [
        told_of(name or trace.agent, trace.legs[number])
        for name, trace in zip(names or [""] * len(traces), traces, strict=True)
    ]
    eyes = open_eyes([asked.world], pictures, city, "cpu", data)(asked.world)
    drawn = draw(asked, told, eyes, width)
    if output is not None:
        with atomic_write(output, "wb") as stream:
            drawn.save(stream, "PNG")
    return drawn


def outcomes(*files: File, data: Data = None) -> dict[tuple[bool, ...], list[str]]:
    """Episodes that all files have, by who hit: (True, False) are those that the first hit and the second missed."""
    by: dict[str, list[bool]] = {}
    goals: dict[str, Point] = {}
    for number, file in enumerate(files):
        with open(existing_file(file, "a file of traces"), "rb") as stream:
            for line, raw in enumerate(stream, 1):
                trace = read_trace(raw, Path(file), line)
                if not goals:
                    goals = {one.id: point_leg(one)[1] for one in load(trace.dataset, data)}
                answer = trace.legs[-1].answer if trace.legs else None
                hit = isinstance(answer, Direction) and pixel_distance(answer, goals[trace.episode]) < a_80px.radius
                if len(by.setdefault(trace.episode, [])) == number:
                    by[trace.episode].append(hit)
    found: dict[tuple[bool, ...], list[str]] = {who: [] for who in itertools.product((False, True), repeat=len(files))}
    for episode, hits in by.items():
        if len(hits) == len(files):
            found[tuple(hits)].append(episode)
    return found


def told_of(name: str, leg: LegTrace) -> Told:
    """What a trace says of a leg that points."""
    return Told(name, leg.answer if isinstance(leg.answer, Direction) else None, leg.heat)


def _trace(file: File, episode: str) -> Trace:
    if dataset_of(file) is None:
        raise InputError("a file of traces", "something else", file=str(file))
    path = existing_file(file, "a file of traces")
    with open(path, "rb") as stream:
        for number, line in enumerate(stream, 1):
            if episode.encode() in line:
                trace = read_trace(line, Path(path), number)
                if trace.episode == episode:
                    return trace
    raise InputError(f"a trace of episode {shown(episode)}", "none", file=str(file))


def draw(episode: Episode, told: Sequence[Told], eyes: Sees | None, width: int = 1400) -> Image.Image:
    """The description, and under it a strip for each system."""
    text, goal = point_leg(episode)
    pad, size = max(width // 100, 6), max(width // 62, 11)
    lines = laid(text, width - 2 * pad, size)
    tall = int(size * 1.4)
    above = pad + tall * (lines[-1].line + 1 if lines else 0) + pad
    picture = _picture(episode, goal, eyes, width)
    strip, label = len(picture), int(size * 1.9)
    sheet = Image.new("RGB", (width, above + len(told) * (label + strip + pad) + tall), PAPER)
    pen = ImageDraw.Draw(sheet)
    for word in lines:
        pen.text((pad + word.left, pad + word.line * tall), word.text, INK, font(size))
    down = above
    for one in told:
        _label(pen, one, goal, (pad, down, width), size)
        sheet.paste(_strip(picture, one, goal), (0, down + label))
        down += label + strip + pad
    key = "red: the target · green: what the system believed · cross: its answer · line: 80 px from the target"
    pen.text((pad, down - pad // 3), key, SOFT, font(max(int(size * 0.8), 9)))
    return sheet


def _label(pen: ImageDraw.ImageDraw, one: Told, goal: Point, at: tuple[int, int, int], size: int) -> None:
    left, top, width = at
    pen.text((left, top + size * 0.25), one.name, INK, font(size), stroke_width=0)
    if one.answer is None:
        word, colour = "no answer", SOFT
    else:
        away = pixel_distance(one.answer, goal)
        hit = bool(a_80px([away])[0])
        word, colour = f"{'hit' if hit else 'miss'}, {away:,.0f} px", GOOD if hit else BAD
    long = font(size).getlength(word)
    box = (width - left - long - size, top + size * 0.1, width - left, top + size * 1.6)
    pen.rounded_rectangle(box, size * 0.4, colour)
    pen.text((box[0] + size / 2, top + size * 0.22), word, PAPER, font(size))


def _rows(goal: Point, width: int) -> tuple[int, int]:
    """The first and last row of a panorama that are shown: the band, and the target in any case."""
    high, low = max(BAND, goal.direction.pitch + 8), min(-BAND, goal.direction.pitch - 8)
    per = width / 360
    return max(int((90 - high) * per), 0), min(int((90 - low) * per), width // 2)


def _picture(episode: Episode, goal: Point, eyes: Sees | None, width: int) -> Shares:
    """The rows of the panorama that are shown, a little grey so that colours stand out; grey all over without eyes."""
    first, last = _rows(goal, width)
    place = goal.place or episode.start.place
    if eyes is None or place is None:
        return np.full((last - first, width, 3), 214.0)
    seen = eyes.panoramas([eyes.number(place)], goal.yaw, (width, width // 2))[0, first:last].astype(np.float64)
    grey = seen.mean(axis=2, keepdims=True)
    pale: Shares = seen * (1 - PALE) + grey * PALE
    return pale


def _strip(picture: Shares, one: Told, goal: Point) -> Image.Image:
    height, width = picture.shape[:2]
    first, _ = _rows(goal, width)
    x, y = _pixel(goal.direction, goal.yaw, width)
    laid_over = picture
    if one.heat is not None:
        heat = Image.frombytes("L", (one.heat.width, one.heat.height), one.heat.values)
        wide = np.asarray(heat.resize((width, width // 2), Image.Resampling.BILINEAR), np.float64) / 255
        laid_over = _over(laid_over, GREEN, wide[first : first + height] ** BEND)
    columns, rows = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + first + 0.5)
    apart = np.abs(columns - x)
    apart = np.minimum(apart, width - apart)
    sigma = SIGMA * width / 360
    laid_over = _over(laid_over, RED, np.exp(-(apart**2 + (rows - y) ** 2) / (2 * sigma**2)))
    strip = Image.fromarray(np.clip(laid_over, 0, 255).astype(np.uint8))
    pen = ImageDraw.Draw(strip)
    across, down = a_80px.radius / COLUMNS * width, a_80px.radius / ROWS * width / 2
    pen.ellipse((x - across, y - first - down, x + across, y - first + down), outline=(255, 255, 255), width=3)
    pen.ellipse((x - across, y - first - down, x + across, y - first + down), outline=(200, 16, 32), width=1)
    if one.answer is not None:
        _cross(pen, _pixel(one.answer, goal.yaw, width), first, max(width // 160, 4))
    return strip


def _over(picture: Shares, colour: Shares, share: Shares) -> Shares:
    cover = LIGHT * share[..., None]
    covered: Shares = picture * (1 - cover) + colour * cover
    return covered


def _cross(pen: ImageDraw.ImageDraw, at: tuple[float, float], first: int, arm: int) -> None:
    x, y = at[0], at[1] - first
    for colour, thick in (((0, 0, 0), 5), ((255, 255, 255), 2)):
        pen.line((x - arm, y - arm, x + arm, y + arm), colour, thick)
        pen.line((x - arm, y + arm, x + arm, y - arm), colour, thick)


def _pixel(direction: Direction, yaw: float, width: int) -> tuple[float, float]:
    across = (direction.heading - yaw + 180.0) % 360.0
    return across / 360 * width, (90 - direction.pitch) / 180 * width / 2
