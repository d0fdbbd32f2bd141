"""Pictures of saved walks: paths on street maps, TC by turns and by phenomenon."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner, Result

from bearleft.cli import cli
from bearleft.data import load, open_dataset
from bearleft.errors import InputError
from bearleft.experiments.systems.table import MIN_EPISODES
from bearleft.experiments.touchdown.navigation.baselines import baseline_walks
from bearleft.experiments.touchdown.navigation.figures import (
    DrawnSplit,
    charts,
    drawn_systems,
    path_maps,
    phenomenon_groups,
    rules,
    turn_groups,
)
from bearleft.experiments.touchdown.navigation.path_maps import EDGE, WIDTH, path_map, street_angle, wrap
from bearleft.experiments.touchdown.navigation.results import group_rows
from bearleft.experiments.touchdown.navigation.runs import TEST_UNSEEN
from bearleft.experiments.touchdown.navigation.saved_walks import SavedWalks, save_walks
from bearleft.world.maps.frame import MapExtent
from bearleft.world.maps.shapes import words_length
from bearleft.world.worlds import open_world
from tests.experiments.touchdown.navigation.test_results import SMALL, walks_of

SVG = "{http://www.w3.org/2000/svg}"
PATHS = ("paths-compass-not-rconcat.svg", "paths-compass-and-rconcat.svg", "paths-not-compass.svg")
CHARTS = ("tc-by-turns.svg", "tc-by-phenomenon.svg")


def walk(system: str, correct: Sequence[bool], seed: int = 0) -> SavedWalks:
    return walks_of(system, SMALL, correct, seed, saved_as=TEST_UNSEEN)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose test_unseen is the small split."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "city" / "touchdown").mkdir(parents=True)
    shutil.copy(str(open_dataset(SMALL).path), folder / "city" / "touchdown" / "test_unseen.jsonl")
    return folder


@pytest.fixture(scope="module")
def walks() -> list[SavedWalks]:
    """Walks in which episode 0 fails, 1 is completed by Compass only, and 2 by RCONCAT too; GA walks at random."""
    random = replace(baseline_walks(SMALL, load(SMALL), random_seeds=1)[-1], system="GA", dataset=TEST_UNSEEN, seed=4)
    compass = [False, True, True, True, True, False]
    return [
        walk("COMPASS", compass),
        walk("COMPASS", [True], 1),
        walk("COMPASS NO-TEXT", [True]),
        walk("RCONCAT", [False, False, True]),
        random,
        walks_of("COMPASS", SMALL, [True], texts="shuffled", saved_as=TEST_UNSEEN),
        walks_of("ORAR", SMALL, [True]),
    ]


@pytest.fixture(scope="module")
def split(walks: list[SavedWalks], data: Path) -> DrawnSplit:
    return DrawnSplit(walks, data)


@pytest.fixture(scope="module")
def maps(split: DrawnSplit) -> dict[str, ElementTree.Element]:
    return {name: ElementTree.fromstring(svg) for name, svg in path_maps(split)}


def texts(root: ElementTree.Element, kind: str) -> list[str]:
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text") if element.get("class") == kind]


def test_one_system_of_each_network_is_drawn() -> None:
    systems = ["COMPASS NO-TEXT", "COMPASS", "ORAR NO-IMAGE", "RCONCAT RGB", "RCONCAT NO-TEXT", "MINE"]
    assert drawn_systems(systems) == ["COMPASS", "RCONCAT NO-TEXT", "ORAR NO-IMAGE", "MINE"]
    assert drawn_systems(["COMPASS", "GA", "RCONCAT"]) == ["RCONCAT", "GA", "COMPASS"]


@pytest.mark.slow
def test_rules_choose_the_first_episodes(maps: dict[str, ElementTree.Element]) -> None:
    ids = [episode.id for episode in load(SMALL)]
    assert tuple(maps) == PATHS
    captions = {name: " ".join(texts(root, "caption")) for name, root in maps.items()}
    conditions = ("COMPASS completes and RCONCAT does not", "both COMPASS and RCONCAT complete", "COMPASS does not")
    for name, number, condition in zip(PATHS, (1, 2, 0), conditions, strict=True):
        assert captions[name].startswith(f"{TEST_UNSEEN}, episode {ids[number]}: the first that {condition}")


@pytest.mark.parametrize(
    ("systems", "expected"),
    [
        ({"COMPASS": [True, False]}, ["COMPASS completes", "COMPASS does not complete"]),
        (
            {"COMPASS NO-IMAGE": [True], "ORAR NO-IMAGE": [False]},
            [
                "COMPASS NO-IMAGE completes and ORAR NO-IMAGE does not",
                "both COMPASS NO-IMAGE and ORAR NO-IMAGE complete",
                "COMPASS NO-IMAGE does not complete",
            ],
        ),
        (
            {"RCONCAT": [True], "GA": [False]},
            ["GA completes and RCONCAT does not", "both GA and RCONCAT complete", "GA does not complete"],
        ),
        ({"RCONCAT": [True]}, ["RCONCAT completes", "RCONCAT does not complete"]),
    ],
)
def test_rules_follow_from_the_systems_that_there_are(
    systems: dict[str, list[bool]], expected: list[str], data: Path
) -> None:
    split = DrawnSplit([walk(system, correct) for system, correct in systems.items()], data)
    assert [condition for _, condition, _ in rules(split)] == expected


def test_no_map_where_no_episode_meets_a_rule(data: Path) -> None:
    split = DrawnSplit([walk("COMPASS", [True])], data)
    assert [name for name, _, meets in rules(split) if meets.any()] == ["paths-compass"]


def test_maps_have_every_place_of_every_path(
    maps: dict[str, ElementTree.Element], walks: list[SavedWalks], split: DrawnSplit
) -> None:
    graph = open_world(load(SMALL)[0].world)
    compass, rconcat, random = walks[0], walks[3], walks[4]
    for name, number in zip(PATHS, (1, 2, 0), strict=True):
        routes: dict[str, list[str]] = {}
        for line in maps[name].iterfind(f".//{SVG}g[@class='route']/{SVG}polyline"):
            system = line.findtext(f"{SVG}title", "reference").partition(":")[0]
            assert system not in routes
            routes[system] = line.get("points", "").split()
        assert len(routes["reference"]) == len(split.scorer.routes[number])
        for saved in (compass, rconcat, random):
            places = saved.places[number].tolist()
            if len(places) == 1:  # it stopped at once: only its end is marked
                assert saved.system not in routes
                continue
            points = np.array([[float(value) for value in point.split(",")] for point in routes[saved.system]])
            assert len(points) == len(places)
            # A path is shifted as a whole, so that its steps are those of the graph, at one scale.
            steps, metres = np.diff(points, axis=0), np.diff(graph.positions[places, :2], axis=0) * (1, -1)
            scale = np.abs(steps).sum() / np.abs(metres).sum()
            assert np.allclose(steps, metres * scale, atol=0.05)
        strokes = {line.get("stroke") for line in maps[name].iterfind(f".//{SVG}g[@class='route']/{SVG}polyline")}
        assert len(strokes) == len(routes)


def test_ends_say_whether_a_path_is_completed(maps: dict[str, ElementTree.Element]) -> None:
    root = maps[PATHS[0]]  # Compass completes it, RCONCAT and the random walk do not
    ends: dict[str, set[str]] = {}
    for mark in root.iterfind(f".//{SVG}g[@class='route-end']/*"):
        system = mark.findtext(f"{SVG}title", "reference").partition(":")[0]
        ends.setdefault(system, set()).add(mark.tag.removeprefix(SVG))
    assert ends == {"reference": {"circle"}, "COMPASS": {"circle"}, "RCONCAT": {"polyline"}, "GA": {"polyline"}}
    assert len(root.findall(f".//{SVG}g[@class='route-start']/{SVG}circle")) == 1
    legend = texts(root, "legend")
    assert legend[0].startswith("Reference route") and "COMPASS: completed" in legend
    assert any(re.fullmatch(r"RCONCAT: \d+ links? from the goal", entry) for entry in legend) and len(legend) == 4


def test_text_below_maps_is_whole_and_does_not_overlap(maps: dict[str, ElementTree.Element]) -> None:
    for name, number in zip(PATHS, (1, 2, 0), strict=True):
        root = maps[name]
        assert " ".join(texts(root, "instruction")) == f"“{' '.join(load(SMALL)[number].legs[0].text.split())}”"
        boxes = []
        for element in root.findall(f"{SVG}text"):  # those of the map lie in a picture of their own
            x, y, size = (float(element.get(key, "")) for key in ("x", "y", "font-size"))
            boxes.append((x, y - size, x + float(element.get("textLength", "")), y + 0.2 * size))
        assert len(boxes) > 6
        for k, (left, top, right, bottom) in enumerate(boxes):
            assert left >= EDGE and right <= WIDTH - EDGE + 0.1 and bottom <= float(root.get("height", ""))
            for other in boxes[:k]:
                assert left >= other[2] or right <= other[0] or top >= other[3] - 1 or bottom <= other[1] + 1


def test_hostile_instructions_are_escaped() -> None:
    graph = open_world(load(SMALL)[0].world)
    root = ElementTree.fromstring(path_map(graph, graph.ids[:3], [], "a < b & c", 'go\x00 <b>"left"</b>'))
    assert texts(root, "caption") == ["a < b & c"]
    assert texts(root, "instruction") == ['“go\ufffd <b>"left"</b>”']


def test_lines_are_wrapped_between_words() -> None:
    words = "turn left at the light and then right " * 9
    lines = list(wrap(words, 10, 200))
    assert " ".join(lines) == words.strip() and len(lines) > 5
    assert all(words_length(line, 10) <= 200 for line in lines)
    assert list(wrap("x" * 99 + " y", 10, 50)) == ["x" * 99, "y"] and list(wrap(" ", 10, 50)) == []


def test_street_angle_is_that_of_a_turned_grid() -> None:
    graph = open_world("city/3/4x5")
    positions, frame = graph.positions[:, :2], MapExtent.around(graph.positions[:, :2], 10)
    angle = street_angle(graph, frame)
    headings = np.degrees(np.arctan2(*(positions[graph.target] - positions[graph.source]).T))
    apart = np.abs((headings - angle + 45) % 90 - 45)
    assert np.median(apart) < 10


def test_tc_by_turns_is_that_of_the_episodes(split: DrawnSplit, walks: list[SavedWalks]) -> None:
    pytest.importorskip("matplotlib")
    turns, groups = split.turns(), turn_groups(split)
    assert (turns >= 0).all() and len(set(turns.tolist())) > 1
    sizes = [int(label.partition("(")[2].rstrip(")").replace(",", "")) for label in groups]
    assert groups and min(sizes) >= MIN_EPISODES
    both = [split.scorer.scores(walks[k])["TC"] for k in (0, 1)]
    for label, size in zip(groups, sizes, strict=True):
        number = int(label.split()[0])
        mask = turns >= number if "or more" in label else turns == number
        assert mask.sum() == size and set(groups[label]) == {"RCONCAT", "GA", "COMPASS"}
        one = groups[label]["COMPASS"]
        assert one.value == pytest.approx(100 * np.mean(both, axis=0)[mask].mean())
        assert one.low <= one.value <= one.high


def test_turns_are_at_crossings_of_the_route(split: DrawnSplit) -> None:
    graph = open_world(load(SMALL)[0].world)
    neighbours: dict[int, set[int]] = {}
    for source, target in zip(graph.source.tolist(), graph.target.tolist(), strict=True):
        neighbours.setdefault(source, set()).add(target)
        neighbours.setdefault(target, set()).add(source)
    for turns, route in zip(split.turns().tolist(), split.scorer.routes, strict=True):
        at_crossing = np.array([len(neighbours[place]) > 2 for place in route.tolist()[1:-1]])
        deltas = np.diff(graph.positions[route, :2], axis=0)
        headings = np.unwrap(np.arctan2(deltas[:, 0], deltas[:, 1]))
        # A bend of a street without a crossing is no turn.
        sharp = int((at_crossing & (np.abs(np.diff(headings)) > np.radians(70))).sum())
        assert sharp <= turns <= at_crossing.sum()
        if np.ptp(headings) < np.radians(44):
            assert turns == 0


def test_tc_by_phenomenon_has_the_rows_of_the_table(split: DrawnSplit) -> None:
    rows = group_rows(split.table, "phenomenon")
    groups = phenomenon_groups(rows, split.systems)
    assert sum(len(group) for group in groups.values()) == len(rows) > 10
    for row in rows:
        one = groups[f"{row['phenomenon']} ({row['n']:,})"][row["system"]]
        assert (one.value, one.low, one.high) == (row["value"], row["low"], row["high"])
    assert phenomenon_groups([row | {"split": "city/touchdown/dev"} for row in rows], split.systems) == {}


def test_charts_have_a_line_or_bars_for_each_system(split: DrawnSplit) -> None:
    pytest.importorskip("matplotlib")
    rows = group_rows(split.table, "phenomenon")
    drawn = {name: ElementTree.fromstring(svg) for name, svg in charts(split, rows)}
    assert tuple(drawn) == CHARTS
    ids = {name: {element.get("id", "") for element in root.iter()} for name, root in drawn.items()}
    for system in split.systems:
        assert f"line {system}" in ids[CHARTS[0]] and f"bar {system} 0" in ids[CHARTS[1]]


def invoke(*words: Any) -> Result:
    return CliRunner().invoke(cli, ["paper", "touchdown", *map(str, words)])


@pytest.mark.slow
def test_command_writes_pictures_beside_tables(tmp_path: Path, walks: list[SavedWalks], data: Path) -> None:
    pytest.importorskip("matplotlib")
    for one in walks:
        save_walks(tmp_path / "walks", one)
    call = ("--navigation-results", tmp_path / "walks", "--data", data)
    printed, drawn = invoke(*call), invoke(*call, "--figures", tmp_path / "figures")
    assert drawn.exit_code == 0 and drawn.stdout == printed.stdout and f"### {TEST_UNSEEN}" in drawn.stdout
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == sorted((*PATHS, *CHARTS))
    for path in (tmp_path / "figures").iterdir():
        assert str(path) in drawn.stderr
        ElementTree.fromstring(path.read_text(encoding="utf-8"))


def test_what_cannot_be_drawn_is_told(tmp_path: Path, data: Path) -> None:
    figures = ("--figures", tmp_path / "figures")
    (tmp_path / "empty").mkdir()
    save_walks(tmp_path / "other", walks_of("COMPASS", SMALL, [True]))
    (tmp_path / "rows.json").write_text("[]")
    for path, message in (
        ("empty", "files of walks"),
        ("other", f"walks of {TEST_UNSEEN}.*{SMALL}"),
        ("rows.json", "a folder of walks beside --figures"),
        ("nowhere", "a folder of walks beside --figures"),
    ):
        result = invoke("--navigation-results", tmp_path / path, "--data", data, *figures)
        assert isinstance(result.exception, InputError) and re.search(message, str(result.exception)), path
    assert not (tmp_path / "figures").exists()
    ids = tuple(f"x{name}" for name in walk("COMPASS", [True]).ids)
    with pytest.raises(InputError, match="--data"):
        DrawnSplit([replace(walk("COMPASS", [True]), ids=ids)], data)
