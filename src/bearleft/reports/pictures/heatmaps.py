"""Heat maps as in Touchdown's Figures 7 and 9 to 14: a description, its panorama, and each system's distribution.

The target's Gaussian is red, a system's distribution green; a thin line marks the success radius of 80 pixels in the
paper's pictures.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw

from bearleft.data import load
from bearleft.errors import InputError, format_value
from bearleft.evaluation.score import trace_dataset
from bearleft.evaluation.trace_files import read_trace
from bearleft.metrics.pointing import HEIGHT as ROWS
from bearleft.metrics.pointing import WIDTH as COLUMNS
from bearleft.metrics.pointing import a_80px, pixel_distance
from bearleft.models.examples import point_leg
from bearleft.records import Direction, Episode, Heatmap, LegTrace, Point, Trace, check_goals
from bearleft.reports.film.fonts import font
from bearleft.reports.film.layout import FAILURE, SUCCESS, wrap_text
from bearleft.reports.html.pictures import open_worlds
from bearleft.runtime.store import atomic_write, existing_file
from bearleft.world.pictures import PictureSource

if TYPE_CHECKING:
    from bearleft.types import Floats


Data = str | os.PathLike[str] | None
File = str | os.PathLike[str]
PAPER, INK, MUTED = (255, 255, 255), (28, 30, 36), (104, 110, 122)
RED, GREEN = np.array([226.0, 24.0, 38.0]), np.array([18.0, 232.0, 58.0])
TARGET_SIGMA = 2.3  # degrees: three feature map cells
BAND_PITCH = 38.0  # degrees shown above and below the horizon, a little more than the slices
GREY_SHARE, MAX_OPACITY = 0.45, 0.82  # desaturation of the picture, and opacity of the colours
GAMMA = 0.6  # below 1: emphasizes low probabilities


@dataclass(frozen=True)
class SystemAnswer:
    """A system's answer: its name, direction, and heat map where there is one."""

    name: str
    answer: Direction | None
    heat: Heatmap | None


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
    """Draw the heat maps of several files of traces for one episode, one below another.

    Args:
        files: files of traces.
        episode: the episode's id.
        output: a PNG file to write.
        names: names of the systems, in the order of files (default: the agents' names).
        pictures: folders of panoramas.
        city: the seed of the city to build on a street graph that has none.
        data: the folder of datasets.
        width: width in pixels.
    """
    if not files:
        raise InputError("at least one file of traces", "none")
    if names and len(names) != len(files):
        raise InputError(f"{len(files)} names, one for each file", str(len(names)), "names")
    traces = [_trace(file, episode) for file in files]
    found_episode = next((candidate for candidate in load(traces[0].dataset, data) if candidate.id == episode), None)
    if found_episode is None:
        raise InputError(f"an episode of {traces[0].dataset}", format_value(episode))
    check_goals([found_episode], "to show")
    leg_index = max(k for k, leg in enumerate(found_episode.legs) if isinstance(leg.goal, Point))
    answers = [
        answer_of(name or trace.agent, trace.legs[leg_index])
        for name, trace in zip(names or [""] * len(traces), traces, strict=True)
    ]
    source = open_worlds([found_episode.world], pictures, city, "cpu", data)(found_episode.world)
    image = draw_answers(found_episode, answers, source, width)
    if output is not None:
        with atomic_write(output, "wb") as stream:
            image.save(stream, "PNG")
    return image


def outcomes(*files: File, data: Data = None) -> dict[tuple[bool, ...], list[str]]:
    """Group the episodes that all files share by success: (True, False) are hits of the first, misses of the second."""
    hits_by_episode: dict[str, list[bool]] = {}
    goals: dict[str, Point] = {}
    for file_index, file in enumerate(files):
        with open(existing_file(file, "a file of traces"), "rb") as stream:
            for line, raw in enumerate(stream, 1):
                trace = read_trace(raw, Path(file), line)
                if not goals:
                    episodes = load(trace.dataset, data)
                    check_goals(episodes, "to compare answers with")
                    goals = {episode_.id: point_leg(episode_)[1] for episode_ in episodes}
                answer = trace.legs[-1].answer if trace.legs else None
                hit = isinstance(answer, Direction) and pixel_distance(answer, goals[trace.episode]) < a_80px.radius
                if len(hits_by_episode.setdefault(trace.episode, [])) == file_index:
                    hits_by_episode[trace.episode].append(hit)
    groups: dict[tuple[bool, ...], list[str]] = {
        outcome: [] for outcome in itertools.product((False, True), repeat=len(files))
    }
    for episode, hits in hits_by_episode.items():
        if len(hits) == len(files):
            groups[tuple(hits)].append(episode)
    return groups


def answer_of(name: str, leg: LegTrace) -> SystemAnswer:
    """Return the answer of a leg that points."""
    return SystemAnswer(name, leg.answer if isinstance(leg.answer, Direction) else None, leg.heat)


def _trace(file: File, episode: str) -> Trace:
    if trace_dataset(file) is None:
        raise InputError("a file of traces", "something else", file=str(file))
    path = existing_file(file, "a file of traces")
    with open(path, "rb") as stream:
        for number, line in enumerate(stream, 1):
            if episode.encode() in line:
                trace = read_trace(line, Path(path), number)
                if trace.episode == episode:
                    return trace
    raise InputError(f"a trace of episode {format_value(episode)}", "none", file=str(file))


