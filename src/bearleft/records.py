"""The core data types as frozen dataclasses: Direction, Pose, goals, Leg, Episode, Trace; all convert to JSON and back.

Headings are degrees clockwise from north, pitches degrees upwards. Positions are metres east, north and up.
Constructors validate, and errors of `from_json` name the invalid field. `FORMAT` is written into every line of a file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from bearleft.conversation import ModelCall
from bearleft.errors import InputError, format_value
from bearleft.heatmap import Heatmap as Heatmap
from bearleft.policy import Policy as Policy
from bearleft.runtime.json_fields import Fields, Json, integer, items, nonempty_text, number, numbers, parse_list, text

FORMAT = 1
REFUSED = "refused"  # in traces: an action that was not possible and changed nothing

Position: TypeAlias = tuple[float, float, float]
Cell: TypeAlias = tuple[int, int, int]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Direction:
    """A viewing direction in degrees.

    Attributes:
        heading: Clockwise from north; stored in [0, 360).
        pitch: Upwards, in [-90, 90].
    """

    heading: float
    pitch: float = 0.0

    def __post_init__(self) -> None:
        heading = number(self.heading, "heading") % 360.0
        # The remainder of a tiny negative angle rounds up to 360.0 itself.
        object.__setattr__(self, "heading", 0.0 if heading == 360.0 else heading)
        object.__setattr__(self, "pitch", number(self.pitch, "pitch", -90, 90))

    def to_json(self) -> Json:
        """Return the list of heading and pitch."""
        return [self.heading, self.pitch]

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> Direction:
        """Return the direction of a JSON list; `field` is its name for error messages."""
        heading, pitch = numbers(value, field, 2)
        return cls(heading, number(pitch, f"{field}[1]", -90, 90))


def _position(value: Json, field: str) -> Position:
    east, north, up = numbers(value, field, 3)
    return east, north, up


def _cell(value: Json, field: str) -> Cell:
    x, y, z = (integer(v, f"{field}[{k}]") for k, v in enumerate(items(value, field, 3)))
    return x, y, z


@dataclass(frozen=True, slots=True)
class Pose:
    """A location and a viewing direction.

    Attributes:
        look: The viewing direction.
        place: The id of a place of the world, or None.
        position: Metres east, north and up, or None; at least one of both is required.
    """

    look: Direction
    place: str | None = None
    position: Position | None = None

    def __post_init__(self) -> None:
        if self.place is None and self.position is None:
            raise InputError("a place or a position", "neither", "place")
        if self.place is not None:
            nonempty_text(self.place, "place")
        if self.position is not None:
            object.__setattr__(self, "position", _position(self.position, "position"))

    def to_json(self) -> Json:
        """Return the JSON object."""
        out: dict[str, Json] = {"look": self.look.to_json()}
        if self.place is not None:
            out["place"] = self.place
        if self.position is not None:
            out["position"] = list(self.position)
        return out

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> Pose:
        """Return the pose of a JSON object; `field` is its name for error messages."""
        row = Fields(value, field)
        place = row.nonempty_text("place") if "place" in row else None
        position = _position(row["position"], row.name("position")) if "position" in row else None
        look = Direction.from_json(row["look"], row.name("look"))
        return _construct(field, lambda: cls(look, place, position))


@dataclass(frozen=True, slots=True)
class Reach:
    """The goal to walk to the end of a route.

    Attributes:
        route: The reference route: ids of linked places, start first. If it is hidden, the start only.
        hidden: Whether the route is withheld, as in the test files of a competition.
    """

    route: tuple[str, ...]
    hidden: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "route", parse_list(nonempty_text, self.route, "route", nonempty=True))
        if self.hidden and len(self.route) > 1:
            raise InputError("a hidden route that holds its start only", f"{len(self.route)} places", "route")

    def to_json(self) -> Json:
        """Return the JSON object."""
        return {"reach": list(self.route), **_hidden_field(self.hidden)}


@dataclass(frozen=True, slots=True)
class Point:
    """The goal to point at a target.

    Attributes:
        direction: The direction of the target.
        place: The place whose panorama the target is annotated in, or None.
        yaw: The heading of the middle column of that panorama; pixel metrics use it.
        views: The recorded view of a person after each sentence, if the dataset has them.
        propagated: The same target as annotated in other panoramas; an answer may be given from them too.
        hidden: Whether the target is withheld, as in the test files of a competition: its direction is (0, 0), and it
            has neither views nor propagated points.
    """

    direction: Direction
    place: str | None = None
    yaw: float = 0.0
    views: tuple[Direction, ...] = ()
    propagated: tuple[Point, ...] = ()
    hidden: bool = False

    def __post_init__(self) -> None:
        if self.place is not None:
            nonempty_text(self.place, "place")
        object.__setattr__(self, "yaw", number(self.yaw, "yaw"))
        for k, other in enumerate(self.propagated):
            if other.place is None or other.propagated or other.hidden:
                raise InputError(
                    "a point at a place, without propagated ones of its own", format_value(other), f"propagated[{k}]"
                )
        if self.hidden:
            self._check_hidden()

    def _check_hidden(self) -> None:
        """Raise InputError if a hidden target shows where it is."""
        if self.direction != Direction(0):
            raise InputError(
                "[0, 0], the direction of a hidden target", format_value(self.direction.to_json()), "point"
            )
        for name, points in (("views", self.views), ("propagated", self.propagated)):
            if points:
                raise InputError(f"a hidden target without {name}", f"{len(points)}", name)
        if self.place is None and self.yaw:
            raise InputError("yaw 0 of a hidden target without a place", format_value(self.yaw), "yaw")

    def seen_from(self, place: str | None) -> Point | None:
        """Return the target as annotated in the panorama of `place`, or None if it is not annotated there."""
        if self.place is None or place == self.place:
            return self
        return next((other for other in self.propagated if other.place == place), None)

    def to_json(self) -> Json:
        """Return the JSON object."""
        out: dict[str, Json] = {"point": self.direction.to_json(), "yaw": self.yaw}
        if self.place is not None:
            out["place"] = self.place
        if self.views:
            out["views"] = [view.to_json() for view in self.views]
        if self.propagated:
            out["propagated"] = [other.to_json() for other in self.propagated]
        return out | _hidden_field(self.hidden)

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> Point:
        """Return the goal of a JSON object; `field` is its name for error messages."""
        row = Fields(value, field)
        views = parse_list(Direction.from_json, row["views"], row.name("views")) if "views" in row else ()
        others = parse_list(cls.from_json, row["propagated"], row.name("propagated")) if "propagated" in row else ()
        place = row.nonempty_text("place") if "place" in row else None
        direction = Direction.from_json(row["point"], row.name("point"))
        hidden = _is_hidden(row)
        return _construct(field, lambda: cls(direction, place, row.number("yaw"), views, others, hidden))


@dataclass(frozen=True, slots=True)
class Collect:
    """The goal to collect an item (ArraMon).

    Attributes:
        path: The positions of the demonstration.
        item: The name of the item.
        at: The position of the item.
        actions: The actions of the demonstration.
    """

    path: tuple[Position, ...]
    item: str
    at: Position
    actions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", parse_list(_position, self.path, "path", nonempty=True))
        object.__setattr__(self, "at", _position(self.at, "at"))
        nonempty_text(self.item, "item")

    def to_json(self) -> Json:
        """Return the JSON object."""
        return {
            "collect": self.item,
            "at": list(self.at),
            "path": [list(p) for p in self.path],
            "actions": list(self.actions),
        }


@dataclass(frozen=True, slots=True)
class Assemble:
    """The goal to place the collected item (ArraMon).

    Attributes:
        cell: The target cell of the room: column, height, row.
        path: The cells of the demonstration.
        actions: The actions of the demonstration.
    """

    cell: Cell
    path: tuple[Cell, ...] = ()
    actions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "cell", _cell(self.cell, "cell"))
        object.__setattr__(self, "path", parse_list(_cell, self.path, "path"))

    def to_json(self) -> Json:
        """Return the JSON object."""
        return {"assemble": list(self.cell), "path": [list(c) for c in self.path], "actions": list(self.actions)}


def _hidden_field(hidden: bool) -> dict[str, Json]:
    """Return the field of a hidden goal; no field for others."""
    return {"hidden": True} if hidden else {}


def _is_hidden(row: Fields) -> bool:
    """Return whether the goal of a JSON object is hidden; the field is true or missing."""
    if "hidden" in row and row["hidden"] is not True:
        raise InputError("true, or no such field", format_value(row["hidden"]), row.name("hidden"))
    return "hidden" in row


Goal: TypeAlias = Reach | Point | Collect | Assemble
GOALS = ("reach", "point", "collect", "assemble")


def goal_from_json(value: Json, field: str = "") -> Goal:
    """Return the goal of a JSON object; its key ("reach", "point", "collect" or "assemble") selects the type."""
    row = Fields(value, field)
    if "reach" in row:
        route = parse_list(nonempty_text, row["reach"], row.name("reach"), nonempty=True)
        hidden = _is_hidden(row)
        return _construct(field, lambda: Reach(route, hidden))
    if "point" in row:
        return Point.from_json(value, field)
    if "collect" in row:
        return Collect(
            parse_list(_position, row["path"], row.name("path"), nonempty=True),
            row.nonempty_text("collect"),
            _position(row["at"], row.name("at")),
            parse_list(text, row["actions"], row.name("actions")),
        )
    if "assemble" in row:
        return Assemble(
            _cell(row["assemble"], row.name("assemble")),
            parse_list(_cell, row["path"], row.name("path")),
            parse_list(text, row["actions"], row.name("actions")),
        )
    raise InputError(f"a goal, one of {', '.join(GOALS)}", f"fields {', '.join(map(format_value, row))}", field)


@dataclass(frozen=True, slots=True)
class Leg:
    """One instruction and its goal.

    Attributes:
        text: The instruction.
        goal: The goal.
        sentences: The sentences of the text if they are given one after another; joined they are the text.
    """

    text: str
    goal: Goal
    sentences: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        text(self.text, "text")
        if self.sentences and " ".join(self.sentences) != self.text:
            raise InputError("sentences that make up the text", format_value(" ".join(self.sentences)), "sentences")

    def to_json(self) -> Json:
        """Return the JSON object."""
        out = {"text": self.text, "goal": self.goal.to_json()}
        if self.sentences:
            out["sentences"] = list(self.sentences)
        return out

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> Leg:
        """Return the leg of a JSON object; `field` is its name for error messages."""
        row = Fields(value, field)
        sentences = parse_list(text, row["sentences"], row.name("sentences")) if "sentences" in row else ()
        goal = goal_from_json(row["goal"], row.name("goal"))
        return _construct(field, lambda: cls(row.text("text"), goal, sentences))


@dataclass(frozen=True, slots=True)
class Episode:
    """A task: a world, a start pose and one or more legs.

    Attributes:
        id: The id, unique in its dataset.
        dataset: The name of the dataset and split.
        world: The name of the world.
        start: The start pose.
        legs: The legs in order.
        extra: The remaining fields of the dataset file.
    """

    id: str
    dataset: str
    world: str
    start: Pose
    legs: tuple[Leg, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        nonempty_text(self.id, "id")
        nonempty_text(self.dataset, "dataset")
        nonempty_text(self.world, "world")
        if not self.legs:
            raise InputError("at least one leg", "none", "legs")

    @property
    def hidden(self) -> bool:
        """Whether the goal of a leg is hidden."""
        return any(isinstance(leg.goal, Reach | Point) and leg.goal.hidden for leg in self.legs)

    def to_json(self) -> Json:
        """Return the JSON object."""
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
        """Return the episode of a JSON object; `field` is its name for error messages."""
        row = Fields(value, field)
        _check_format(row)
        return cls(
            row.nonempty_text("id"),
            row.nonempty_text("dataset"),
            row.nonempty_text("world"),
            Pose.from_json(row["start"], row.name("start")),
            parse_list(Leg.from_json, row["legs"], row.name("legs"), nonempty=True),
            dict(row.object("extra").value),
        )


def check_goals(episodes: Iterable[Episode], purpose: str) -> None:
    """Raise InputError if an episode has a hidden goal.

    Args:
        episodes: The episodes.
        purpose: What needs their goals, such as "to score traces".
    """
    for episode in episodes:
        if episode.hidden:
            hint = "Agents can be run on hidden goals; whoever made the dataset can score the traces."
            got = f"the hidden goals of episode {format_value(episode.id)}"
            raise InputError(f"episodes with goals, {purpose}", got, "legs", hint=hint)


Answer: TypeAlias = Direction | Cell | str | None


@dataclass(frozen=True, slots=True)
class LegTrace:
    """What an agent did in one leg.

    Attributes:
        actions: The actions in order.
        path: The locations, start first: place ids (Reach), positions (Collect) or cells (Assemble).
        looks: The views the agent turned to; for a walk only the last one.
        answer: A direction (Point), an item (Collect), a cell (Assemble), or None if none was given.
        heat: The probability the agent assigned to every direction, if it reported one.
        policy: What the agent's network computed for each action of a walk, if it reported it.
        calls: The requests to a language model and its answers, if the agent is one.
    """

    actions: tuple[str, ...] = ()
    path: tuple[str, ...] | tuple[Position, ...] | tuple[Cell, ...] = ()
    looks: tuple[Direction, ...] = ()
    answer: Answer = None
    heat: Heatmap | None = None
    policy: Policy | None = None
    calls: tuple[ModelCall, ...] = ()

    def __post_init__(self) -> None:
        if self.policy is not None and len(self.policy.steps) != len(self.actions):
            expected = f"a policy of {len(self.actions)} steps, one for each action"
            raise InputError(expected, str(len(self.policy.steps)), "policy")

    def to_json(self) -> Json:
        """Return the JSON object."""
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
        if self.policy is not None:
            out["policy"] = self.policy.to_json()
        if self.calls:
            out["calls"] = [call.to_json() for call in self.calls]
        return out

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> LegTrace:
        """Return the trace of a JSON object; `field` is its name for error messages."""
        row = Fields(value, field)
        path: tuple[Any, ...] = parse_list(_step, row["path"], row.name("path"))
        if len({type(p[0]) if isinstance(p, tuple) else str for p in path}) > 1:
            raise InputError("places, positions or cells, not a mixture", format_value(row["path"]), row.name("path"))
        answer: Answer = None
        if "answer" in row:
            fields = row.object("answer")
            if "direction" in fields:
                answer = Direction.from_json(fields["direction"], fields.name("direction"))
            elif "cell" in fields:
                answer = _cell(fields["cell"], fields.name("cell"))
            else:
                answer = fields.text("item")
        looks = parse_list(Direction.from_json, row["looks"], row.name("looks")) if "looks" in row else ()
        heat = Heatmap.from_json(row["heat"], row.name("heat")) if "heat" in row else None
        policy = Policy.from_json(row["policy"], row.name("policy")) if "policy" in row else None
        calls = parse_list(ModelCall.from_json, row["calls"], row.name("calls")) if "calls" in row else ()
        actions = parse_list(text, row["actions"], row.name("actions"))
        return _construct(field, lambda: cls(actions, path, looks, answer, heat, policy, calls))


def _step(value: Json, field: str) -> str | Position | Cell:
    if isinstance(value, list):
        integers = all(isinstance(v, int) and not isinstance(v, bool) for v in value)
        return _cell(value, field) if integers else _position(value, field)
    return nonempty_text(value, field)


@dataclass(frozen=True, slots=True)
class Trace:
    """What an agent did in one episode.

    Attributes:
        episode: The id of the episode.
        dataset: The name of the dataset and split.
        agent: The name of the agent, with the options that differ from the defaults.
        legs: The trace of each leg that was begun.
        seed: The seed of the run.
        sha256: The hash of the dataset file.
        version: The version of bearleft that wrote the trace.
        horizon: The number of actions after which a walk ends; None if there is no walk, or if it is unknown.
    """

    episode: str
    dataset: str
    agent: str
    legs: tuple[LegTrace, ...]
    seed: int = 0
    sha256: str = ""
    version: str = ""
    horizon: int | None = None

    def __post_init__(self) -> None:
        nonempty_text(self.episode, "episode")
        nonempty_text(self.dataset, "dataset")
        nonempty_text(self.agent, "agent")
        integer(self.seed, "seed")
        if self.horizon is not None:
            integer(self.horizon, "horizon", 1)

    def to_json(self) -> Json:
        """Return the JSON object."""
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
        """Return the trace of a JSON object; `field` is its name for error messages."""
        row = Fields(value, field)
        _check_format(row)
        return cls(
            row.nonempty_text("episode"),
            row.nonempty_text("dataset"),
            row.nonempty_text("agent"),
            parse_list(LegTrace.from_json, row["legs"], row.name("legs")),
            row.integer("seed"),
            row.text("sha256"),
            row.text("version"),
            row.integer("horizon", 1) if "horizon" in row else None,
        )


def to_json_line(record: Episode | Trace) -> str:
    """Return a record as one line of JSON, without the newline."""
    return json.dumps(record.to_json(), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _check_format(row: Fields) -> None:
    version = row.integer("format")
    if version != FORMAT:
        raise InputError(
            f"format {FORMAT}", f"format {version}", row.name("format"), hint="Was it written by another bearleft?"
        )


def _construct(field: str, constructor: Callable[[], T]) -> T:
    """Call a constructor that validates; its error gets the field of the file."""
    try:
        return constructor()
    except InputError as error:
        raise error.at(field=field) from None
