"""Labels of a map: streets along their course, landmarks, parks and shops, without overlaps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from string import capwords
from typing import TYPE_CHECKING

import numpy as np

from bearleft.world.city.catalog import class_index
from bearleft.world.city.names import street_names
from bearleft.world.city.plan import Draft, Plan
from bearleft.world.maps import colours
from bearleft.world.maps.frame import XY, clip_line, contains, expand
from bearleft.world.maps.free_space import FreeSpace, covering_discs
from bearleft.world.maps.objects import landmark_name
from bearleft.world.maps.shapes import Colour, Drawing, Words, words_length
from bearleft.world.maps.streets import roads_near, street_lines
from bearleft.world.render.codes import Ground

if TYPE_CHECKING:
    from bearleft.types import Floats


STREET_DETAIL, HOUSE_DETAIL, SHOP_DETAIL, AREA_DETAIL = (
    0.2,
    0.8,
    4.2,
    0.9,
)  # reference pixels per metre from which they are named
NAME_SPACING = 380.0  # reference pixels between two names of one street
MIN_STRAIGHTNESS = 0.985  # chord of a label relative to its length along the street
NAME_POSITIONS = (
    0.5,
    0.4,
    0.6,
    0.3,
    0.7,
    0.2,
    0.8,
    0.1,
    0.9,
    0.45,
    0.55,
    0.35,
    0.65,
    0.25,
    0.75,
)  # shares of a stretch, in the order tried
MIN_AREA_HALF = 6.5  # metres: half the shorter side of an area that is labelled; smaller ones are paths
HALO = (255, 255, 255)


def street_names_by_number(plan: Plan) -> dict[int, str]:
    """Return the names of streets by number."""
    draft = Draft(plan.seed, plan.graph, roads=plan.roads)
    return {k: capwords(draft.texts[text]) for k, text in enumerate(street_names(draft))}


@dataclass(frozen=True)
class Labels:
    """Places labels; they may not overlap `occupied`, and should not overlap `avoided`."""

    drawing: Drawing
    occupied: FreeSpace
    avoided: FreeSpace

    def try_place(self, words: Words, strict: bool = True) -> bool:
        """Place a label if there is space; return whether there was."""
        if strict and not self.avoided.is_free(covering_discs(words)):
            return False
        if not self.occupied.try_place(words):
            return False
        self.drawing.words(words)
        return True

    def streets(self, plan: Plan, names: dict[int, str]) -> None:
        """Label each street along its middle, long streets first, once per stretch."""
        frame = self.drawing.frame
        if frame.detail < STREET_DETAIL:
            return
        visible_box = expand(self.drawing.box, -8 * frame.unit)
        runs = [
            (Run.of(run), line.street, line.half)
            for line in street_lines(roads_near(plan.roads, self.drawing.box), widths=False)
            for run in clip_line(line.points, visible_box)
        ]
        placed: dict[str, list[XY]] = {}
        for run, street, half in sorted(runs, key=lambda row: -row[0].length):
            size = min(max(1.5 * half, 10.0 * frame.unit), 15.0 * frame.unit)
            length = words_length(names[street], size)
            stretches = max(round(run.length / (NAME_SPACING * frame.unit)), 1)
            for k in range(stretches):
                self._label_street(
                    run, run.length * k / stretches, run.length / stretches, length, size, names[street], placed
                )

    def _label_street(
        self,
        run: Run,
        start: float,
        stretch: float,
        length: float,
        size: float,
        name: str,
        placed: dict[str, list[XY]],
    ) -> None:
        if stretch < 1.15 * length:
            return
        others = placed.setdefault(name, [])
        for strict in (True, False):
            if others and not strict:
                return
            for share in NAME_POSITIONS:
                words = run.words(start + share * stretch, length, size, name)
                if words is None or any(
                    math.dist(words.at, at) < 0.5 * NAME_SPACING * self.drawing.frame.unit for at in others
                ):
                    continue
                if self.try_place(words, strict):
                    others.append(words.at)
                    return

    def landmarks(self, plan: Plan) -> None:
        """Label each landmark below it, or beside it where there is space."""
        for thing in np.flatnonzero(plan.things["kind"] == class_index("landmark")):
            name = landmark_name(plan, int(thing))
            self._label_beside(plan, int(thing), "landmark name", name, 12.0, colours.LANDMARK_EDGE, 14.0)

    def houses(self, plan: Plan) -> None:
        """Label porticos and theatres, and shops at a larger scale."""
        for kind, min_detail, size, colour in (
            ("portico", HOUSE_DETAIL, 10.5, colours.INK),
            ("marquee", HOUSE_DETAIL, 10.5, colours.INK),
            ("storefront", SHOP_DETAIL, 8.5, colours.SHOP_INK),
        ):
            if self.drawing.frame.detail < min_detail:
                continue
            for index in np.flatnonzero((plan.things["kind"] == class_index(kind)) & (plan.things["text"] >= 0)):
                row = plan.things[index]
                at = row["x"] / 1000.0, row["y"] / 1000.0
                if not contains(self.drawing.box, at):
                    continue
                name = capwords(plan.texts[int(row["text"])])
                # Into the building, away from the street.
                inward = -4.0 / 1e6
                inner = at[0] + inward * float(row["ux"]), at[1] + inward * float(row["uy"])
                unit = self.drawing.frame.unit
                self.try_place(Words(f"{kind} name", inner, name, size * unit, colour, HALO, instance=int(index) + 1))

    def areas(self, plan: Plan) -> None:
        """Label parks and plazas that are large enough for the word."""
        unit = self.drawing.frame.unit
        if self.drawing.frame.detail < AREA_DETAIL:
            return
        for area in plan.areas:
            word, colour = _AREA_LABELS.get(int(area["ground"]), ("", colours.INK))
            half = min(area["hx"], area["hy"]) / 1000.0
            if word and half > MIN_AREA_HALF and 2 * half > 1.1 * words_length(word, 11.0 * unit):
                at = float(area["x"]) / 1000.0, float(area["y"]) / 1000.0
                for offset in (0.0, 14.0, -14.0, 28.0, -28.0):
                    if self.try_place(
                        Words("ground name", (at[0], at[1] + offset * unit), word, 11.0 * unit, colour, HALO)
                    ):
                        break

    def _label_beside(
        self, plan: Plan, index: int, kind: str, name: str, size: float, colour: Colour, distance: float
    ) -> None:
        unit, row = self.drawing.frame.unit, plan.things[index]
        x, y = float(row["x"]) / 1000.0, float(row["y"]) / 1000.0
        half = words_length(name, size * unit) / 2 + 0.7 * distance * unit
        offsets = (
            (0, -distance * unit),
            (0, distance * unit),
            (half, 0),
            (-half, 0),
            (0, -2 * distance * unit),
            (0, 2 * distance * unit),
        )
        for strict in (True, False):
            for dx, dy in offsets:
                if self.try_place(
                    Words(kind, (x + dx, y + dy), name, size * unit, colour, HALO, instance=index + 1), strict
                ):
                    return


_AREA_LABELS: dict[int, tuple[str, Colour]] = {
    int(Ground.GRASS): ("Park", colours.PARK_INK),
    int(Ground.PLAZA): ("Plaza", colours.SHOP_INK),
}


@dataclass(frozen=True)
class Run:
    """A line with the distance of each of its points from the start."""

    points: Floats
    distances: Floats

    @classmethod
    def of(cls, points: list[XY]) -> Run:
        """Return the run through points."""
        points_ = np.array(points)
        steps = np.hypot(*np.diff(points_, axis=0).T)
        return cls(points_, np.concatenate([[0.0], np.cumsum(steps)]))

    @property
    def length(self) -> float:
        """Length of the whole line."""
        return float(self.distances[-1])

    def point_at(self, distance: float) -> XY:
        """Return the point at a distance from the start."""
        east, north = (float(np.interp(distance, self.distances, self.points[:, axis])) for axis in (0, 1))
        return east, north

    def words(self, centre: float, length: float, size: float, name: str) -> Words | None:
        """Return text along the line around `centre`, left to right; None where the line bends or ends."""
        if centre - length / 2 < 0 or centre + length / 2 > self.length:
            return None
        (x0, y0), (x1, y1) = self.point_at(centre - length / 2), self.point_at(centre + length / 2)
        if math.hypot(x1 - x0, y1 - y0) < MIN_STRAIGHTNESS * length:
            return None
        angle = -math.degrees(math.atan2(y1 - y0, x1 - x0))
        if angle > 90 or angle <= -90:
            angle += 180 if angle <= -90 else -180
        return Words(
            "street name", ((x0 + x1) / 2, (y0 + y1) / 2), name, size, colours.STREET_INK, HALO, round(angle, 2)
        )