def draw_answers(
    episode: Episode, answers: Sequence[SystemAnswer], source: PictureSource | None, width: int = 1400
) -> Image.Image:
    """Draw the description, and below it a strip for each system."""
    text, goal = point_leg(episode)
    pad, size = max(width // 100, 6), max(width // 62, 11)
    lines = wrap_text(text, width - 2 * pad, size)
    line_height = int(size * 1.4)
    top = pad + line_height * (lines[-1].line + 1 if lines else 0) + pad
    picture = _picture(episode, goal, source, width)
    strip, label = len(picture), int(size * 1.9)
    sheet = Image.new("RGB", (width, top + len(answers) * (label + strip + pad) + line_height), PAPER)
    drawing = ImageDraw.Draw(sheet)
    for word in lines:
        drawing.text((pad + word.left, pad + word.line * line_height), word.text, INK, font(size))
    y = top
    for answer in answers:
        _label(drawing, answer, goal, (pad, y, width), size)
        sheet.paste(_strip(picture, answer, goal), (0, y + label))
        y += label + strip + pad
    legend = "red: the target · green: what the system believed · cross: its answer · line: 80 px from the target"
    drawing.text((pad, y - pad // 3), legend, MUTED, font(max(int(size * 0.8), 9)))
    return sheet


def _label(
    drawing: ImageDraw.ImageDraw, answer: SystemAnswer, goal: Point, box_origin: tuple[int, int, int], size: int
) -> None:
    left, top, width = box_origin
    drawing.text((left, top + size * 0.25), answer.name, INK, font(size), stroke_width=0)
    if answer.answer is None:
        outcome, colour = "no answer", MUTED
    else:
        distance = pixel_distance(answer.answer, goal)
        hit = bool(a_80px([distance])[0])
        outcome, colour = f"{'hit' if hit else 'miss'}, {distance:,.0f} px", SUCCESS if hit else FAILURE
    length = font(size).getlength(outcome)
    box = (width - left - length - size, top + size * 0.1, width - left, top + size * 1.6)
    drawing.rounded_rectangle(box, size * 0.4, colour)
    drawing.text((box[0] + size / 2, top + size * 0.22), outcome, PAPER, font(size))


def _rows(goal: Point, width: int) -> tuple[int, int]:
    """Return the first and last row of a panorama that are shown: the band, and the target."""
    high, low = max(BAND_PITCH, goal.direction.pitch + 8), min(-BAND_PITCH, goal.direction.pitch - 8)
    pixels_per_degree = width / 360
    return max(int((90 - high) * pixels_per_degree), 0), min(int((90 - low) * pixels_per_degree), width // 2)


def _picture(episode: Episode, goal: Point, source: PictureSource | None, width: int) -> Floats:
    """Return the shown rows of the panorama, partly desaturated; plain grey without a picture source."""
    first, last = _rows(goal, width)
    place = goal.place or episode.start.place
    if source is None or place is None:
        return np.full((last - first, width, 3), 214.0)
    panorama = source.panoramas([source.place_index(place)], goal.yaw, (width, width // 2))[0, first:last].astype(
        np.float64
    )
    grey = panorama.mean(axis=2, keepdims=True)
    desaturated: Floats = panorama * (1 - GREY_SHARE) + grey * GREY_SHARE
    return desaturated


def _strip(picture: Floats, answer: SystemAnswer, goal: Point) -> Image.Image:
    height, width = picture.shape[:2]
    first, _ = _rows(goal, width)
    x, y = _pixel(goal.direction, goal.yaw, width)
    blended = picture
    if answer.heat is not None:
        heat = Image.frombytes("L", (answer.heat.width, answer.heat.height), answer.heat.values)
        probabilities = np.asarray(heat.resize((width, width // 2), Image.Resampling.BILINEAR), np.float64) / 255
        blended = _blend(blended, GREEN, probabilities[first : first + height] ** GAMMA)
    columns, rows = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + first + 0.5)
    dx = np.abs(columns - x)
    dx = np.minimum(dx, width - dx)
    sigma = TARGET_SIGMA * width / 360
    blended = _blend(blended, RED, np.exp(-(dx**2 + (rows - y) ** 2) / (2 * sigma**2)))
    strip = Image.fromarray(np.clip(blended, 0, 255).astype(np.uint8))
    drawing = ImageDraw.Draw(strip)
    across, down = a_80px.radius / COLUMNS * width, a_80px.radius / ROWS * width / 2
    drawing.ellipse((x - across, y - first - down, x + across, y - first + down), outline=(255, 255, 255), width=3)
    drawing.ellipse((x - across, y - first - down, x + across, y - first + down), outline=(200, 16, 32), width=1)
    if answer.answer is not None:
        _cross(drawing, _pixel(answer.answer, goal.yaw, width), first, max(width // 160, 4))
    return strip


def _blend(picture: Floats, colour: Floats, weights: Floats) -> Floats:
    opacity = MAX_OPACITY * weights[..., None]
    blended: Floats = picture * (1 - opacity) + colour * opacity
    return blended


def _cross(drawing: ImageDraw.ImageDraw, at: tuple[float, float], first: int, length: int) -> None:
    x, y = at[0], at[1] - first
    for colour, thickness in (((0, 0, 0), 5), ((255, 255, 255), 2)):
        drawing.line((x - length, y - length, x + length, y + length), colour, thickness)
        drawing.line((x - length, y + length, x + length, y - length), colour, thickness)


def _pixel(direction: Direction, yaw: float, width: int) -> tuple[float, float]:
    across = (direction.heading - yaw + 180.0) % 360.0
    return across / 360 * width, (90 - direction.pitch) / 180 * width / 2
