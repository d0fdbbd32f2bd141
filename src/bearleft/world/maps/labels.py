"""Names on a map: streets along their course, landmarks, parks, shops; each where it lies on nothing else."""

from __future__ import annotations

import math
from dataclasses import dataclass
from string import capwords

import numpy as np

from bearleft.geometry import Floats
from bearleft.world.city.catalog import number
from bearleft.world.city.names import street_names
from bearleft.world.city.plan import Draft, Plan
from bearleft.world.maps import colours
from bearleft.world.maps.frame import Spot, cut_course, grown, inside
from bearleft.world.maps.free_space import Room, covered
from bearleft.world.maps.marks import Colour, Drawing, Words, words_length
from bearleft.world.maps.objects import landmark_name
from bearleft.world.maps.streets import courses, near
from bearleft.world.render.codes import Ground

STREETS, HOUSES, SHOPS, GROUNDS = 0.2, 0.8, 4.2, 0.9  # usual pixels in a metre from which they are named
APART = 380.0  # usual pixels between two names of one street
STRAIGHT = 0.985  # a name's chord to its way along the street
WITHIN = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9, 0.45, 0.55, 0.35, 0.65, 0.25, 0.75)  # tried in a stretch
LEAST = 6.5  # metres: half the shorter side of a ground that is named; less is a path across a lawn
HALO = (255, 255, 255)


def named_streets(plan: Plan) -> dict[int, str]:
    """What each street is called, by its number."""
    draft = Draft(plan.seed, plan.graph, roads=plan.roads)
    return {k: capwords(draft.texts[text]) for k, text in enumerate(street_names(draft))}


