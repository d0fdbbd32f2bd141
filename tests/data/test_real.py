"""The real files: every count and figure that is known of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from bearleft.data import check, follower_traces, open_dataset, read, stats, write
from bearleft.data.dataset import Dataset
from bearleft.data.loaders.r4r import route_length
from bearleft.geometry import angle_between, to_equirectangular
from bearleft.records import Collect, Direction, Episode, Point, Reach
from bearleft.world.graphs.matterport import read_matterport
from bearleft.world.graphs.touchdown import read_street_graph
from tests.sizes import sized

COUNTS = {
    "touchdown/unseen_dev": (800, 800, 0),
    "touchdown-complete/unseen_dev": (800, 1599, 0),
    "sdr/unseen_dev": (2400, 2237, 163),
    "map2seq/seen_dev": (800, 800, 0),
    "map2seq/unseen_dev": (800, 800, 0),
    "refer360/validation.seen": (900, 900, 0),
    "refer360/validation.unseen": (1009, 1009, 0),
    "arramon/val_unseen": (1155, 4620, 0),
    "r2r/train": (14039, 14039, 0),
    "r2r/val_unseen": (2349, 2349, 0),
    "r4r/val_unseen": (9 * 5026, 9 * 5026, 0),
}


@cache
def loaded(name: str, data: Path) -> tuple[Dataset, list[Episode]]:
    """Read a dataset once for all tests: with its notes, and as episodes."""
    dataset = open_dataset(name, data)
    return dataset, list(dataset)


@pytest.fixture(scope="module", autouse=True)
def release_datasets() -> Iterator[None]:
    """Free the episodes when the last test of this file is done."""
    yield
    loaded.cache_clear()


@pytest.mark.slow
def test_the_counts_are_those_of_the_files(real_data: Path) -> None:
    checked = check(real_data, list(COUNTS))
    assert checked.errors == []
    assert {row["dataset"]: (row["episodes"], row["legs"], row["skipped"]) for row in checked.rows} == COUNTS
    notes = "\n".join(checked.notes)
    for fact in (
        "163 skipped: the target is not visible",
        "refer360/validation.unseen: 31 noted: no follower",
        "refer360/validation.seen: 8 noted: the follower's views do not match",
        "refer360/validation.unseen: 1 noted: the follower's views do not match",
        "2,303 of 2,303 walks with a move, replayed, land on their paths",
        "7 walks only turn",
        "2,310 of 2,310 assemblies end one step before their cell",
        "5,026 paths joined from 783",
    ):
        assert fact in notes


# The other split of R2R has the same format as its six times larger one.
@pytest.mark.slow(keep=3)
@pytest.mark.parametrize(
    "name", [n for n in COUNTS if n not in sized(["r4r/val_unseen", "r2r/train"], ["r4r/val_unseen"])]
)
def test_files_are_written_as_they_were(real_data: Path, tmp_path: Path, name: str) -> None:
    """Byte for byte, less the lines in which nothing can be asked."""
    dataset, episodes = loaded(name, real_data)
    copy = tmp_path / "copy"
    write(name, episodes, copy)
    assert list(read(name, copy, real_data)) == episodes
    assert dataset.path is not None
    original = dataset.path.read_bytes()
    if dataset.skipped:
        there = {episode.id.partition("/")[0] for episode in episodes}
        kept = [line for line in original.splitlines(keepends=True) if str(json.loads(line)["route_id"]) in there]
        assert len(kept) == 799
        original = b"".join(kept)
    assert copy.read_bytes() == original


@pytest.mark.slow
def test_r4r_survives_its_own_format(real_data: Path, tmp_path: Path) -> None:
    episodes = loaded("r4r/val_unseen", real_data)[1][: sized(9 * 500, None)]
    write("r4r", episodes, tmp_path / "R4R_val_unseen.json")
    assert list(read("r4r/val_unseen", tmp_path / "R4R_val_unseen.json", real_data)) == episodes


def test_r4r_joins_what_is_near_along_the_graph(real_data: Path) -> None:
    """Counted again with scipy; straight lines would join 7,812."""
    by_scan: dict[str, list[tuple[str, ...]]] = {}
    for episode in loaded("r2r/val_unseen", real_data)[1]:
        goal = episode.legs[0].goal
        if episode.id.endswith("_0") and isinstance(goal, Reach):
            by_scan.setdefault(episode.world.partition("/")[2], []).append(goal.route)
    along = straight = 0
    for scan, routes in by_scan.items():
        graph = read_matterport(real_data / "r2r" / "connectivity", scan)
        between = np.linalg.norm(graph.positions[:, None] - graph.positions, axis=2)
        links = csr_matrix((between[graph.source, graph.target], (graph.source, graph.target)), between.shape)
        ends = [graph.place_index(route[-1]) for route in routes]
        starts = [graph.place_index(route[0]) for route in routes]
        along += int((dijkstra(links)[np.ix_(ends, starts)] <= 3).sum())
        straight += int((between[np.ix_(ends, starts)] <= 3).sum())
    assert (along, straight) == (5026, 7812)
    assert len({episode.id.partition("_")[0] for episode in loaded("r4r/val_unseen", real_data)[1]}) == along


def test_touchdown_routes(real_data: Path) -> None:
    episodes = loaded("touchdown/unseen_dev", real_data)[1]
    routes = [leg.goal.route for episode in episodes for leg in episode.legs if isinstance(leg.goal, Reach)]
    assert np.mean([len(route) for route in routes]) == pytest.approx(33.7)
    assert {episode.start.look for episode in episodes} == {Direction(0)}


def test_map2seq_starts_face_the_route(real_data: Path) -> None:
    street = read_street_graph(real_data / "touchdown")
    for name in ("map2seq/seen_dev", "map2seq/unseen_dev"):
        for episode in loaded(name, real_data)[1]:
            goal = episode.legs[0].goal
            assert isinstance(goal, Reach)
            link = street.find_link(street.place_index(goal.route[0]), street.place_index(goal.route[1]))
            assert link is not None and street.heading[link] == episode.start.look.heading


def test_sdr_targets_lie_where_the_papers_have_them(real_data: Path) -> None:
    """Always pointing at the middle misses by about 795 pixels of 3712 x 800."""
    goals = [episode.legs[0].goal for episode in loaded("sdr/unseen_dev", real_data)[1]]
    points = [goal for goal in goals if isinstance(goal, Point)]
    assert len(points) == 2237
    x, y = to_equirectangular(
        [goal.direction.heading for goal in points],
        [goal.direction.pitch for goal in points],
        3712,
        800,
        [goal.yaw for goal in points],
    )
    assert np.hypot(x - 1856, y - 400).mean() == pytest.approx(795, abs=1)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("split", "accuracy", "distance", "count"), [("seen", 83.8, 11.1, 900), ("unseen", 85.6, 9.3, 978)]
)
def test_people_follow_refer360(real_data: Path, split: str, accuracy: float, distance: float, count: int) -> None:
    dataset, episodes = loaded(f"refer360/validation.{split}", real_data)
    targets = {episode.id: episode.legs[0].goal for episode in episodes}
    misses = []
    for trace in follower_traces(dataset):
        goal, answer = targets[trace.episode], trace.legs[0].answer
        assert isinstance(goal, Point) and isinstance(answer, Direction)
        misses.append(angle_between(goal.direction, answer))
        if goal.views:
            assert trace.legs[0].looks[-1] == goal.views[-1]
    assert len(misses) == count
    assert 100 * np.mean(np.array(misses) <= 11) == pytest.approx(accuracy, abs=0.05)
    assert np.mean(misses) == pytest.approx(distance, abs=0.05)


def test_arramon_walks_start_on_the_grid(real_data: Path) -> None:
    dataset, episodes = loaded("arramon/val_unseen", real_data)
    assert {round((episode.start.look.heading - 28.79325) % 30, 6) % 30 for episode in episodes} == {0}
    reasons = Counter(note.reason.partition(": ")[2] for note in dataset.notes)
    assert reasons == {
        "the walk only turns, so its heading cannot be inferred": 7,
        "the walk ends with its target out of reach": 17,
    }
    for episode in episodes:
        first, second = (leg.goal for leg in episode.legs[::2])
        assert isinstance(first, Collect) and isinstance(second, Collect)
        assert first.path[-1] == second.path[0]


def test_r2r_paths_are_as_long_as_they_say(real_data: Path) -> None:
    episodes = loaded("r2r/val_unseen", real_data)[1]
    assert len({episode.world for episode in episodes}) == 11
    assert len({episode.id.partition("_")[0] for episode in episodes}) == 783
    for episode in episodes:
        graph = read_matterport(real_data / "r2r" / "connectivity", episode.world.partition("/")[2])
        goal = episode.legs[0].goal
        assert isinstance(goal, Reach)
        assert route_length(graph, goal.route) == pytest.approx(episode.extra["distance"], abs=0.011)


@pytest.mark.slow
def test_statistics_stand_beside_the_papers(real_data: Path) -> None:
    rows = {(row["dataset"], row["statistic"]): row for row in stats(real_data, ["arramon/val_unseen", "r2r/train"])}
    assert rows["r2r/train", "tokens per text, mean"]["value"] == pytest.approx(29.3, abs=0.1)
    assert rows["r2r/train", "tokens per text, mean"]["paper"] == 29.3
    assert rows["r2r/train", "places per route, mean"]["value"] == pytest.approx(6.0, abs=0.01)
    for statistic, value in (
        ("assembly, moves, both turns, max", 8),
        ("assembly, moves, both turns, mean", 3.25),
        ("assembly, actions, both turns, max", 34),
        ("assembly, actions, both turns, mean", 13.37),
    ):
        assert rows["arramon/val_unseen", statistic]["value"] == pytest.approx(value, abs=0.01)
