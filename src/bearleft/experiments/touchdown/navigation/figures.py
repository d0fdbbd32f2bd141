"""Pictures of saved walks on test_unseen as SVG: paths on street maps, TC by turns of the route and by phenomenon."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from bearleft.data import load
from bearleft.errors import InputError
from bearleft.experiments.charts import Interval, interval_bars_svg, interval_lines_svg
from bearleft.experiments.rows import Row
from bearleft.experiments.systems.bootstrap import Bools, Ints
from bearleft.experiments.systems.saved_results import OWN_TEXTS, episodes_with_results
from bearleft.experiments.systems.saved_walks import NAME
from bearleft.experiments.systems.table import MIN_EPISODES
from bearleft.experiments.touchdown.navigation.path_maps import SystemPath, path_map
from bearleft.experiments.touchdown.navigation.results import MAIN_METRIC, SYSTEMS, NavigationTable
from bearleft.experiments.touchdown.navigation.runs import COMPASS, RCONCAT, TEST_UNSEEN
from bearleft.experiments.touchdown.navigation.saved_walks import HINT, SavedWalks
from bearleft.experiments.touchdown.navigation.scoring import WalkScorer
from bearleft.generate.routes import make_route
from bearleft.metrics.ragged_paths import Floats
from bearleft.runtime.store import write_text
from bearleft.types import DataFolder, Progress
from bearleft.world.city.city import open_city
from bearleft.world.city.plan import Plan
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.shortest_paths import PathFinder
from bearleft.world.maps.colours import ROUTES
from bearleft.world.maps.shapes import Colour
from bearleft.world.maps.svg import hex_colour
from bearleft.world.worlds import open_world, world_kind

Rule = tuple[str, str, Bools]  # file name, condition in words, and whether each episode meets it


def write_figures(
    walks: Sequence[SavedWalks],
    rows: Sequence[Row],
    folder: str | os.PathLike[str],
    data: DataFolder = None,
    progress: Progress | None = None,
) -> list[str]:
    """Write all pictures of saved walks into a folder and return their paths.

    Args:
        walks: Saved walks, as `read_walks_folder` returns them.
        rows: The rows that `results` makes of them.
        folder: The folder, which is made if it is missing.
        data: Folder of the datasets.
        progress: Called while the city is built.

    Raises:
        InputError: No walks are of test_unseen, the split is another one than was walked, or matplotlib is missing.
    """
    split = DrawnSplit(walks, data)
    written = []
    for name, svg in (*charts(split, rows), *path_maps(split, progress)):
        path = Path(folder) / name
        write_text(path, svg)
        written.append(str(path))
    return written


def check_drawable(walks: Sequence[SavedWalks]) -> list[SavedWalks]:
    """Return the walks of test_unseen with its own texts.

    Raises:
        InputError: There are none.
    """
    own = [one for one in walks if one.dataset == TEST_UNSEEN and one.texts == OWN_TEXTS]
    if not own:
        found = ", ".join(sorted({one.dataset for one in walks})) or "none"
        raise InputError(f"{NAME} of {TEST_UNSEEN}, to draw", found, hint=HINT)
    return own


def drawn_systems(systems: Sequence[str]) -> list[str]:
    """Return one system of each network, in the order of tables: the network itself, or else its first variant."""
    ranked = sorted(systems, key=lambda name: (SYSTEMS.index(name) if name in SYSTEMS else len(SYSTEMS), name))
    of_network: dict[str, str] = {}
    for system in ranked:
        of_network.setdefault(system.partition(" ")[0], system)
    return list(of_network.values())


class DrawnSplit:
    """The episodes of test_unseen and the systems that pictures show.

    Args:
        walks: Saved walks; those of other splits or texts are left out.
        data: Folder of the datasets.

    Raises:
        InputError: No walks are of test_unseen, or the split is another one than was walked.
    """

    def __init__(self, walks: Sequence[SavedWalks], data: DataFolder = None) -> None:
        self.data, own = data, check_drawable(walks)
        episodes = episodes_with_results(TEST_UNSEEN, load(TEST_UNSEEN, data), own, NAME)
        self.scorer = WalkScorer(TEST_UNSEEN, episodes, data)
        self.systems = drawn_systems([one.system for one in own])
        self.table = NavigationTable(self.scorer, [one for one in own if one.system in self.systems])
        self.first_seed = {
            system: min((one for one in own if one.system == system), key=lambda one: one.seed)
            for system in self.systems
        }
        self.scores = {system: self.scorer.scores(one) for system, one in self.first_seed.items()}

    @property
    def colours(self) -> dict[str, Colour]:
        """Return the colour of each system: the last has the first colour after that of references."""
        last = len(self.systems) - 1
        return {system: ROUTES[1:][(last - k) % (len(ROUTES) - 1)] for k, system in enumerate(self.systems)}

    def completed(self, system: str) -> Bools:
        """Return whether a system's first seed completes each episode."""
        values: Floats = self.scores[system][MAIN_METRIC]
        return np.asarray(values > 0)

    def turns(self) -> Ints:
        """Return the number of crossings at which each route turns."""
        finders = {world: PathFinder.make(graph) for world, graph in self.scorer.graphs.items()}
        counts = [
            make_route(finders[world], route.tolist()).turns if len(route) > 1 else 0
            for world, route in zip(self.scorer.worlds, self.scorer.routes, strict=True)
        ]
        return np.array(counts, np.int64)


