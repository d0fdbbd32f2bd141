"""The table of links against plain Python, one link at a time."""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from bearleft.geometry import angular_distance  # noqa: E402
from bearleft.models.panoramic.links import DIRECTION_DIM, DISTANCE_UNIT, STOP, LinkTable, view_directions  # noqa: E402
from bearleft.models.panoramic.views import VIEW_COUNT, PanoramaViews, nearest_view  # noqa: E402
from tests.models.panoramic.random_walks import random_graph  # noqa: E402

CPU = torch.device("cpu")


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.booleans())
def test_observations_and_steps_equal_plain_python(seed: int, with_views: bool) -> None:
    rng = np.random.default_rng(seed)
    graphs = [random_graph(rng, f"world{k}", int(rng.integers(3, 8)), bool(k)) for k in range(3)]
    views = None
    if with_views:
        features = torch.from_numpy(rng.normal(0.0, 1.0, (sum(map(len, graphs)), VIEW_COUNT, 3))).half()
        views = PanoramaViews(features, "")
    table = LinkTable.build(graphs, CPU, views)
    options = 1 + max(int(graph.degree.max()) for graph in graphs)
    walkers = [(k, int(rng.integers(len(graph))), float(rng.uniform(-400, 400))) for k, graph in enumerate(graphs)] * 2
    offsets = np.cumsum([0, *map(len, graphs)])
    places = torch.tensor([int(offsets[world]) + place for world, place, _ in walkers])
    headings = torch.tensor([heading for *_, heading in walkers])
    seen = table.observe(places, headings)
    assert seen.options.shape == (len(walkers), options, DIRECTION_DIM + table.view_dim)
    assert table.world[places].tolist() == [world for world, *_ in walkers]
    assert table.place_in_world(places).tolist() == [place for _, place, _ in walkers]
    taken = torch.tensor([int(rng.integers(1 + graphs[world].degree[place])) for world, place, _ in walkers])
    after, looking = table.step(places, headings, taken)
    for k, (world, place, heading) in enumerate(walkers):
        graph, links = graphs[world], graphs[world].links(place)
        assert seen.mask[k].tolist() == [True] * (1 + len(links)) + [False] * (options - 1 - len(links))
        assert not seen.options[k, STOP].any() and not seen.options[k, 1 + len(links) :].any()
        for option, link in enumerate(links, 1):
            step = graph.positions[graph.target[link]] - graph.positions[place]
            up = np.arctan2(step[2], np.hypot(step[0], step[1]))
            turn = radians(graph.heading[link] - heading)
            expected = [sin(turn), cos(turn), sin(up), cos(up), float(np.linalg.norm(step)) / DISTANCE_UNIT]
            if views is not None:
                away = [
                    float(angular_distance(graph.heading[link], np.degrees(up), v % 12 * 30, (v // 12 - 1) * 30))
                    for v in range(VIEW_COUNT)
                ]
                nearest = away.index(min(away))
                expected += views.features[int(places[k]), nearest].float().tolist()
            np.testing.assert_allclose(seen.options[k, option].numpy(), expected, atol=2e-5)
        option = int(taken[k])
        target = place if option == STOP else int(graph.target[links[option - 1]])
        assert int(after[k]) == offsets[world] + target
        expected_heading = heading if option == STOP else graph.heading[links[option - 1]]
        assert float(looking[k]) == pytest.approx(expected_heading, abs=1e-4)
        if views is not None:
            assert seen.views is not None
            around = seen.views[k].numpy()
            np.testing.assert_array_equal(around[:, :3], views.features[int(places[k])].float().numpy())
            for v in range(VIEW_COUNT):
                turn, up = radians(v % 12 * 30 - heading), radians((v // 12 - 1) * 30)
                np.testing.assert_allclose(around[v, 3:], [sin(turn), cos(turn), sin(up), cos(up)], atol=2e-5)


def test_leading_shapes_are_kept() -> None:
    graph = random_graph(np.random.default_rng(0), "world", 5)
    table = LinkTable.build([graph], CPU)
    places, headings = torch.tensor([[0, 1, 2], [3, 4, 0]]), torch.zeros(2, 3)
    seen, flat = table.observe(places, headings), table.observe(places.flatten(), headings.flatten())
    assert torch.equal(seen.options.flatten(0, 1), flat.options) and torch.equal(seen.mask.flatten(0, 1), flat.mask)
    assert view_directions(headings).shape == (2, 3, VIEW_COUNT, 4)


def test_nearest_views() -> None:
    assert nearest_view([0, 44, 46, 350, 90], [0, 0, 10, 40, -80]).tolist()[:4] == [12, 13, 14, 24]
    assert nearest_view(90, -80) == 3
