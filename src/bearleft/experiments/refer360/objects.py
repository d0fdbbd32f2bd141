"""Refer360's analysis of objects in a city and in rooms: Tables 3 and 6, Figures 6 and 7.

The papers' objects are a detector's; ours are the true ones, read from the visibility table, each counted once. Targets
are `chosen` as Touchdown's writers chose them, or `random` anywhere, as in Refer360. Perplexity is exp(entropy) of how
often each class occurs, over all scenes or targets together; within a scene, that of its own objects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bearleft.data import load
from bearleft.errors import InputError, format_value
from bearleft.experiments.rows import Row, three_way_rows
from bearleft.experiments.texts import TextParts, available_datasets, length_statistics, token_counts
from bearleft.geometry import angular_distance
from bearleft.language.referring.write import write_sequence
from bearleft.language.scene_index import SceneIndex, VisibleObjects, open_scene_index
from bearleft.types import DataFolder, Progress
from bearleft.world.channel_images import class_name
from bearleft.world.city.catalog import CLASSES
from bearleft.world.targets import Target, choose_targets, random_targets

EXAMPLES = {"city": "city/3/4x5", "rooms": "rooms/0/42"}
CITY, ROOMS, BOTH = "city", "rooms", "city and rooms"
CHOSEN, RANDOM = "chosen", "random"
ROOMS_PER_PLACE = 3  # of every four scenes of Refer360, three are indoors (Table 2)
MIN_SHARE, MAX_HIDDEN = 1.5e-4, 0.8  # of objects that count: the share of the sphere, and the hidden part
TOP_CLASSES = 15  # classes in Figure 6
SCENES, OBJECTS = "scenes", "objects per scene, mean"
PERPLEXITY, WITHIN = "perplexity of classes", "perplexity of classes within a scene, mean"
TARGETS, TARGET_CLASSES, CLOSEST_CLASSES = (
    "targets",
    "perplexity of what the target is on",
    "perplexity of the closest objects",
)
DISTANCE = "distance to the closest object, degrees, mean"
# Touchdown-SDR's, and Refer360's.
TABLE_3 = {CITY: {OBJECTS: 93.81, PERPLEXITY: 15.93}, BOTH: {OBJECTS: 62.44, PERPLEXITY: 42.93}}
TABLE_6 = {
    f"{CHOSEN}, {CITY}": {TARGET_CLASSES: 9.53, CLOSEST_CLASSES: 17.80, DISTANCE: 8.64},
    f"{RANDOM}, {BOTH}": {TARGET_CLASSES: 17.86, CLOSEST_CLASSES: 46.84, DISTANCE: 23.88},
}
PAPER_REMARKS = {CITY: "the paper's: Touchdown-SDR", BOTH: "the paper's: Refer360"}
REAL_DATASETS = ("refer360/validation.seen", "refer360/validation.unseen")
PLACEMENT_MARKS = {"M": CHOSEN, "R": RANDOM}  # marks in Refer360's files
REMARKS = [
    "The paper's objects are a detector's, up to 20 in each of 12 views; ours are the true ones, each once.",
    f"An object here fills at least {MIN_SHARE:g} of the sphere and is at most {MAX_HIDDEN:.0%} hidden; walls, floors"
    " and ceilings of rooms are none, but a target may lie on them.",
    "The closest object is another than the one the target is on, and its distance is to its middle. The paper names"
    " no unit for it.",
    f"{BOTH}: three rooms for each place of the city, Refer360's shares of scenes.",
    "Targets are chosen in the city only: how people like things to choose was counted in Touchdown's streets.",
    "Figure 7's real texts are those that Refer360's files mark M (placed by the writer) and R (at random); ours are"
    " told by the same writer for both. Figures 6 and 7 are pictures, no number is printed.",
]


@dataclass
class SceneObjects:
    """Objects of scenes with one target each, as parallel lists."""

    places: list[tuple[str, int]] = field(default_factory=list)
    objects: list[tuple[str, ...]] = field(default_factory=list)  # their classes
    target_classes: list[str] = field(default_factory=list)  # of what the target is on
    closest: list[tuple[str, float] | None] = field(default_factory=list)  # None where there is no other object

    def add(self, scene: SceneIndex, target: Target) -> None:
        """Add the scene around a target."""
        sight = scene.at(target.place)
        visible = noticeable(sight)
        self.places.append((scene.city.graph.name, target.place))
        self.objects.append(tuple(CLASSES[kind].name for kind in sight.kind[visible]))
        self.target_classes.append(class_name(target.kind))
        self.closest.append(closest(sight, target))

    def scene_statistics(self) -> dict[str, float]:
        """Return the numbers of Table 3."""
        if not self.objects:
            return {}
        return {
            SCENES: len(set(self.places)),
            OBJECTS: float(np.mean([len(classes) for classes in self.objects])),
            PERPLEXITY: perplexity(name for classes in self.objects for name in classes),
            WITHIN: float(np.mean([perplexity(classes) for classes in self.objects])),
        }

    def target_statistics(self) -> dict[str, float]:
        """Return the numbers of Table 6."""
        targets = self.target_classes
        if not targets:
            return {}
        statistics: dict[str, float] = {TARGETS: len(targets), TARGET_CLASSES: perplexity(targets)}
        others = [nearest for nearest in self.closest if nearest is not None]
        if others:
            statistics[CLOSEST_CLASSES] = perplexity(name for name, _ in others)
            statistics[DISTANCE] = float(np.mean([degrees for _, degrees in others]))
        return statistics

    def common_classes(self) -> dict[str, float]:
        """Return Figure 6: the most common classes, in percent of all objects."""
        counts = Counter(name for classes in self.objects for name in classes)
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:TOP_CLASSES]
        return {name: 100 * count / counts.total() for name, count in ordered}


def perplexity(classes: Iterable[str]) -> float:
    """Return exp(entropy) of the classes' frequencies: n for n equally common classes, 0 for none."""
    counts = np.array(list(Counter(classes).values()), float)
    share = counts / counts.sum() if len(counts) else counts
    return float(np.exp(-(share * np.log(share)).sum())) if len(counts) else 0.0