@dataclass(frozen=True)
class Labels:
    """Puts names down: `room` is what no name may lie on, `soft` what one should rather not lie on."""

    drawing: Drawing
    room: Room
    soft: Room

    def put(self, words: Words, strict: bool = True) -> bool:
        """Whether there was room."""
        if strict and not self.soft.free(covered(words)):
            return False
        if not self.room.put(words):
            return False
        self.drawing.words(words)
        return True

    def streets(self, plan: Plan, names: dict[int, str]) -> None:
        """Along the middle of each street, long streets first; once in every stretch of it."""
        frame = self.drawing.frame
        if frame.detail < STREETS:
            return
        shown = grown(self.drawing.box, -8 * frame.unit)
        runs = [
            (Run.of(run), one.street, one.half)
            for one in courses(near(plan.roads, self.drawing.box), widths=False)
            for run in cut_course(one.points, shown)
        ]
        put: dict[str, list[Spot]] = {}
        for run, street, half in sorted(runs, key=lambda row: -row[0].length):
            size = min(max(1.5 * half, 10.0 * frame.unit), 15.0 * frame.unit)
            long = words_length(names[street], size)
            stretches = max(round(run.length / (APART * frame.unit)), 1)
            for k in range(stretches):
                self._street(run, run.length * k / stretches, run.length / stretches, long, size, names[street], put)

    def _street(
        self,
        run: Run,
        begin: float,
        stretch: float,
        long: float,
        size: float,
        name: str,
        put: dict[str, list[Spot]],
    ) -> None:
        if stretch < 1.15 * long:
            return
        others = put.setdefault(name, [])
        for strict in (True, False):
            if others and not strict:
                return
            for share in WITHIN:
                words = run.words(begin + share * stretch, long, size, name)
                if words is None or any(
                    math.dist(words.at, at) < 0.5 * APART * self.drawing.frame.unit for at in others
                ):
                    continue
                if self.put(words, strict):
                    others.append(words.at)
                    return

    def landmarks(self, plan: Plan) -> None:
        """Below each landmark, or where there is room beside it."""
        for thing in np.flatnonzero(plan.things["kind"] == number("landmark")):
            name = landmark_name(plan, int(thing))
            self._beside(plan, int(thing), "landmark name", name, 12.0, colours.LANDMARK_EDGE, 14.0)

    def houses(self, plan: Plan) -> None:
        """What is written over grand doors and theatres, and of shops, where one sees so much."""
        for kind, least, size, colour in (
            ("portico", HOUSES, 10.5, colours.INK),
            ("marquee", HOUSES, 10.5, colours.INK),
            ("storefront", SHOPS, 8.5, colours.SHOP_INK),
        ):
            if self.drawing.frame.detail < least:
                continue
            for thing in np.flatnonzero((plan.things["kind"] == number(kind)) & (plan.things["text"] >= 0)):
                row = plan.things[thing]
                at = row["x"] / 1000.0, row["y"] / 1000.0
                if not inside(self.drawing.box, at):
                    continue
                name = capwords(plan.texts[int(row["text"])])
                # Into the building, away from the street.
                back = -4.0 / 1e6
                inner = at[0] + back * float(row["ux"]), at[1] + back * float(row["uy"])
                unit = self.drawing.frame.unit
                self.put(Words(f"{kind} name", inner, name, size * unit, colour, HALO, instance=int(thing) + 1))

    def grounds(self, plan: Plan) -> None:
        """Parks and plazas large enough to hold the word."""
        unit = self.drawing.frame.unit
        if self.drawing.frame.detail < GROUNDS:
            return
        for area in plan.areas:
            word, colour = _GROUNDS.get(int(area["ground"]), ("", colours.INK))
            half = min(area["hx"], area["hy"]) / 1000.0
            if word and half > LEAST and 2 * half > 1.1 * words_length(word, 11.0 * unit):
                at = float(area["x"]) / 1000.0, float(area["y"]) / 1000.0
                for by in (0.0, 14.0, -14.0, 28.0, -28.0):
                    if self.put(Words("ground name", (at[0], at[1] + by * unit), word, 11.0 * unit, colour, HALO)):
                        break

    def _beside(self, plan: Plan, thing: int, kind: str, name: str, size: float, colour: Colour, away: float) -> None:
        unit, row = self.drawing.frame.unit, plan.things[thing]
        x, y = float(row["x"]) / 1000.0, float(row["y"]) / 1000.0
        half = words_length(name, size * unit) / 2 + 0.7 * away * unit
        spots = (
            (0, -away * unit),
            (0, away * unit),
            (half, 0),
            (-half, 0),
            (0, -2 * away * unit),
            (0, 2 * away * unit),
        )
        for strict in (True, False):
            for dx, dy in spots:
                if self.put(Words(kind, (x + dx, y + dy), name, size * unit, colour, HALO, instance=thing + 1), strict):
                    return


_GROUNDS: dict[int, tuple[str, Colour]] = {
    int(Ground.GRASS): ("Park", colours.PARK_INK),
    int(Ground.PLAZA): ("Plaza", colours.SHOP_INK),
}


@dataclass(frozen=True)
class Run:
    """A line with the way to each of its points."""

    points: Floats
    along: Floats

    @classmethod
    def of(cls, points: list[Spot]) -> Run:
        where = np.array(points)
        steps = np.hypot(*np.diff(where, axis=0).T)
        return cls(where, np.concatenate([[0.0], np.cumsum(steps)]))

    @property
    def length(self) -> float:
        return float(self.along[-1])

    def spot(self, along: float) -> Spot:
        east, north = (float(np.interp(along, self.along, self.points[:, axis])) for axis in (0, 1))
        return east, north

    def words(self, middle: float, long: float, size: float, name: str) -> Words | None:
        """Words along the line around `middle`, read from left to right; None where it bends or ends."""
        if middle - long / 2 < 0 or middle + long / 2 > self.length:
            return None
        (x0, y0), (x1, y1) = self.spot(middle - long / 2), self.spot(middle + long / 2)
        if math.hypot(x1 - x0, y1 - y0) < STRAIGHT * long:
            return None
        angle = -math.degrees(math.atan2(y1 - y0, x1 - x0))
        if angle > 90 or angle <= -90:
            angle += 180 if angle <= -90 else -180
        return Words(
            "street name", ((x0 + x1) / 2, (y0 + y1) / 2), name, size, colours.STREET_INK, HALO, round(angle, 2)
        )
