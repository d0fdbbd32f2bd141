"""The words of bearleft as frozen records: Direction, Pose, goals, Leg, Episode, Trace; each to JSON and back.

Angles are degrees, 0 is north, clockwise; pitch is up. Positions are metres east, north and up. A record that exists is
valid: constructors check, and `from_json` names the field that is wrong. `FORMAT` is written into every line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from bearleft.errors import InputError, shown
from bearleft.heatmap import Heat as Heat
from bearleft.runtime.json_fields import Fields, Json, each, items, number, numbers, some_text, text, whole

FORMAT = 1
REFUSED = "refused"  # how a trace names an action that was not possible and changed nothing

Position: TypeAlias = tuple[float, float, float]
Cell: TypeAlias = tuple[int, int, int]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Direction:
    """Where one looks: `heading` clockwise from north in [0, 360), `pitch` up in [-90, 90]."""

    heading: float
    pitch: float = 0.0

    def __post_init__(self) -> None:
        heading = number(self.heading, "heading") % 360.0
        # The remainder of a tiny negative angle rounds up to 360.0 itself.
        object.__setattr__(self, "heading", 0.0 if heading == 360.0 else heading)
        object.__setattr__(self, "pitch", number(self.pitch, "pitch", -90, 90))

    def to_json(self) -> Json:
        return [self.heading, self.pitch]

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> Direction:
        heading, pitch = numbers(value, field, 2)
        return cls(heading, number(pitch, f"{field}[1]", -90, 90))


def _position(value: Json, field: str) -> Position:
    east, north, up = numbers(value, field, 3)
    return east, north, up


def _cell(value: Json, field: str) -> Cell:
    x, y, z = (whole(v, f"{field}[{k}]") for k, v in enumerate(items(value, field, 3)))
    return x, y, z


@dataclass(frozen=True, slots=True)
class Pose:
    """Where one is and looks: a place id, a position in metres, or both."""

    look: Direction
    place: str | None = None
    position: Position | None = None

    def __post_init__(self) -> None:
        if self.place is None and self.position is None:
            raise InputError("a place or a position", "neither", "place")
        if self.place is not None:
            some_text(self.place, "place")
        if self.position is not None:
            object.__setattr__(self, "position", _position(self.position, "position"))

    def to_json(self) -> Json:
        out: dict[str, Json] = {"look": self.look.to_json()}
        if self.place is not None:
            out["place"] = self.place
        if self.position is not None:
            out["position"] = list(self.position)
        return out

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> Pose:
        row = Fields(value, field)
        place = row.some_text("place") if "place" in row else None
        position = _position(row["position"], row.name("position")) if "position" in row else None
        look = Direction.from_json(row["look"], row.name("look"))
        return _placed(field, lambda: cls(look, place, position))


@dataclass(frozen=True, slots=True)
class Reach:
    """Walk to the end of `route`, a chain of linked places."""

    route: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "route", each(some_text, self.route, "route", some=True))

    def to_json(self) -> Json:
        return {"reach": list(self.route)}


@dataclass(frozen=True, slots=True)
class Point:
    """Point in `direction` from `place`.

    `yaw` is the heading in the middle of the place's picture, where the papers' pixels are counted from. `views` are
    where a person looked after each sentence, where the dataset says. `propagated` is the same target as it was
    annotated in other panoramas: who stands there points at it as well.
    """

    direction: Direction
    place: str | None = None
    yaw: float = 0.0
    views: tuple[Direction, ...] = ()
    propagated: tuple[Point, ...] = ()

    def __post_init__(self) -> None:
        if self.place is not None:
            some_text(self.place, "place")
        object.__setattr__(self, "yaw", number(self.yaw, "yaw"))
        for k, other in enumerate(self.propagated):
            if other.place is None or other.propagated:
                raise InputError("a point at a place, without others", shown(other), f"propagated[{k}]")

    def seen_from(self, place: str | None) -> Point | None:
        """Return the target as annotated in the panorama of `place`, or None where it is not annotated."""
        if self.place is None or place == self.place:
            return self
        return next((other for other in self.propagated if other.place == place), None)

    def to_json(self) -> Json:
        out: dict[str, Json] = {"point": self.direction.to_json(), "yaw": self.yaw}
        if self.place is not None:
            out["place"] = self.place
        if self.views:
            out["views"] = [view.to_json() for view in self.views]
        if self.propagated:
            out["propagated"] = [other.to_json() for other in self.propagated]
        return out

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> Point:
        row = Fields(value, field)
        views = each(Direction.from_json, row["views"], row.name("views")) if "views" in row else ()
        others = each(cls.from_json, row["propagated"], row.name("propagated")) if "propagated" in row else ()
        place = row.some_text("place") if "place" in row else None
        direction = Direction.from_json(row["point"], row.name("point"))
        return _placed(field, lambda: cls(direction, place, row.number("yaw"), views, others))


@dataclass(frozen=True, slots=True)
class Collect:
    """Walk along `path` and pick up `item`, which lies `at` a position; `actions` are the demonstration."""

    path: tuple[Position, ...]
    item: str
    at: Position
    actions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", each(_position, self.path, "path", some=True))
        object.__setattr__(self, "at", _position(self.at, "at"))
        some_text(self.item, "item")

    def to_json(self) -> Json:
        return {
            "collect": self.item,
            "at": list(self.at),
            "path": [list(p) for p in self.path],
            "actions": list(self.actions),
        }


@dataclass(frozen=True, slots=True)
class Assemble:
    """Put the item onto `cell` (column, height, row) of the room; `path` and `actions` are the demonstration."""

    cell: Cell
    path: tuple[Cell, ...] = ()
    actions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "cell", _cell(self.cell, "cell"))
        object.__setattr__(self, "path", each(_cell, self.path, "path"))

    def to_json(self) -> Json:
        return {"assemble": list(self.cell), "path": [list(c) for c in self.path], "actions": list(self.actions)}


Goal: TypeAlias = Reach | Point | Collect | Assemble
GOALS = ("reach", "point", "collect", "assemble")


def goal_from_json(value: Json, field: str = "") -> Goal:
    """The goal that the object's own key names."""
    row = Fields(value, field)
    if "reach" in row:
        return Reach(each(some_text, row["reach"], row.name("reach"), some=True))
    if "point" in row:
        return Point.from_json(value, field)
    if "collect" in row:
        return Collect(
            each(_position, row["path"], row.name("path"), some=True),
            row.some_text("collect"),
            _position(row["at"], row.name("at")),
            each(text, row["actions"], row.name("actions")),
        )
    if "assemble" in row:
        return Assemble(
            _cell(row["assemble"], row.name("assemble")),
            each(_cell, row["path"], row.name("path")),
            each(text, row["actions"], row.name("actions")),
        )
    raise InputError(f"a goal, one of {', '.join(GOALS)}", f"fields {', '.join(map(shown, row))}", field)


