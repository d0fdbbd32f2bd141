from __future__ import annotations

import json
import math
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bearleft.errors import InputError
from bearleft.experiments.ndtw.study import (
    COMPARISONS,
    QUERIES_PER_SET,
    SETS_PER_STUDY,
    TABLE_1,
    PathSet,
    Ranking,
    edge_lengths,
    environment,
    path_sets,
    published_rows,
    random_path,
    read_rankings,
    sign_test_p,
    sign_test_rows,
    spearman,
)
from bearleft.experiments.ndtw.study_figures import draw_set, figure_3, write_study
from bearleft.experiments.ndtw.warping import ALIGNMENT_COLOUR, draw_warping, figure_1
from bearleft.geometry import Floats
from bearleft.metrics import EUCLIDEAN
from bearleft.world.graphs.graph import Graph
from bearleft.world.maps.map import REFERENCE, WALKED


@pytest.fixture(scope="module")
def sets() -> list[PathSet]:
    return [*islice(path_sets("unconstrained"), 6), *islice(path_sets("success-constrained"), 12)]


def test_environment_matches_the_paper() -> None:
    graph = environment(np.random.default_rng(0))
    assert len(graph) == 225
    corner = np.array([[float(v) for v in place.split(".")] for place in graph.ids])
    assert np.abs(graph.positions[:, :2] - corner).max() <= 0.3
    distances = np.linalg.norm(graph.positions[:, None] - graph.positions[None], axis=-1)
    linked = np.zeros(distances.shape, bool)
    linked[graph.source, graph.target] = True
    np.testing.assert_array_equal(linked, (distances <= 1.4) & (distances > 0))


def test_paths_follow_links() -> None:
    rng = np.random.default_rng(1)
    graph = environment(rng)
    for _ in range(20):
        path = random_path(graph, rng)
        graph.check_route(path)
        assert 7 <= len(path) <= 21  # a shortest path in metres may have more links than the fewest


def test_paths_do_not_start_at_isolated_nodes() -> None:
    """Nodes stray by up to 0.3, so that one may have no other within 1.4."""
    chain = [0, 1, 2, 3]
    where = [[float(x), 0.0, 0.0] for x in (*chain, 50, 60, 70, 80)]
    links = [(a, b) for a in chain for b in chain if abs(a - b) == 1]
    source, target = [a for a, _ in links], [b for _, b in links]
    graph = Graph.make("lonely", list("abcdefgh"), where, source, target, [90.0 if a < b else 270.0 for a, b in links])
    rng = np.random.default_rng(0)
    assert {random_path(graph, rng)[0] for _ in range(60)} == set("abcd")


def test_stops_are_joined_by_shortest_paths_in_metres() -> None:
    """A path is three to five segments, each a shortest path in metres between nodes two or three links apart."""
    rng = np.random.default_rng(2)
    for _ in range(10):
        graph = environment(rng)
        distances = floyd_warshall(graph)
        for _ in range(6):
            path = [graph.place_index(place) for place in random_path(graph, rng)]
            walked = np.concatenate([[0], np.cumsum([edge(graph, a, b) for a, b in pairwise(path)])])
            cuts = {0: {0}}  # where a segment may end, and after how many segments
            for end in range(1, len(path)):
                for begin in list(cuts):
                    first_place, last_place = path[begin], path[end]
                    shortest = math.isclose(
                        walked[end] - walked[begin], distances[first_place, last_place], rel_tol=1e-9
                    )
                    if shortest and graph.hops.between(first_place, last_place) in (2, 3):
                        cuts.setdefault(end, set()).update(count + 1 for count in cuts[begin])
            assert cuts.get(len(path) - 1, set()) & {3, 4, 5}


def edge(graph: Graph, source: int, target: int) -> float:
    return float(np.linalg.norm(graph.positions[source] - graph.positions[target]))


def floyd_warshall(graph: Graph) -> Floats:
    """All shortest distances, by three plain loops (two of them numpy's)."""
    distances = np.full((len(graph), len(graph)), np.inf)
    np.fill_diagonal(distances, 0.0)
    for source, target in zip(graph.source.tolist(), graph.target.tolist(), strict=True):
        distances[source, target] = edge(graph, source, target)
    for via in range(len(graph)):
        distances = np.minimum(distances, distances[:, via, None] + distances[None, via, :])
    return distances


def test_sets(sets: list[PathSet]) -> None:
    for path_set in sets:
        assert len(set(path_set.queries)) == QUERIES_PER_SET
        assert {query[0] for query in path_set.queries} == {path_set.reference[0]}
        assert path_set.threshold == pytest.approx(1.33 * edge_lengths(path_set.graph).mean())
    ends = [path_set.scores()["SR"] for path_set in sets if path_set.study == "success-constrained"]
    assert 0.3 < np.mean(ends) < 0.7
    repeated = next(iter(path_sets("unconstrained")))
    assert repeated.to_json() == sets[0].to_json() and repeated.graph.hash == sets[0].graph.hash
    assert next(iter(path_sets("unconstrained", seed=1))).to_json() != sets[0].to_json()
    with pytest.raises(InputError, match="a study"):
        next(path_sets("other"))


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=6))
def test_spearman_equals_scipy(pairs: list[tuple[int, int]]) -> None:
    first, second = zip(*pairs, strict=True)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert spearman(first, second) == 0
    else:
        assert spearman(first, second) == pytest.approx(stats.spearmanr(first, second).statistic)


