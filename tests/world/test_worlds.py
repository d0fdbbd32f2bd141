from __future__ import annotations

import re
from pathlib import Path

import pytest

import bearleft
from bearleft.errors import InputError
from bearleft.world.worlds import WORLD_KINDS, is_world_of, open_world, world_kind

KINDS = "|".join(kind.name for kind in WORLD_KINDS)
NAME_TEST = re.compile(
    rf'world(?:\.name)?\.startswith\(\(?"(?:{KINDS})|graph\.name\.startswith'
    rf'|fullmatch\(r?"(?:{KINDS})/|world == "(?:{KINDS})'
)


def test_kinds_are_asked_instead_of_names() -> None:
    sources = Path(bearleft.__file__).parent
    files = [path for path in sources.rglob("*.py") if path.name != "worlds.py"]
    assert not [path for path in files if NAME_TEST.search(path.read_text())]


@pytest.mark.parametrize(
    ("name", "rendered", "buildable", "indoors", "has_graph"),
    [
        ("city/0/6x9", True, False, False, True),
        ("rooms/3", True, False, True, True),
        ("sections/0", True, False, False, True),
        ("town/0", False, True, False, True),
        ("touchdown", False, True, False, True),
        ("matterport/abc", False, False, True, True),
        ("refer360", False, False, False, False),
        ("arramon/7", False, False, False, False),
    ],
)
def test_world_kind(name: str, rendered: bool, buildable: bool, indoors: bool, has_graph: bool) -> None:
    kind = world_kind(name)
    assert kind.matches(name) and is_world_of(kind.name, name)
    assert (kind.rendered, kind.buildable, kind.indoors, kind.has_graph) == (rendered, buildable, indoors, has_graph)


@pytest.mark.parametrize("name", ["", "moon", "city/x", "town/0/1", "refer360", "arramon/1", "matterport/.."])
def test_unknown_worlds_are_errors(name: str) -> None:
    with pytest.raises(InputError, match="a world with places and links"):
        open_world(name)
