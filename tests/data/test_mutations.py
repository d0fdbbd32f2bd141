"""Tests with thousands of mutated lines: each is refused with an InputError, or loaded as the line says.

Loaded episodes are compared with those of `slow_reference.py`, and written back and compared with the line.
"""

from __future__ import annotations

import json
import pickle
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest

from bearleft.data import DATASETS, load, open_dataset, read, write
from bearleft.errors import InputError
from tests.data import slow_reference
from tests.data.sample_files import NAMES
from tests.sizes import sized

KINDS = [*DATASETS, "jsonl"]
LINES = ("touchdown", "touchdown-complete", "sdr", "map2seq", "jsonl")
ROUTES = {
    "touchdown": "route_panoids",
    "touchdown-complete": "route_panoids",
    "map2seq": "route_panoids",
    "r2r": "path",
    "r4r": "path",
}
Links = set[tuple[str, str]]
Rng = random.Random
# Expected outcome of a mutation: an error, the same episodes as before, or those of the mutated row.
FAIL, SAME, ANY = "fail", "same", "any"
MARK = "@mark@"


@dataclass
class Case:
    """A row to mutate."""

    row: Any
    kind: str
    links: Links
    rng: Rng


Mutation = Callable[[Case], tuple[str, str]]


def _random_entry(row: Any, rng: Rng) -> tuple[Any, Any]:
    """Return the container and key of a random entry, with equal probability for each depth."""
    value, entries = row, []
    while isinstance(value, dict | list) and value:
        key = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
        entries.append((value, key))
        value = value[key]
    return rng.choice(entries)


def _random_leaf(row: Any, rng: Rng, *types: type) -> tuple[Any, Any]:
    """Return the container and key of a random entry that is neither list nor object."""
    for _ in range(1000):
        container, key = _random_entry(row, rng)
        if isinstance(container[key], types or (str, int, float, bool, type(None))):
            return container, key
    raise AssertionError(f"no leaf of {types}")


def _replace_leaf(row: Any, rng: Rng, text: str) -> str:
    container, key = _random_leaf(row, rng)
    container[key] = MARK
    return json.dumps(row).replace(f'"{MARK}"', text)


def drop(case: Case) -> tuple[str, str]:
    container, key = _random_entry(case.row, case.rng)
    del container[key]
    return json.dumps(case.row), ANY


def rename(case: Case) -> tuple[str, str]:
    container, key = _random_entry(case.row, case.rng)
    if isinstance(container, dict):
        container[f"{key}_"] = container.pop(key)
    return json.dumps(case.row), ANY


def retype(case: Case) -> tuple[str, str]:
    container, key = _random_entry(case.row, case.rng)
    container[key] = case.rng.choice(
        [None, True, "", "word", 0, -1, 2.5, 1e300, [], {}, [[]], [container[key]], -(10**400)]
    )
    return json.dumps(case.row), ANY


def swap(case: Case) -> tuple[str, str]:
    (first, a), (second, b) = _random_leaf(case.row, case.rng), _random_leaf(case.row, case.rng)
    first[a], second[b] = second[b], first[a]
    return json.dumps(case.row), ANY


def stretch(case: Case) -> tuple[str, str]:
    if "refexp" not in case.row and case.kind in ("touchdown", "touchdown-complete", "sdr", "map2seq"):
        return json.dumps(case.row | {"start_heading": case.rng.choice([-720.5, 1e9, 361])}), ANY
    container, key = _random_leaf(case.row, case.rng, int, float)
    container[key] *= case.rng.choice([-1, 1000, 1e-3, 1e200])
    return json.dumps(case.row), ANY


def truncate(case: Case) -> tuple[str, str]:
    text = json.dumps(case.row)
    return text[: case.rng.randrange(1, len(text))], FAIL


def flip(case: Case) -> tuple[str, str]:
    raw = bytearray(json.dumps(case.row, ensure_ascii=False).encode())
    for _ in range(case.rng.randint(1, 3)):
        raw[case.rng.randrange(len(raw))] = case.rng.choice(
            [case.rng.randrange(256), ord("0"), ord("9"), ord('"'), ord(" ")]
        )
    return raw.decode("utf-8", "surrogateescape"), ANY


def not_finite(case: Case) -> tuple[str, str]:
    return _replace_leaf(
        case.row, case.rng, case.rng.choice(["NaN", "Infinity", "-Infinity", "1e400", "-1e999", "1" * 5000])
    ), FAIL


def nest_deeply(case: Case) -> tuple[str, str]:
    depth = 20_000
    return _replace_leaf(case.row, case.rng, "[" * depth + "]" * depth), FAIL


