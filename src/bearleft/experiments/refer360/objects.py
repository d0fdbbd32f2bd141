"""Refer360's analysis of objects in a city and in rooms: Tables 3 and 6, Figures 6 and 7.

The papers' objects are a detector's; ours are the true ones, read from the visibility table, each counted once. Targets
are `chosen` as Touchdown's writers chose them, or `random` anywhere, as in Refer360. Perplexity is exp(entropy) of how
often each class occurs, over all scenes or targets together; within a scene, that of its own objects.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bearleft.data import load
from bearleft.errors import InputError, shown
from bearleft.experiments.rows import Progress, Row, sides
from bearleft.experiments.texts import Said, length_figures, lengths, those_there
from bearleft.geometry import angle
from bearleft.language.referring.write import refer
from bearleft.language.scene_index import SceneIndex, Sight, open_scene_index
from bearleft.world.channel_images import class_name
from bearleft.world.city.catalog import CLASSES
from bearleft.world.targets import Target, anywhere, choose

Data = str | os.PathLike[str] | None
EXAMPLES = {"city": "city/3/4x5", "rooms": "rooms/0/42"}
CITY, ROOMS, BOTH = "city", "rooms", "city and rooms"
CHOSEN, RANDOM = "chosen", "random"
INDOORS = 3  # of every four scenes of Refer360 (Table 2)
NOTICED, HIDDEN = 1.5e-4, 0.8  # the least share of the sphere, and the most that may be hidden, of an object
COMMON = 15  # classes that are listed
SCENES, OBJECTS = "scenes", "objects per scene, mean"
PERPLEXITY, WITHIN = "perplexity of classes", "perplexity of classes within a scene, mean"
TARGETS, ON, CLOSEST = "targets", "perplexity of what the target is on", "perplexity of the closest objects"
AWAY = "distance to the closest object, degrees, mean"
# Touchdown-SDR's, and Refer360's.
TABLE_3 = {CITY: {OBJECTS: 93.81, PERPLEXITY: 15.93}, BOTH: {OBJECTS: 62.44, PERPLEXITY: 42.93}}
TABLE_6 = {
    f"{CHOSEN}, {CITY}": {ON: 9.53, CLOSEST: 17.80, AWAY: 8.64},
    f"{RANDOM}, {BOTH}": {ON: 17.86, CLOSEST: 46.84, AWAY: 23.88},
}
PAPER_OF = {CITY: "the paper's: Touchdown-SDR", BOTH: "the paper's: Refer360"}
REAL = ("refer360/validation.seen", "refer360/validation.unseen")
MARKED = {"M": CHOSEN, "R": RANDOM}  # how Refer360's files say who placed the target
REMARKS = [
    "The paper's objects are a detector's, up to 20 in each of 12 views; ours are the true ones, each once.",
    f"An object here fills at least {NOTICED:g} of the sphere and is at most {HIDDEN:.0%} hidden; walls, floors and"
    " ceilings of rooms are none, but a target may lie on them.",
    "The closest object is another than the one the target is on, and its distance is to its middle. The paper names"
    " no unit for it.",
    f"{BOTH}: three rooms for each place of the city, Refer360's shares of scenes.",
    "Targets are chosen in the city only: how people like things to choose was counted in Touchdown's streets.",
    "Figure 7's real texts are those that Refer360's files mark M (placed by the writer) and R (at random); ours are"
    " told by the same writer for both. Figures 6 and 7 are pictures, no number is printed.",
]


@dataclass
class Looked:
    """What was found at some scenes, one target each: parallel lists."""

    places: list[tuple[str, int]] = field(default_factory=list)
    objects: list[tuple[str, ...]] = field(default_factory=list)  # classes
    on: list[str] = field(default_factory=list)
    closest: list[tuple[str, float] | None] = field(default_factory=list)  # None where there is no other object

    def add(self, scene: SceneIndex, target: Target) -> None:
        sight = scene.at(target.place)
        some = noticed(sight)
        self.places.append((scene.city.graph.name, target.place))
        self.objects.append(tuple(CLASSES[kind].name for kind in sight.kind[some]))
        self.on.append(class_name(target.kind))
        self.closest.append(closest(sight, target))

    def scene_figures(self) -> dict[str, float]:
        """Table 3."""
        if not self.objects:
            return {}
        return {
            SCENES: len(set(self.places)),
            OBJECTS: float(np.mean([len(one) for one in self.objects])),
            PERPLEXITY: perplexity(name for one in self.objects for name in one),
            WITHIN: float(np.mean([perplexity(one) for one in self.objects])),
        }

    def target_figures(self) -> dict[str, float]:
        """Table 6."""
        if not self.on:
            return {}
        figures: dict[str, float] = {TARGETS: len(self.on), ON: perplexity(self.on)}
        others = [found for found in self.closest if found is not None]
        if others:
            figures[CLOSEST] = perplexity(name for name, _ in others)
            figures[AWAY] = float(np.mean([away for _, away in others]))
        return figures

    def common(self) -> dict[str, float]:
        """Figure 6: the most common classes, in percent of all objects."""
        counts = Counter(name for one in self.objects for name in one)
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:COMMON]
        return {name: 100 * number / counts.total() for name, number in ordered}


def perplexity(classes: Iterable[str]) -> float:
    """exp of the entropy of how often each occurs: n where n classes are equally common, 0 where there are none."""
    counts = np.array(list(Counter(classes).values()), float)
    share = counts / counts.sum() if len(counts) else counts
    return float(np.exp(-(share * np.log(share)).sum())) if len(counts) else 0.0


def noticed(sight: Sight) -> npt.NDArray[np.int64]:
    """The rows of a sight that one would notice."""
    return np.flatnonzero((sight.share >= NOTICED) & (sight.hidden <= HIDDEN))


def closest(sight: Sight, target: Target) -> tuple[str, float] | None:
    """The class of the object whose middle is nearest to a target in view, and how far, in degrees; not its own."""
    some = noticed(sight)
    some = some[sight.instance[some] != target.instance]
    if not len(some):
        return None
    away = angle(sight.heading[some], sight.pitch[some], target.direction.heading, target.direction.pitch)
    k = int(np.argmin(away))
    return CLASSES[sight.kind[some[k]]].name, float(away[k])


@dataclass
class Objects:
    """Everything that the tables need: what was seen by set of targets, and texts by how the target was placed."""

    looked: dict[str, Looked]
    told: dict[str, list[Said]]


def open_both(city: str, rooms: str) -> tuple[SceneIndex, SceneIndex]:
    """A city and rooms by their names."""
    for world, family in ((city, CITY), (rooms, ROOMS)):
        if world.partition("/")[0] != family:
            raise InputError(f"a world {family}/SEED, such as {EXAMPLES[family]}", shown(world), family)
    return open_scene_index(city), open_scene_index(rooms)


def look(
    outside: SceneIndex, inside: SceneIndex, count: int = 400, seed: int = 0, progress: Progress | None = None
) -> Objects:
    """So many targets of each set, in a city and in rooms."""
    if count < INDOORS + 1:
        raise InputError(f"at least {INDOORS + 1} targets", str(count), "count")
    found: dict[str, Looked] = {}
    told: dict[str, list[Said]] = {}
    for name, scene, kind in ((CITY, outside, CHOSEN), (CITY, outside, RANDOM), (ROOMS, inside, RANDOM)):
        places = np.random.default_rng(seed).integers(0, len(scene.city.graph), count)
        targets = place_targets(scene, places, kind, seed)
        looked = found.setdefault(f"{kind}, {name}", Looked())
        for done, target in enumerate(targets, 1):
            looked.add(scene, target)
            # The same writer for both, in the same streets: what differs is how the target was placed.
            said = refer(scene, target, seed, done) if name == CITY else None
            if said:
                told.setdefault(kind, []).append(tuple(sentence.text.string for sentence in said))
            if progress is not None:
                progress(f"{kind}, {name}", done, len(targets))
    quarter = count // (INDOORS + 1)
    found[f"{RANDOM}, {BOTH}"] = _joined(
        _first(found[f"{RANDOM}, {CITY}"], quarter), _first(found[f"{RANDOM}, {ROOMS}"], INDOORS * quarter)
    )
    return Objects(found, told)


def place_targets(
    scene: SceneIndex, places: Sequence[int] | npt.NDArray[np.int64], kind: str, seed: int
) -> list[Target]:
    """A target at each place; chosen, where there is anything to choose."""
    if kind == RANDOM:
        return anywhere(scene.city, places, seed)
    return [
        target
        for index, place in enumerate(places)
        for target in choose(scene.city, scene.table.at(int(place)), seed=seed, index=index)
    ]


def _first(looked: Looked, count: int) -> Looked:
    return Looked(looked.places[:count], looked.objects[:count], looked.on[:count], looked.closest[:count])


def _joined(one: Looked, other: Looked) -> Looked:
    return Looked(
        one.places + other.places, one.objects + other.objects, one.on + other.on, one.closest + other.closest
    )


def real_told(data: Data = None) -> dict[str, list[Said]]:
    """The sequences of Refer360 by how their target was placed; none where there are no files."""
    found: dict[str, list[Said]] = {}
    for name in those_there(REAL, data):
        for episode in load(name, data):
            kind = MARKED.get(str(episode.extra.get("ann_cat")))
            if kind is not None:
                found.setdefault(kind, []).append(episode.legs[0].sentences)
    return found


def tables(ours: Objects, real: Mapping[str, Sequence[Said]]) -> list[Row]:
    """All of them."""
    rows: list[Row] = []
    for name in (CITY, ROOMS, BOTH):
        figures = ours.looked[f"{RANDOM}, {name}"].scene_figures()
        rows += sides("Refer360 Table 3", name, TABLE_3.get(name, {}), {}, figures, PAPER_OF.get(name, ""))
    for name, looked in ours.looked.items():
        remark = PAPER_OF[name.partition(", ")[2]] if name in TABLE_6 else ""
        rows += sides("Refer360 Table 6", name, TABLE_6.get(name, {}), {}, looked.target_figures(), remark)
    for name in (CITY, ROOMS, BOTH):
        common = ours.looked[f"{RANDOM}, {name}"].common()
        rows += sides("Refer360 Figure 6", name, {}, {}, common, "percent of all objects")
    for kind in (CHOSEN, RANDOM):
        for what, parted in (("sequence", False), ("single instruction", True)):
            theirs, own = (length_figures(placed_lengths(side.get(kind, []), parted)) for side in (real, ours.told))
            rows += sides("Refer360 Figure 7", f"{kind}, {what}", {}, theirs, own, "ours in the city")
    return rows


def placed_lengths(told: Sequence[Said], parted: bool) -> list[int]:
    """The tokens of each sequence, or of each of its sentences."""
    return lengths([(sentence,) for text in told for sentence in text] if parted else told)