def noticeable(sight: VisibleObjects) -> npt.NDArray[np.int64]:
    """Return the indices of objects that are large enough and not too hidden."""
    return np.flatnonzero((sight.share >= MIN_SHARE) & (sight.hidden <= MAX_HIDDEN))


def closest(sight: VisibleObjects, target: Target) -> tuple[str, float] | None:
    """Return class and distance in degrees of the object nearest to a target, other than the one it is on."""
    others = noticeable(sight)
    others = others[sight.instance[others] != target.instance]
    if not len(others):
        return None
    direction = target.direction
    degrees = angular_distance(sight.heading[others], sight.pitch[others], direction.heading, direction.pitch)
    k = int(np.argmin(degrees))
    return CLASSES[sight.kind[others[k]]].name, float(degrees[k])


@dataclass
class ObjectStudy:
    """Scenes by set of targets, and texts by how the target was placed (CHOSEN or RANDOM)."""

    scenes: dict[str, SceneObjects]
    texts: dict[str, list[TextParts]]


def open_worlds(city: str, rooms: str) -> tuple[SceneIndex, SceneIndex]:
    """Open a city and rooms by their names."""
    for world, family in ((city, CITY), (rooms, ROOMS)):
        if world.partition("/")[0] != family:
            raise InputError(f"a world {family}/SEED, such as {EXAMPLES[family]}", format_value(world), family)
    return open_scene_index(city), open_scene_index(rooms)