@dataclass(frozen=True, slots=True)
class Leg:
    """One instruction and one goal; `sentences` where the text is given one sentence after another."""

    text: str
    goal: Goal
    sentences: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        text(self.text, "text")
        if self.sentences and " ".join(self.sentences) != self.text:
            raise InputError("sentences that make up the text", shown(" ".join(self.sentences)), "sentences")

    def to_json(self) -> Json:
        out = {"text": self.text, "goal": self.goal.to_json()}
        if self.sentences:
            out["sentences"] = list(self.sentences)
        return out

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> Leg:
        row = Fields(value, field)
        sentences = each(text, row["sentences"], row.name("sentences")) if "sentences" in row else ()
        goal = goal_from_json(row["goal"], row.name("goal"))
        return _placed(field, lambda: cls(row.text("text"), goal, sentences))


@dataclass(frozen=True, slots=True)
class Episode:
    """What is asked: a world, a start pose, and legs. `extra` keeps what its file says beside that."""

    id: str
    dataset: str
    world: str
    start: Pose
    legs: tuple[Leg, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        some_text(self.id, "id")
        some_text(self.dataset, "dataset")
        some_text(self.world, "world")
        if not self.legs:
            raise InputError("at least one leg", "none", "legs")

    def to_json(self) -> Json:
        return {
            "format": FORMAT,
            "id": self.id,
            "dataset": self.dataset,
            "world": self.world,
            "start": self.start.to_json(),
            "legs": [leg.to_json() for leg in self.legs],
            "extra": dict(self.extra),
        }

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> Episode:
        row = Fields(value, field)
        _check_format(row)
        return cls(
            row.some_text("id"),
            row.some_text("dataset"),
            row.some_text("world"),
            Pose.from_json(row["start"], row.name("start")),
            each(Leg.from_json, row["legs"], row.name("legs"), some=True),
            dict(row.object("extra").value),
        )


Answer: TypeAlias = Direction | Cell | str | None


@dataclass(frozen=True, slots=True)
class LegTrace:
    """What was done in one leg, column by column: the actions, where they led (start first), and the answer.

    `path` holds place ids (Reach), positions (Collect) or cells (Assemble); `looks` the views that were turned to, of a
    walk the last one. The answer is a direction (Point), an item (Collect), a cell (Assemble), or None where none was
    given; `heat` is how likely the agent found every direction, where it said so.
    """

    actions: tuple[str, ...] = ()
    path: tuple[str, ...] | tuple[Position, ...] | tuple[Cell, ...] = ()
    looks: tuple[Direction, ...] = ()
    answer: Answer = None
    heat: Heat | None = None

    def to_json(self) -> Json:
        out: dict[str, Json] = {
            "actions": list(self.actions),
            "path": [list(p) if isinstance(p, tuple) else p for p in self.path],
        }
        if self.looks:
            out["looks"] = [look.to_json() for look in self.looks]
        if isinstance(self.answer, Direction):
            out["answer"] = {"direction": self.answer.to_json()}
        elif isinstance(self.answer, tuple):
            out["answer"] = {"cell": list(self.answer)}
        elif self.answer is not None:
            out["answer"] = {"item": self.answer}
        if self.heat is not None:
            out["heat"] = self.heat.to_json()
        return out

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> LegTrace:
        row = Fields(value, field)
        path: tuple[Any, ...] = each(_step, row["path"], row.name("path"))
        if len({type(p[0]) if isinstance(p, tuple) else str for p in path}) > 1:
            raise InputError("places, positions or cells, not a mixture", shown(row["path"]), row.name("path"))
        answer: Answer = None
        if "answer" in row:
            given = row.object("answer")
            if "direction" in given:
                answer = Direction.from_json(given["direction"], given.name("direction"))
            elif "cell" in given:
                answer = _cell(given["cell"], given.name("cell"))
            else:
                answer = given.text("item")
        looks = each(Direction.from_json, row["looks"], row.name("looks")) if "looks" in row else ()
        heat = Heat.from_json(row["heat"], row.name("heat")) if "heat" in row else None
        return cls(each(text, row["actions"], row.name("actions")), path, looks, answer, heat)


def _step(value: Json, field: str) -> str | Position | Cell:
    if isinstance(value, list):
        whole_numbers = all(isinstance(v, int) and not isinstance(v, bool) for v in value)
        return _cell(value, field) if whole_numbers else _position(value, field)
    return some_text(value, field)


@dataclass(frozen=True, slots=True)
class Trace:
    """What was done: who (`agent`, `seed`), in which episode of which dataset, and one LegTrace for each leg begun."""

    episode: str
    dataset: str
    agent: str
    legs: tuple[LegTrace, ...]
    seed: int = 0
    sha256: str = ""
    version: str = ""
    horizon: int | None = None  # actions after which a walk ends by itself; None where none walks or it is unknown

    def __post_init__(self) -> None:
        some_text(self.episode, "episode")
        some_text(self.dataset, "dataset")
        some_text(self.agent, "agent")
        whole(self.seed, "seed")
        if self.horizon is not None:
            whole(self.horizon, "horizon", 1)

    def to_json(self) -> Json:
        return {
            "format": FORMAT,
            "episode": self.episode,
            "dataset": self.dataset,
            "sha256": self.sha256,
            "agent": self.agent,
            "seed": self.seed,
            "version": self.version,
            **({} if self.horizon is None else {"horizon": self.horizon}),
            "legs": [leg.to_json() for leg in self.legs],
        }

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> Trace:
        row = Fields(value, field)
        _check_format(row)
        return cls(
            row.some_text("episode"),
            row.some_text("dataset"),
            row.some_text("agent"),
            each(LegTrace.from_json, row["legs"], row.name("legs")),
            row.whole("seed"),
            row.text("sha256"),
            row.text("version"),
            row.whole("horizon", 1) if "horizon" in row else None,
        )


def to_line(record: Episode | Trace) -> str:
    """A record as one line of JSON, without the newline."""
    return json.dumps(record.to_json(), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _check_format(row: Fields) -> None:
    version = row.whole("format")
    if version != FORMAT:
        raise InputError(
            f"format {FORMAT}", f"format {version}", row.name("format"), hint="Was it written by another bearleft?"
        )


def _placed(field: str, make: Callable[[], T]) -> T:
    """Runs a constructor whose own check may fail, and names the place in the file."""
    try:
        return make()
    except InputError as error:
        raise error.at(field=field) from None