@settings(deadline=None)
@given(st.integers(0, 300), st.integers(0, 300))
def test_sign_test_equals_scipy(positive: int, negative: int) -> None:
    if positive + negative:
        p = stats.binomtest(positive, positive + negative).pvalue
        assert sign_test_p(positive, negative) == pytest.approx(p, rel=1e-9)


def test_table_1_and_its_misprint() -> None:
    rows = {row["row"].split()[2].rstrip(","): row for row in published_rows()}
    assert set(rows) == set(TABLE_1)
    for rival, row in rows.items():
        if rival == "AD":
            assert row["ours"] == pytest.approx(3.6e-60, rel=0.01) and "misprint" in row["remark"]
        else:
            assert row["ours"] == pytest.approx(row["paper"], rel=0.05) and not row["remark"]


def test_ranking_by_ndtw_agrees_with_it(sets: list[PathSet]) -> None:
    rankings = []
    for path_set in sets:
        first = path_set.scores()[COMPARISONS[path_set.study][0]]
        order = np.argsort(np.argsort(-first)) + 1
        rankings.append(Ranking(path_set.id, "r1", tuple(int(place) for place in order)))
    rows = {(row["metric"], row["against"]): row for row in sign_test_rows(sets, rankings)}
    assert set(rows) == {(first, rival) for first, rivals in COMPARISONS.values() for rival in rivals}
    for (first, _), row in rows.items():
        count = sum(COMPARISONS[path_set.study][0] == first for path_set in sets)
        assert row["positive"] + row["negative"] + row["ties"] == count
        if first == "nDTW":
            assert row["negative"] == 0
    assert rows["nDTW", "NE"]["positive"] >= 4
    with pytest.raises(InputError, match="sets of this seed"):
        sign_test_rows(sets, [Ranking("unknown", "r1", (1, 2, 3, 4, 5))])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "an empty file"),
        ("{", "in JSON"),
        ('{"set": "a", "rater": "r", "places": [1, 2, 3, 4]}', "places: expected a list of 5"),
        ('{"set": "a", "rater": "r", "places": [1, 2, 3, 4, 6]}', r"places\[4\]: expected a number from 1 to 5, got 6"),
        ('{"set": "a", "places": [1, 2, 3, 4, 5]}', "a field rater"),
    ],
)
def test_invalid_rankings_are_rejected(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "rankings.jsonl"
    path.write_text(line)
    with pytest.raises(InputError, match=message):
        read_rankings(path)


def test_rankings(tmp_path: Path) -> None:
    path = tmp_path / "rankings.jsonl"
    path.write_text('{"set": "a", "rater": "r", "places": [1, 2, 2, 4, 5]}\n')
    assert read_rankings(path) == [Ranking("a", "r", (1, 2, 2, 4, 5))]


def test_questionnaire_is_written_and_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SETS_PER_STUDY, "unconstrained", 2)
    monkeypatch.setitem(SETS_PER_STUDY, "success-constrained", 1)
    progress_calls: list[int] = []
    write_study(tmp_path, progress=lambda _, done, __: progress_calls.append(done))
    pictures = sorted((tmp_path / "pictures").iterdir())
    assert [p.stem for p in pictures] == ["success-constrained-000", "unconstrained-000", "unconstrained-001"]
    rows = [json.loads(line) for line in (tmp_path / "sets.jsonl").read_text().splitlines()]
    assert len(rows) == 3 and progress_calls == [1, 2, 3]
    stored = pictures[0].stat().st_mtime_ns
    pictures[1].unlink()
    write_study(tmp_path)
    assert pictures[0].stat().st_mtime_ns == stored and pictures[1].exists()


def test_figure_1_draws_the_optimal_warping() -> None:
    assert figure_1(size=120).size == (2 * 128 - 8, 150)
    path, reference = [[0.0, 0.0], [4.0, 0.0]], [[0.0, 3.0], [4.0, 3.0]]
    picture = np.asarray(draw_warping(path, reference, EUCLIDEAN, size=200)).astype(int)

    def drawn(colour: tuple[int, int, int]) -> npt.NDArray[np.int64]:
        """Rows and columns of pixels of about this colour."""
        return np.argwhere(np.abs(picture - np.array(colour)).max(axis=2) < 30)

    blue, orange, dashed = drawn(REFERENCE), drawn(WALKED), drawn(ALIGNMENT_COLOUR)
    assert blue[:, 0].mean() < dashed[:, 0].mean() < orange[:, 0].mean()  # between the two lines
    assert len({column // 20 for column in dashed[:, 1]}) == 2  # one aligns the first points, one the last
    with pytest.raises(InputError, match="points of a plane"):
        draw_warping([0, 1], [0, 1], np.zeros((2, 2)))


def test_pictures(sets: list[PathSet]) -> None:
    assert draw_set(sets[0], 100).size == (5 * 108 - 8, 130)
    assert figure_3(pairs=3, size=64).size == (3 * 72 - 8, 94)