def measure_objects(
    city: SceneIndex, rooms: SceneIndex, count: int = 400, seed: int = 0, progress: Progress | None = None
) -> ObjectStudy:
    """Place targets in a city and in rooms, and collect the objects and texts around them.

    Args:
        city: Index of a city's objects.
        rooms: Index of the objects in rooms.
        count: Number of targets in each set.
        seed: Seed of places and targets.
        progress: Called with a label, the targets done, and their total.

    Raises:
        InputError: If `count` is too small to mix city and rooms.
    """
    if count < ROOMS_PER_PLACE + 1:
        raise InputError(f"at least {ROOMS_PER_PLACE + 1} targets", str(count), "count")
    scenes: dict[str, SceneObjects] = {}
    texts: dict[str, list[TextParts]] = {}
    for name, scene, placement in ((CITY, city, CHOSEN), (CITY, city, RANDOM), (ROOMS, rooms, RANDOM)):
        places = np.random.default_rng(seed).integers(0, len(scene.city.graph), count)
        targets = place_targets(scene, places, placement, seed)
        of_set = scenes.setdefault(f"{placement}, {name}", SceneObjects())
        for done, target in enumerate(targets, 1):
            of_set.add(scene, target)
            # Texts of both sets come from the same writer and streets; only the placement differs.
            sentences = write_sequence(scene, target, seed, done) if name == CITY else None
            if sentences:
                texts.setdefault(placement, []).append(tuple(sentence.text.string for sentence in sentences))
            if progress is not None:
                progress(f"{placement}, {name}", done, len(targets))
    quarter = count // (ROOMS_PER_PLACE + 1)
    scenes[f"{RANDOM}, {BOTH}"] = _concatenate(
        _first(scenes[f"{RANDOM}, {CITY}"], quarter), _first(scenes[f"{RANDOM}, {ROOMS}"], ROOMS_PER_PLACE * quarter)
    )
    return ObjectStudy(scenes, texts)


def place_targets(
    scene: SceneIndex, places: Sequence[int] | npt.NDArray[np.int64], placement: str, seed: int
) -> list[Target]:
    """Return a target at each place; chosen ones only where there is something to choose."""
    if placement == RANDOM:
        return random_targets(scene.city, places, seed)
    return [
        target
        for index, place in enumerate(places)
        for target in choose_targets(scene.city, scene.table.at(int(place)), seed=seed, index=index)
    ]


def _first(scenes: SceneObjects, count: int) -> SceneObjects:
    return SceneObjects(
        scenes.places[:count], scenes.objects[:count], scenes.target_classes[:count], scenes.closest[:count]
    )


def _concatenate(first: SceneObjects, second: SceneObjects) -> SceneObjects:
    return SceneObjects(
        first.places + second.places,
        first.objects + second.objects,
        first.target_classes + second.target_classes,
        first.closest + second.closest,
    )


def real_texts(data: DataFolder = None) -> dict[str, list[TextParts]]:
    """Return the sequences of Refer360 by how their target was placed; empty without its files."""
    texts: dict[str, list[TextParts]] = {}
    for name in available_datasets(REAL_DATASETS, data):
        for episode in load(name, data):
            placement = PLACEMENT_MARKS.get(str(episode.extra.get("ann_cat")))
            if placement is not None:
                texts.setdefault(placement, []).append(episode.legs[0].sentences)
    return texts


def tables(ours: ObjectStudy, real: Mapping[str, Sequence[TextParts]]) -> list[Row]:
    """Return the rows of Tables 3 and 6 and of Figures 6 and 7."""
    rows: list[Row] = []
    for name in (CITY, ROOMS, BOTH):
        statistics = ours.scenes[f"{RANDOM}, {name}"].scene_statistics()
        rows += three_way_rows(
            "Refer360 Table 3", name, TABLE_3.get(name, {}), {}, statistics, PAPER_REMARKS.get(name, "")
        )
    for name, scenes in ours.scenes.items():
        remark = PAPER_REMARKS[name.partition(", ")[2]] if name in TABLE_6 else ""
        rows += three_way_rows("Refer360 Table 6", name, TABLE_6.get(name, {}), {}, scenes.target_statistics(), remark)
    for name in (CITY, ROOMS, BOTH):
        classes = ours.scenes[f"{RANDOM}, {name}"].common_classes()
        rows += three_way_rows("Refer360 Figure 6", name, {}, {}, classes, "percent of all objects")
    for placement in (CHOSEN, RANDOM):
        for unit, by_sentence in (("sequence", False), ("single instruction", True)):
            of_real, of_ours = (
                length_statistics(text_lengths(texts.get(placement, []), by_sentence)) for texts in (real, ours.texts)
            )
            rows += three_way_rows(
                "Refer360 Figure 7", f"{placement}, {unit}", {}, of_real, of_ours, "ours in the city"
            )
    return rows


def text_lengths(texts: Sequence[TextParts], by_sentence: bool) -> list[int]:
    """Return the number of tokens of each sequence, or of each of its sentences."""
    return token_counts([(sentence,) for text in texts for sentence in text] if by_sentence else texts)
