"""Each named convention equals its program's formulas, and gives its own value on one fixed set of walks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.metrics import conventions
from bearleft.metrics.conventions import CONVENTIONS, compare_conventions, format_table, score_walks
from bearleft.metrics.fastdtw import FAST_METRICS
from bearleft.metrics.walks import Walks, make_walks, random_walks
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.grid import street_grid
from tests.metrics import slow_reference as slow
from tests.metrics.slow_conventions import SLOW, One

TOWN = street_grid(np.random.default_rng(0), avenues=4, streets=4, step=20.0)


def wander_from(seed: int, count: int, error_rate: float = 0.25) -> tuple[Walks, list[float]]:
    """Random walks whose start headings lie on no link, as Touchdown's do."""
    rng = np.random.default_rng(seed)
    walks = random_walks(TOWN, rng, count, error_rate=error_rate, horizon=40)
    ids = TOWN.ids
    starts = rng.integers(0, 360, count).astype(float).tolist()
    return (
        make_walks(
            TOWN,
            [[ids[p] for p in path] for path in walks.paths],
            [[ids[p] for p in route] for route in walks.routes],
            starts,
            walks.end_headings.tolist(),
            walks.stopped.tolist(),
            [[ids[p] for p in alternative_goals] for alternative_goals in walks.alternative_goals],
        ),
        starts,
    )


def test_every_convention_has_a_slow_version() -> None:
    assert list(SLOW) == list(CONVENTIONS)
    assert all(name == convention.name for name, convention in CONVENTIONS.items())


@pytest.mark.parametrize("name", CONVENTIONS)
@settings(deadline=None, max_examples=12)
@given(seed=st.integers(0, 2**32))
def test_every_convention_equals_its_slow_version(name: str, seed: int) -> None:
    walks, starts = wander_from(seed, 4)
    found = score_walks(walks, name)
    expected = [SLOW[name](One(walks, k, start)) for k, start in enumerate(starts)]
    assert set(found) == set(expected[0])
    for key, values in found.items():
        np.testing.assert_allclose(values, [row[key] for row in expected], rtol=1e-9, atol=1e-12, err_msg=key)


@pytest.mark.parametrize("name", CONVENTIONS)
def test_fastdtw_is_added_where_a_convention_has_ndtw(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    walks, starts = wander_from(5, 100, error_rate=0.9)
    exact, both = score_walks(walks, name), score_walks(walks, name, fastdtw=True)
    assert set(both) - set(exact) == (set(FAST_METRICS) if "nDTW" in exact else set())
    for key, values in exact.items():
        np.testing.assert_array_equal(both[key], values, err_msg=key)
    if "nDTW" in exact:
        assert (both["nDTW-fast"] <= exact["nDTW"] + 1e-12).all() and (both["nDTW-fast"] < exact["nDTW"] - 1e-9).any()
        # The program's own formulas, with FastDTW in the place of DTW.
        monkeypatch.setattr(slow, "dtw", lambda Q, R, d: slow.fastdtw(Q, R, d, 1)[0])  # noqa: N803
        expected = [SLOW[name](One(walks, k, start)) for k, start in enumerate(starts)]
        for fast in FAST_METRICS:
            slowly = [row[fast.removesuffix("-fast")] for row in expected]
            np.testing.assert_allclose(both[fast], slowly, rtol=1e-9, atol=1e-12)


@pytest.fixture(scope="module")
def street() -> Graph:
    """Places a to e, 2 m apart along a bending street, with short cuts from a to c and from b to d."""
    where = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [4.0, 2.0, 0.0], [6.0, 2.0, 0.0]]
    links = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 2), (1, 3)]
    source = [a for a, _ in links] + [b for _, b in links]
    target = [b for _, b in links] + [a for a, _ in links]
    there = [90, 0, 90, 90, 45, 45]
    return Graph.make("street", list("abcde"), where, source, target, there + [h + 180 for h in there])