def surrogate(case: Case) -> tuple[str, str]:
    return _replace_leaf(case.row, case.rng, case.rng.choice(['"\\ud800"', '"a\\udfffb"', '["\\udc00\\ud800"]'])), FAIL


def repeat_field(case: Case) -> tuple[str, str]:
    name = case.rng.choice(list(case.row))
    return f"{{{json.dumps(name)}: {json.dumps(case.row[name])}, {json.dumps(case.row)[1:]}", FAIL


def unknown_place(case: Case) -> tuple[str, str]:
    if case.kind not in ROUTES:
        return json.dumps(case.row), SAME
    route = case.row[ROUTES[case.kind]]
    route[case.rng.randrange(len(route))] = "no such place"
    return json.dumps(case.row), FAIL


def missing_link(case: Case) -> tuple[str, str]:
    if case.kind not in ROUTES:
        return json.dumps(case.row), SAME
    route = case.row[ROUTES[case.kind]]
    if case.rng.random() < 0.5:
        case.rng.shuffle(route)
    else:
        del route[case.rng.randrange(len(route))]
    broken = any(pair not in case.links for pair in pairwise(route)) or not route
    return json.dumps(case.row), FAIL if broken else ANY


def bad_click(case: Case) -> tuple[str, str]:
    view = case.rng.choice(["pre", "main", "post"])
    if case.kind not in ("sdr", "touchdown-complete"):
        return json.dumps(case.row), SAME
    case.row[f"{view}_static_center"] = case.rng.choice(
        [
            *('{"x":NaN,"y":0.5}', '{"x":1e400,"y":0}', '{"x":2,"y":0.5}', '{"y":0.5}', "", "{", "[0.5,0.5]", "0.5"),
            *('{"x":"0.5","y":0.5}', '{"x":0.5,"y":0.5,"x":0.1}', '{"x":-1,"y":0.5}', '{"x":0.5,"y":-1}', "null"),
        ]
    )
    return json.dumps(case.row), FAIL if case.kind == "sdr" or view == "main" else ANY


def reorder(case: Case) -> tuple[str, str]:
    names = list(case.row)
    case.rng.shuffle(names)
    return json.dumps({name: case.row[name] for name in names}), SAME


def respace(case: Case) -> tuple[str, str]:
    separators = case.rng.choice([(",", ":"), (" , ", " : "), (",\t", ":  ")])
    return json.dumps(case.row, ensure_ascii=case.rng.random() < 0.5, separators=separators) + case.rng.choice(
        ["", " ", "\r"]
    ), SAME


def add(case: Case) -> tuple[str, str]:
    case.row[f"field {case.rng.random()}"] = case.rng.choice([None, 1, "word", [1.5, {"a": []}]])
    return json.dumps(case.row), FAIL if case.kind == "jsonl" else SAME


MUTATIONS: list[Mutation] = [
    *(drop, rename, retype, swap, stretch, truncate, flip, flip, not_finite, nest_deeply, surrogate, repeat_field),
    *(unknown_place, missing_link, bad_click, reorder, respace, add),
]


def read_rows(name: str, data: Path, folder: Path) -> list[Any]:
    """Return rows of a dataset's file."""
    kind = name.partition("/")[0]
    if kind == "r4r":
        episodes = list(islice(open_dataset(name, data), 400))
        last = episodes[-1].id.partition("_")[0]  # perhaps cut off
        write("r4r", [e for e in episodes if e.id.partition("_")[0] != last], folder / "r4r.json")
        return list(json.loads((folder / "r4r.json").read_text()))
    path = open_dataset(name, data).path
    assert path is not None
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()] if kind in LINES else list(json.loads(text))


def read_links(data: Path) -> Links:
    """Return the links of all graphs."""
    links = set()
    for line in (data / "touchdown" / "links.txt").read_text().splitlines():
        source, _, target = line.split(",")
        links.add((source, target))
    for path in (data / "r2r" / "connectivity").glob("*.json"):
        places = json.loads(path.read_text())
        for place in places:
            for target, clear in zip(places, place["unobstructed"], strict=True):
                if clear and place["included"] and target["included"]:
                    links.add((place["image_id"], target["image_id"]))
    return links