def rules(split: DrawnSplit) -> list[Rule]:
    """Return by what conditions episodes are chosen: by Compass and RCONCAT, or the last and the first system."""
    by_network = {system.partition(" ")[0]: system for system in split.systems}
    ours = by_network.get(COMPASS, split.systems[-1])
    first = next((system for system in split.systems if system != ours), None)
    other = by_network[RCONCAT] if RCONCAT in by_network and ours != by_network[RCONCAT] else first
    right, mine = split.completed(ours), _file_part(ours)
    failed: Rule = (f"paths-not-{mine}", f"{ours} does not complete", ~right)
    if other is None:
        return [(f"paths-{mine}", f"{ours} completes", right), failed]
    others_right, theirs = split.completed(other), _file_part(other)
    return [
        (f"paths-{mine}-not-{theirs}", f"{ours} completes and {other} does not", right & ~others_right),
        (f"paths-{mine}-and-{theirs}", f"both {ours} and {other} complete", right & others_right),
        failed,
    ]


def _file_part(system: str) -> str:
    return system.lower().replace(" ", "-")


def path_maps(split: DrawnSplit, progress: Progress | None = None) -> Iterator[tuple[str, str]]:
    """Yield the file name and the SVG of a map of the first episode that meets each rule; none if no episode does."""
    for file, condition, meets in rules(split):
        if not meets.any():
            continue
        k = int(np.argmax(meets))
        episode = split.scorer.episodes[k]
        graph = split.scorer.graphs[episode.world]
        reference = [graph.ids[place] for place in split.scorer.routes[k].tolist()]
        caption = f"{TEST_UNSEEN}, episode {episode.id}: the first that {condition}."
        paths = [_path(split, system, k, graph) for system in split.systems]
        world = _world(episode.world, split.data, progress)
        yield f"{file}.svg", path_map(world, reference, paths, caption, episode.legs[0].text)


def _path(split: DrawnSplit, system: str, index: int, graph: Graph) -> SystemPath:
    walks = split.first_seed[system]
    row = int(split.scorer.rows_of(walks, NAME)[index])
    places = tuple(graph.ids[place] for place in walks.places[row].tolist())
    completed, distance = bool(split.completed(system)[index]), round(float(split.scores[system]["SPD"][index]))
    return SystemPath(system, places, split.colours[system], completed, distance)


def _world(name: str, data: DataFolder, progress: Progress | None) -> Graph | Plan:
    """Return the plan of a city, or a graph that no city stands on."""
    return open_city(name, None, data, progress).plan if world_kind(name).renderable else open_world(name, data)


def charts(split: DrawnSplit, rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Yield the file names and the SVG of TC by turns of the route and by phenomenon, where episodes suffice."""
    colours = {system: hex_colour(colour) for system, colour in split.colours.items()}
    by_turns = turn_groups(split)
    if by_turns:
        title = f"{TEST_UNSEEN}: TC by the number of turns of the route"
        x_label = "crossings at which the route turns (episodes); bars: 95 % intervals"
        yield "tc-by-turns.svg", interval_lines_svg(by_turns, colours, title, x_label, "TC in %, mean over seeds")
    by_phenomenon = phenomenon_groups(rows, split.systems)
    if by_phenomenon:
        title = f"{TEST_UNSEEN}: TC by phenomenon of the text"
        x_label = "TC in %, mean over seeds; lines: 95 % intervals"
        yield "tc-by-phenomenon.svg", interval_bars_svg(by_phenomenon, colours, title, x_label)


def turn_groups(split: DrawnSplit) -> dict[str, dict[str, Interval]]:
    """Return TC of each system by the number of turns; groups have MIN_EPISODES or more, the last is open."""
    turns = split.turns()
    groups: dict[str, dict[str, Interval]] = {}
    largest = [int(count) for count in np.unique(turns) if (turns >= count).sum() >= MIN_EPISODES]
    for count in largest:
        is_last = count == largest[-1]
        mask = turns >= count if is_last else turns == count
        if mask.sum() < MIN_EPISODES:
            continue
        label = f"{count} or more" if is_last and turns.max() > count else f"{count}"
        groups[f"{label}\n({int(mask.sum()):,})"] = {
            system: _interval(split.table, system, mask) for system in split.systems
        }
    return groups


def _interval(table: NavigationTable, system: str, mask: Bools) -> Interval:
    estimate = table.estimate_group(system, MAIN_METRIC, mask)
    return Interval(estimate.value, *estimate.interval)


def phenomenon_groups(rows: Sequence[Row], systems: Sequence[str]) -> dict[str, dict[str, Interval]]:
    """Return TC of each system by phenomenon, from the rows of the table."""
    groups: dict[str, dict[str, Interval]] = {}
    for row in rows:
        if row["kind"] == "phenomenon" and row["split"] == TEST_UNSEEN and row["system"] in systems:
            values = Interval(row["value"], row["low"], row["high"])
            groups.setdefault(f"{row['phenomenon']} ({row['n']:,})", {})[row["system"]] = values
    return groups
