from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from bearleft.errors import InputError
from bearleft.world.graphs.grid import street_grid
from bearleft.world.graphs.touchdown import read_street_graph, write_street_graph

NODES = "a,117,40.742253,-73.991273\nb,10,40.742299,-73.991389\n"
LINKS = "a,297,b\nb,118,a\n"


def _write(folder: Path, nodes: str = NODES, links: str = LINKS) -> Path:
    (folder / "nodes.txt").write_text(nodes)
    (folder / "links.txt").write_text(links)
    return folder


def test_reading_and_writing(tmp_path: Path) -> None:
    graph = read_street_graph(_write(tmp_path))
    assert graph.ids == ("a", "b") and graph.yaw.tolist() == [117, 10] and graph.heading.tolist() == [297, 118]
    assert graph.metres.between(0, 1) == pytest.approx(11.0, abs=0.1)
    write_street_graph(graph, tmp_path / "copy")
    assert (tmp_path / "copy" / "nodes.txt").read_text() == NODES
    assert (tmp_path / "copy" / "links.txt").read_text() == LINKS


def test_a_generated_town_survives(tmp_path: Path) -> None:
    town = street_grid(np.random.default_rng(2), 3, 3)
    write_street_graph(town, tmp_path)
    back = read_street_graph(tmp_path, "grid")
    assert back.ids == town.ids
    np.testing.assert_array_equal(back.target, town.target)
    np.testing.assert_allclose(back.heading, town.heading)
    offset = back.positions - town.positions
    np.testing.assert_allclose(offset - offset[0], 0, atol=0.2)


def test_an_edited_file_is_read_anew(tmp_path: Path) -> None:
    read_street_graph(_write(tmp_path))
    _write(tmp_path, links="a,297,b\n")
    assert len(read_street_graph(tmp_path).source) == 1


@pytest.mark.parametrize(
    ("nodes", "links", "message"),
    [
        ("", LINKS, r"nodes.txt: expected lines of panoid,yaw,lat,lng, got an empty file"),
        ("a,1,2\n", LINKS, r"nodes.txt:1: expected panoid,yaw,lat,lng, got"),
        ("a,north,40,-73\n", LINKS, r"nodes.txt:1, field yaw: expected a number from -360 to 360, got \"north\""),
        ("a,nan,40,-73\n", LINKS, r"nodes.txt:1, field yaw: .*nan"),
        ("a,1,91,-73\n", LINKS, r"nodes.txt:1, field lat: expected a number from -90 to 90, got \"91\""),
        (NODES + "a,1,40,-73\n", LINKS, r"nodes.txt:3, field panoid: expected each panorama once, got a again"),
        (NODES, "a,297,b\na,3,z\n", r"links.txt:2, field panoid: expected a panorama of nodes.txt, got \"z\""),
        (NODES, "a,297,b\na,297,b\n", r"links.txt:2, field panoid: .*a to b again"),
        (NODES, "a,297,a\n", r"a link to itself"),
        (NODES, "a,297\n", r"links.txt:1: expected panoid,heading,panoid"),
        (NODES, "", r"links.txt: .*an empty file"),
    ],
)
def test_broken_lines_are_named(tmp_path: Path, nodes: str, links: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_street_graph(_write(tmp_path, nodes, links))


def test_files_that_are_missing_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected the street graph's nodes.txt, got nothing there"):
        read_street_graph(tmp_path)
    _write(tmp_path)
    (tmp_path / "nodes.txt").write_bytes(b"a,1,40,-73\n\xff\xfe,1,2,3\n")
    with pytest.raises(InputError, match="UTF-8"):
        read_street_graph(tmp_path)


@pytest.mark.slow
def test_the_real_street_graph(real_data: Path) -> None:
    graph = read_street_graph(real_data / "touchdown")
    assert len(graph) == 29_641 and len(graph.source) == 61_319
    assert Counter(graph.degree.tolist()) == {1: 214, 2: 28_056, 3: 496, 4: 870, 5: 5}
    one_way = sum(not graph.has_link(b, a) for a, b in zip(graph.source.tolist(), graph.target.tolist(), strict=True))
    assert one_way == 3
    assert (graph.hops(0) >= 0).all()