def count_outcomes(names: dict[str, str], data: Path, folder: Path, count: int) -> Counter[str]:
    """Mutate `count` rows of all formats and count the outcomes."""
    links = read_links(data)
    yaws = slow_reference.read_yaws(data)
    outcomes: Counter[str] = Counter()
    rows = {kind: read_rows(name, data, folder) for kind, name in names.items()}
    rows["jsonl"] = [e.to_json() for name in names.values() for e in islice(open_dataset(name, data), 8)]
    for k in range(count):
        rng = Rng(k)
        kind = KINDS[k % len(KINDS)]
        row = rng.choice(rows[kind])
        mutation = MUTATIONS[k // len(KINDS) % len(MUTATIONS)]
        text, verdict = mutation(Case(pickle.loads(pickle.dumps(row)), kind, links, rng))
        path = folder / "row"
        content = (
            text + "\n" if kind in LINES else f"[{text}]" if verdict != FAIL or mutation != truncate else f"[{text}"
        )
        path.write_bytes(content.encode("utf-8", "surrogateescape"))
        outcomes[
            _outcome(kind, path, data, text, row, verdict, yaws, f"mutation {k}: {mutation.__name__} of {kind}")
        ] += 1
    return outcomes


def _outcome(
    kind: str, path: Path, data: Path, text: str, row: Any, verdict: str, yaws: dict[str, float], label: str
) -> str:
    dataset = read(f"{kind}/made", path, data)
    refused, episodes = None, []
    try:
        episodes = list(dataset)
    except InputError as error:
        refused = error
    if refused is not None:
        assert verdict != SAME, f"{label}: refused though harmless: {refused}"
        assert refused.file and refused.expected, f"{label}: says too little: {refused}"
        return "refused"
    assert verdict != FAIL, f"{label}: loaded though broken: {text[:2000]}"
    # Blank lines are not rows, and a line end splits a row.
    values = (
        [json.loads(line) for line in text.split("\n") if line.strip()] if kind in LINES else json.loads(f"[{text}]")
    )
    loaded = [{name: e[name] for name in ("id", "world", "start", "legs")} for e in (e.to_json() for e in episodes)]
    expected = [e for value in values for e in slow_reference.read(kind, value, yaws)]
    assert slow_reference.are_equal(loaded, expected), f"{label}: loaded {loaded}, but the line says {expected}"
    changed = not slow_reference.are_equal(loaded, slow_reference.read(kind, row, yaws))
    assert verdict != SAME or not changed, f"{label}: changed though harmless"
    if episodes and kind != "jsonl":
        back = path.with_name("back")
        write(kind, episodes, back)
        written = back.read_text()
        again = [json.loads(line) for line in written.splitlines()] if kind in LINES else json.loads(written)
        playable = [value for value in values if slow_reference.read(kind, value, yaws)]
        assert slow_reference.contains(again, playable), f"{label}: the line is not written back"
    return "visible" if changed else "harmless"


@pytest.mark.slow
def test_sample_rows(sample_data: Path, tmp_path: Path) -> None:
    outcomes = count_outcomes(NAMES, sample_data, tmp_path, 4 * len(KINDS) * len(MUTATIONS))
    assert sum(outcomes.values()) == 648
    assert set(outcomes) == {"refused", "visible", "harmless"}


@pytest.mark.slow
def test_thousands_of_real_rows(real_data: Path, tmp_path: Path) -> None:
    names = {
        "touchdown": "touchdown/unseen_dev",
        "touchdown-complete": "touchdown-complete/unseen_dev",
        "sdr": "sdr/unseen_dev",
        "map2seq": "map2seq/unseen_dev",
        "refer360": "refer360/validation.seen",
        "arramon": "arramon/val_unseen",
        "r2r": "r2r/val_unseen",
        "r4r": "r4r/val_unseen",
    }
    count = sized(1000, 5000)
    outcomes = count_outcomes(names, real_data, tmp_path, count)
    assert sum(outcomes.values()) == count
    assert min(outcomes["refused"], outcomes["visible"], outcomes["harmless"]) > count / 25, outcomes


@pytest.mark.parametrize("kind", KINDS)
def test_slow_reference_agrees_on_whole_files(sample_data: Path, tmp_path: Path, kind: str) -> None:
    yaws = slow_reference.read_yaws(sample_data)
    if kind == "jsonl":
        episodes = load("sdr/made", sample_data)
        rows = [json.loads(json.dumps(episode.to_json())) for episode in episodes]
    else:
        rows = read_rows(NAMES[kind], sample_data, tmp_path)
        episodes = load(NAMES[kind], sample_data)
    expected = [e for row in rows for e in slow_reference.read(kind, row, yaws)]
    loaded = [episode.to_json() for episode in episodes]
    for episode, expected_episode in zip(loaded, expected, strict=kind != "r4r"):
        assert slow_reference.are_equal({name: episode[name] for name in expected_episode}, expected_episode)
