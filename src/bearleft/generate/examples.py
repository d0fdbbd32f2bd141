"""Generation of single examples: a route or a sequence becomes a line of the papers' formats, or is skipped."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from bearleft.data.dataset import order_fields
from bearleft.data.loaders.refer360 import to_radians
from bearleft.data.loaders.touchdown import FIELDS, HIDDEN, VIEWS, ratio_of
from bearleft.errors import InputError, format_value
from bearleft.generate.scenes import SequenceSpec
from bearleft.generate.splits import RouteSpec
from bearleft.language.analysis.tokens import SENTENCE_END
from bearleft.language.annotated_text import Text
from bearleft.language.descriptions.write import describe
from bearleft.language.instructions.write import instruct
from bearleft.language.noise import DESCRIPTION_NOISE, INSTRUCTION_NOISE, SEQUENCE_NOISE, NoiseRates, add_noise
from bearleft.language.referring.write import Sentence, write_sequence
from bearleft.language.scene_index import SceneIndex, read_visibility_table
from bearleft.records import Direction
from bearleft.runtime.json_fields import Json
from bearleft.types import DataFolder
from bearleft.world.channel_images import class_name
from bearleft.world.city.city import open_city
from bearleft.world.city.traffic_flow import drivable_links
from bearleft.world.graphs.shortest_paths import PathFinder
from bearleft.world.targets import Target, choose_targets, propagate_targets, random_targets, viewing_places

MAX_TARGETS = 6  # tried at the end of a route
MAX_SPOTS = 8  # tried in a scene
# How often the navigation text ends with the target's text except for its last sentence: the two then overlap by 11.4
# tokens on average, as in Touchdown. Texts that do not orient, as in map2seq, are about the walk alone.
OVERLAP_RATE = 0.74
RANDOM_TARGET = "R"  # Refer360's `ann_cat` of a target that was drawn at random, not placed by hand ("M")
NOT_RATED = ""  # instead of a person's rating of a sequence: how clear it was (`ann_clr`) and how hard (`ann_cat`)
STYLES = ("plain", "loose")
NO_INSTRUCTION, NO_TARGET = "routes without an instruction", "routes without a target"
NO_SENTENCES = "spots without sentences"
SKIPPED_TARGETS = "targets without a description"


@dataclass
class ExampleResult:
    """The result for one spec: a line that counts as `examples` examples, or None; and counts of what was skipped."""

    line: dict[str, Json] | None = None
    examples: int = 0
    skipped: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> Json:
        """Return the fields as a list."""
        return [self.line, self.examples, self.skipped]


class ExampleBuilder:
    """Builder of examples in one world, determined by the world, a seed and a style."""

    def __init__(
        self,
        world: str,
        table: str | Path,
        seed: int,
        style: str,
        city: int | None = None,
        data: DataFolder = None,
        orients: bool = True,
    ) -> None:
        """Open a world.

        Args:
            world: Name of the world.
            table: Folder of its visibility table.
            seed: Seed of targets and texts.
            style: One of STYLES.
            city: Seed of the city on a street graph without buildings.
            data: Folder of the datasets, for streets that are read from files.
            orients: Whether instructions begin with the orientation at the start; not where walkers face the route.
        """
        if style not in STYLES:
            raise InputError(f"a style: {' or '.join(STYLES)}", format_value(style), "style")
        self.world, self.seed, self.style, self.orients = world, seed, style, orients
        self.city = open_city(world, city, data)
        self.graph = self.city.graph
        self.scene = SceneIndex(self.city, read_visibility_table(self.city, table))

    @cached_property
    def finder(self) -> PathFinder:
        """The paths that routes may take."""
        return PathFinder.make(self.graph, drivable_links(self.city.plan, self.graph))

    def route_example(self, spec: RouteSpec, navigation: bool = True) -> ExampleResult:
        """Build the line of a route and the target at its end; without `navigation` of the target alone (SDR)."""
        result = ExampleResult()
        instruction = Text("")
        if navigation:
            text = instruct(self.scene, self.finder, spec.places, spec.facing, self.seed, spec.number, self.orients)
            if text is None:
                result.skipped[NO_INSTRUCTION] = 1
                return result
            (instruction,) = self._styled([text], "instruction", spec.number, INSTRUCTION_NOISE)
        line = self._target(spec, result, instruction if navigation else None)
        if line is None:
            result.skipped[NO_TARGET] = 1
            return result
        result.line = line
        result.examples = 1 if navigation else sum(line[f"{view}_static_center"] != HIDDEN for view in VIEWS)
        return result

    def _target(self, spec: RouteSpec, result: ExampleResult, instruction: Text | None) -> dict[str, Json] | None:
        """Return the line of a route with the first target that can be described."""
        places = viewing_places(self.graph, spec.places)
        pre, main, post = places
        end_heading = float(self.graph.heading[self.graph.find_link(pre, main)])
        rows = self.scene.at(main).rows
        tried = 0
        # Search for more targets only if the first cannot be described: the search takes time.
        for count in (1, MAX_TARGETS):
            targets = choose_targets(self.city, rows, end_heading, (pre, post), self.seed, spec.number, count)[tried:]
            for target in targets:
                directions = propagate_targets(self.city, [target], [places])[0]
                visible_places = [
                    place for place, direction in zip(places, directions, strict=True) if direction is not None
                ]
                description = describe(self.scene, target, end_heading, visible_places, self.seed, spec.number)
                if description is not None:
                    text = Text.join([description.opening, description.rest])
                    return self._line(spec, end_heading, places, target, directions, instruction, text)
                result.skipped[SKIPPED_TARGETS] = result.skipped.get(SKIPPED_TARGETS, 0) + 1
            tried += len(targets)
        return None

    def _line(
        self,
        spec: RouteSpec,
        end_heading: float,
        places: Sequence[int],
        target: Target,
        directions: Sequence[Direction | None],
        instruction: Text | None,
        description: Text,
    ) -> dict[str, Json]:
        ids = self.graph.ids
        line: dict[str, Json] = {"city": self.world, "route_id": spec.number}
        for view, place, direction in zip(VIEWS, places, directions, strict=True):
            line[f"{view}_pano"] = ids[place] if place >= 0 else ""
            line[f"{view}_static_center"] = HIDDEN if direction is None else self._click(direction, place)
        # Split before noise is added: afterwards there may be no full stops.
        parts = _split_last_sentence(description)
        opening, ending = self._styled(parts, "target", spec.number, DESCRIPTION_NOISE)
        texts = {"td_location_text": Text.join([opening, ending])}
        if instruction is not None:
            overlaps = self.orients and random.Random(f"{self.seed} overlap {spec.number}").random() < OVERLAP_RATE
            sentence = instruction if self.style == "loose" or instruction.string[-1] in ".!?)" else instruction + "."
            if sentence.string[0].isupper():
                opening = Text(opening.string[:1].upper() + opening.string[1:], opening.annotations, opening.mentions)
            texts["navigation_text"] = Text.join([sentence, opening]) if overlaps else instruction
            texts["full_text"] = Text.join([sentence, opening, ending])
        line |= {name: text.string for name, text in texts.items()}
        line |= {
            "route_panoids": [ids[place] for place in spec.places],
            "start_heading": spec.facing,
            "end_heading": end_heading,
            "target": {"instance": target.instance, "part": target.part, "class": class_name(target.kind)},
            "phenomena": {name: text.to_json()["annotations"] for name, text in texts.items()},
            "landmarks": {name: text.to_json()["mentions"] for name, text in texts.items()},
        }
        return order_fields(line, FIELDS)

    def _click(self, towards: Direction, place: int) -> str:
        x, y = ratio_of(towards, float(self.graph.yaw[place]))
        return json.dumps({"x": x, "y": y}, separators=(",", ":"))

    def sequence_example(self, spec: SequenceSpec) -> ExampleResult:
        """Build a sequence for the first of MAX_SPOTS spots of a scene that can be described."""
        result = ExampleResult()
        for k in range(MAX_SPOTS):
            target = random_targets(self.city, [spec.place], self.seed, spec.number * MAX_SPOTS + k)[0]
            sentences = write_sequence(self.scene, target, self.seed, spec.number * MAX_SPOTS + k)
            if sentences:
                result.line, result.examples = self._item(spec, target, sentences), 1
                return result
            result.skipped[SKIPPED_TARGETS] = k + 1
        result.skipped[NO_SENTENCES] = 1
        return result

    def _item(self, spec: SequenceSpec, target: Target, sentences: Sequence[Sentence]) -> dict[str, Json]:
        texts = self._styled([sentence.text for sentence in sentences], "sentence", spec.number, SEQUENCE_NOISE)
        annotations = Text.join(texts).to_json()
        longitude, latitude = _lon_lat(target.direction)
        place = self.graph.ids[spec.place]
        longitude_radians, latitude_radians = to_radians(longitude, latitude)
        views = [_lon_lat(sentence.view) for sentence in sentences]
        follower = {
            "pred_xlng_rad": longitude_radians,
            "pred_xlng_deg": longitude,
            "pred_ylat_rad": latitude_radians,
            "pred_ylat_deg": latitude,
            "annotationid": spec.number,
            "act_deg_list": [[view] for view in views],
            "act_rad_list": [[to_radians(*view)] for view in views],
            "actionid": spec.number,
            "ann_clr": NOT_RATED,
            "ann_cat": NOT_RATED,
        }
        return {
            "refexp": [text.string.split(" ") for text in texts],
            "annotationid": spec.number,
            "actions": [follower],
            "ann_cat": RANDOM_TARGET,
            "xlng_deg": longitude,
            "xlng_rad": longitude_radians,
            "ylat_deg": latitude,
            "ylat_rad": latitude_radians,
            "img_src": f"{self.world}/{place}",
            "img_cat": spec.category,
            "img_loc": "indoor" if self.city.plan.indoors else "outdoor",
            "img_idx": place,
            "target": {"instance": target.instance, "part": target.part, "class": class_name(target.kind)},
            "phenomena": annotations["annotations"],
            "landmarks": annotations["mentions"],
        }

    def _styled(self, texts: Sequence[Text], label: str, number: int, rates: NoiseRates) -> list[Text]:
        """Return the texts of one writer in the style of the dataset."""
        if self.style == "plain":
            return list(texts)
        noise = random.Random(f"{self.seed} loose {label} {number}")
        rates = rates.of_writer(noise)
        return [add_noise(text, noise, rates=rates) for text in texts]


def _split_last_sentence(text: Text) -> tuple[Text, Text]:
    """Return all sentences but the last, and the last, which locates the target."""
    ends = [match.end() for match in SENTENCE_END.finditer(text.string)]
    if not ends:
        return Text(""), text
    last = ends[-1]
    first = text.string[:last].rstrip()
    return (
        Text(
            first,
            tuple(annotation for annotation in text.annotations if annotation.end <= len(first)),
            tuple(annotation for annotation in text.mentions if annotation.end <= len(first)),
        ),
        Text(
            text.string[last:],
            tuple(annotation for annotation in text.annotations if annotation.begin >= last),
            tuple(annotation for annotation in text.mentions if annotation.begin >= last),
        ).shifted(-last),
    )


def _lon_lat(direction: Direction) -> list[float]:
    """Return longitude from -180 to 180 and latitude."""
    return [math.remainder(direction.heading, 360.0), direction.pitch]
