"""One example of a city's dataset: a route or a spot becomes a line of the papers' formats, or is passed over."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from bearleft.data.dataset import order_fields
from bearleft.data.loaders.touchdown import FIELDS, HIDDEN, VIEWS, ratio_of
from bearleft.errors import InputError, shown
from bearleft.generate.scenes import Spot
from bearleft.generate.splits import Walk
from bearleft.language import noise as loosen
from bearleft.language.analysis.tokens import SENTENCE_END
from bearleft.language.annotated_text import Text
from bearleft.language.descriptions import write as describe
from bearleft.language.instructions import write as navigate
from bearleft.language.referring import write as refer
from bearleft.language.scene_index import SceneIndex
from bearleft.records import Direction
from bearleft.runtime.json_fields import Json
from bearleft.world.channel_images import class_name
from bearleft.world.city.city import open_city
from bearleft.world.city.traffic_flow import may_drive
from bearleft.world.graphs.shortest_paths import Ways
from bearleft.world.targets import Target, anywhere, choose, propagate, views
from bearleft.world.visibility.table import Visible

TARGETS = 6  # that are tried at a route's end
TRIES = 8  # spots that are tried in a scene
# How often the navigation text goes on with what the target's says before its last sentence: then the two overlap by
# 11.4 tokens on average, as in Touchdown.
OVERLAP = 0.74
STYLES = ("plain", "loose")
NO_INSTRUCTION, NO_TARGET, NO_SENTENCES = "routes without an instruction", "routes without a target", "spots untold"
OTHER_TARGETS = "targets passed over"


@dataclass
class Tried:
    """What came of one route or spot: a line of `worth` examples, or None; and what was passed over on the way."""

    line: dict[str, Json] | None = None
    worth: int = 0
    passed: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> Json:
        return [self.line, self.worth, self.passed]


class Asker:
    """A city or rooms with their visibility table, a seed and a style: all that an example follows from."""

    def __init__(self, world: str, table: str | Path, seed: int, style: str) -> None:
        if style not in STYLES:
            raise InputError(f"a style: {' or '.join(STYLES)}", shown(style), "style")
        self.world, self.seed, self.style = world, seed, style
        self.city = open_city(world)
        self.graph = self.city.graph
        self.scene = SceneIndex(self.city, Visible.read(table))

    @cached_property
    def ways(self) -> Ways:
        """Along which routes go."""
        return Ways.make(self.graph, may_drive(self.city.plan, self.graph))

    def walk(self, walk: Walk, navigation: bool = True) -> Tried:
        """A route, and the target at its end; without `navigation` only the target is told (SDR)."""
        tried = Tried()
        instruction = Text("")
        if navigation:
            told = navigate.instruct(self.scene, self.ways, walk.places, walk.facing, self.seed, walk.number)
            if told is None:
                tried.passed[NO_INSTRUCTION] = 1
                return tried
            instruction = self._styled(told, "instruction", walk.number)
        line = self._target(walk, tried, instruction if navigation else None)
        if line is None:
            tried.passed[NO_TARGET] = 1
            return tried
        tried.line = line
        tried.worth = 1 if navigation else sum(line[f"{view}_static_center"] != HIDDEN for view in VIEWS)
        return tried

    def _target(self, walk: Walk, tried: Tried, instruction: Text | None) -> dict[str, Json] | None:
        """The line of a route with the first target that can be told."""
        places = views(self.graph, walk.places)
        pre, main, post = places
        arrived = float(self.graph.heading[self.graph.link(pre, main)])
        rows = self.scene.table.at(main)
        done = 0
        # More are looked for only where the first is no good: looking takes time.
        for count in (1, TARGETS):
            found = choose(self.city, rows, arrived, (pre, post), self.seed, walk.number, count)[done:]
            for target in found:
                seen = propagate(self.city, [target], [places])[0]
                where = [place for place, there in zip(places, seen, strict=True) if there is not None]
                told = describe.describe(self.scene, target, arrived, where, self.seed, walk.number)
                if told is not None:
                    described = Text.join([told.opening, told.rest])
                    return self._line(walk, arrived, places, target, seen, instruction, described)
                tried.passed[OTHER_TARGETS] = tried.passed.get(OTHER_TARGETS, 0) + 1
            done += len(found)
        return None

    def _line(
        self,
        walk: Walk,
        arrived: float,
        places: Sequence[int],
        target: Target,
        seen: Sequence[Direction | None],
        instruction: Text | None,
        described: Text,
    ) -> dict[str, Json]:
        ids = self.graph.ids
        line: dict[str, Json] = {"city": self.world, "route_id": walk.number}
        for view, place, there in zip(VIEWS, places, seen, strict=True):
            line[f"{view}_pano"] = ids[place] if place >= 0 else ""
            line[f"{view}_static_center"] = HIDDEN if there is None else self._click(there, place)
        # Cut before the style is loosened: afterwards there may be no full stops.
        setting, bear = (self._styled(text, f"target {k}", walk.number) for k, text in enumerate(_parted(described)))
        texts = {"td_location_text": Text.join([setting, bear])}
        if instruction is not None:
            goes_on = random.Random(f"{self.seed} overlap {walk.number}").random() < OVERLAP
            closed = instruction if self.style == "loose" or instruction.string[-1] in ".!?)" else instruction + "."
            if closed.string[0].isupper():
                setting = Text(setting.string[:1].upper() + setting.string[1:], setting.marks, setting.mentions)
            texts["navigation_text"] = Text.join([closed, setting]) if goes_on else instruction
            texts["full_text"] = Text.join([closed, setting, bear])
        line |= {name: text.string for name, text in texts.items()}
        line |= {
            "route_panoids": [ids[place] for place in walk.places],
            "start_heading": walk.facing,
            "end_heading": arrived,
            "target": {"instance": target.instance, "part": target.part, "class": class_name(target.kind)},
            "phenomena": {name: text.to_json()["marks"] for name, text in texts.items()},
            "landmarks": {name: text.to_json()["mentions"] for name, text in texts.items()},
        }
        return order_fields(line, FIELDS)

    def _click(self, towards: Direction, place: int) -> str:
        x, y = ratio_of(towards, float(self.graph.yaw[place]))
        return json.dumps({"x": x, "y": y}, separators=(",", ":"))

    def spot(self, spot: Spot) -> Tried:
        """A spot of a scene, told sentence by sentence: the first of TRIES that can be told."""
        tried = Tried()
        for k in range(TRIES):
            target = anywhere(self.city, [spot.place], self.seed, spot.number * TRIES + k)[0]
            told = refer.refer(self.scene, target, self.seed, spot.number * TRIES + k)
            if told:
                tried.line, tried.worth = self._item(spot, target, told), 1
                return tried
            tried.passed[OTHER_TARGETS] = k + 1
        tried.passed[NO_SENTENCES] = 1
        return tried

    def _item(self, spot: Spot, target: Target, told: Sequence[refer.Sentence]) -> dict[str, Json]:
        texts = [self._styled(one.text, f"sentence {k}", spot.number) for k, one in enumerate(told)]
        whole = Text.join(texts).to_json()
        longitude, latitude = _degrees(target.direction)
        place = self.graph.ids[spot.place]
        looked = {"act_deg_list": [[_degrees(one.view)] for one in told], "annotationid": spot.number}
        return {
            "refexp": [text.string.split(" ") for text in texts],
            "annotationid": spot.number,
            "actions": [{"pred_xlng_deg": longitude, "pred_ylat_deg": latitude, **looked}],
            "ann_cat": "R",
            "xlng_deg": longitude,
            "ylat_deg": latitude,
            "img_src": f"{self.world}/{place}",
            "img_cat": spot.category,
            "img_loc": "indoor" if self.city.plan.indoors else "outdoor",
            "img_idx": place,
            "target": {"instance": target.instance, "part": target.part, "class": class_name(target.kind)},
            "phenomena": whole["marks"],
            "landmarks": whole["mentions"],
        }

    def _styled(self, text: Text, what: str, number: int) -> Text:
        if self.style == "plain":
            return text
        return loosen.loosen(text, random.Random(f"{self.seed} loose {what} {number}"))


def _parted(text: Text) -> tuple[Text, Text]:
    """All sentences but the last, and the last, which says where the bear is."""
    ends = [found.end() for found in SENTENCE_END.finditer(text.string)]
    if not ends:
        return Text(""), text
    last = ends[-1]
    first = text.string[:last].rstrip()
    return (
        Text(
            first,
            tuple(m for m in text.marks if m.end <= len(first)),
            tuple(m for m in text.mentions if m.end <= len(first)),
        ),
        Text(
            text.string[last:],
            tuple(m for m in text.marks if m.begin >= last),
            tuple(m for m in text.mentions if m.begin >= last),
        ).moved(-last),
    )


def _degrees(towards: Direction) -> list[float]:
    """Longitude from -180 to 180 and latitude."""
    return [math.remainder(towards.heading, 360.0), towards.pitch]