def test_each_convention_gives_its_own_value(street: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    walks = make_walks(
        street,
        # With turns. The third exchanges b and c, the fourth did not stop, the last did so far too early.
        [list("aabbccde"), list("abbccd"), list("aacbde"), list("aabbcde"), list("abcbbcde"), list("aab")],
        [list("abcde")] * 6,
        [0.0] * 6,
        stopped=[True, True, True, False, True, True],
    )
    rows = compare_conventions(walks)
    print(format_table(rows))
    printed = capsys.readouterr().out
    assert all(name in printed for name in CONVENTIONS)
    by_name = {str(row["convention"]): row for row in rows}

    def own(column: str) -> None:
        # r4r is the nDTW paper without SED.
        values = {k: row[column] for k, row in by_name.items() if row[column] is not None and k != "ndtw-paper"}
        assert len(set(values.values())) == len(values), (column, values)

    for column in ("nDTW", "SDTW", "CLS", "KPA", "SED"):
        own(column)
    assert by_name["r4r"]["nDTW"] == by_name["ndtw-paper"]["nDTW"]
    assert by_name["ndtw-paper"]["SED"] not in {row["SED"] for k, row in by_name.items() if k != "ndtw-paper"}
    assert by_name["ciff"]["TC"] != by_name["paper"]["TC"] == by_name["valan"]["TC"]
    assert by_name["r4r"]["SR"] != by_name["vln-ce"]["SR"]
    assert by_name["r4r"]["SED"] is None and by_name["velma"]["nDTW"] is None


def test_by_hand(street: Graph) -> None:
    one = make_walks(street, [list("aacbd")], [list("abcd")], [0.0])
    # a, c, b, d for a, b, c, d: two changes, or one exchange.
    assert score_walks(one, "paper")["SED"][0] == 1 - 2 / 4
    assert score_walks(one, "vln-transformer")["SED"][0] == 1 - 1 / 4
    assert score_walks(one, "ndtw-paper")["SED"][0] == 0  # none of the moves ac, cb, bd is one of ab, bc, cd
    assert score_walks(one, "ciff")["SED"][0] == 2
    # DTW over hops is 2: c for b and b for c.
    assert score_walks(one)["nDTW"][0] == pytest.approx(np.exp(-2 / 4))
    assert score_walks(one, "vln-transformer")["nDTW"][0] == pytest.approx(np.exp(-2 / (2 * np.sqrt(4))))


def test_the_bear_may_be_seen_from_beside_in_ciff(street: Graph) -> None:
    names = [list("abcd"), list("abcd")]
    walks = make_walks(street, names, [list("abcde")] * 2, [0.0] * 2, alternative_goals=[["d"], []])
    assert score_walks(walks, "ciff")["TC"].tolist() == [1, 0]
    assert score_walks(walks, "paper")["TC"].tolist() == [1, 1]


def test_turns_count_in_the_error_of_ciff(street: Graph) -> None:
    walks = make_walks(street, [list("abcd")] * 2, [list("abcde")] * 2, [0.0] * 2, end_headings=[90.0, 270.0])
    assert score_walks(walks, "ciff")["NE"].tolist() == [1, 2]  # forward; or a turn to the right, and forward
    assert score_walks(walks, "ciff")["SPD"].tolist() == [1, 1]


def test_turns_and_stops_are_states_in_valan(street: Graph) -> None:
    walks = make_walks(street, [list("aabcd")], [list("abcd")], [90.0])
    # Along a-b one arrives at b looking to d, and turns left to c, where the street goes on to the right.
    assert [street.ids[p] for p in walks.reference_states[0]] == list("abbcd")
    found = score_walks(walks, "valan")
    # aabcd and d once more for stopping, beside abbcd and d: nothing between them, two edits.
    assert found["nDTW"][0] == 1
    assert found["SED"][0] == pytest.approx(1 - 1 / (6 * 6))


def test_success_needs_a_stop_in_vln_ce(street: Graph) -> None:
    walks = make_walks(street, [list("abcd")] * 2, [list("abcd")] * 2, [0.0] * 2, stopped=[True, False])
    assert score_walks(walks, "vln-ce")["SR"].tolist() == [1, 0]
    assert score_walks(walks, "r4r")["SR"].tolist() == [1, 1]


def test_large_graphs_are_scored_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    walks, _ = wander_from(5, 70)
    whole = {name: score_walks(walks, name) for name in CONVENTIONS}
    monkeypatch.setattr(conventions, "MAX_PLACES_IN_MEMORY", 10)
    for name in CONVENTIONS:
        for key, values in score_walks(walks, name).items():
            np.testing.assert_allclose(values, whole[name][key], rtol=1e-12, err_msg=f"{name} {key}")


def test_mistakes_are_named() -> None:
    walks, _ = wander_from(1, 1)
    with pytest.raises(InputError, match=r"Did you mean valan\?"):
        score_walks(walks, "vallan")
    a, b = TOWN.ids[0], TOWN.ids[5]
    with pytest.raises(InputError, match=r"field routes\[0\]\[1\]"):
        make_walks(TOWN, [[a]], [[a, b]], [0.0])
    with pytest.raises(InputError, match="a place of the world grid"):
        make_walks(TOWN, [["nowhere"]], [[a]], [0.0])
    with pytest.raises(InputError, match=r"field paths\[0\]: expected a path of at least one place"):
        make_walks(TOWN, [[]], [[a]], [0.0])
    with pytest.raises(InputError, match="1 routes, one for each walk"):
        make_walks(TOWN, [[a]], [], [0.0])
