"""The finding task: sentence by sentence, judged within 11 degrees, by the rules of LookGame; its secrets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bearleft import score
from bearleft.envs.look import LookGame
from bearleft.errors import InputError
from bearleft.records import Direction, Trace, to_json_line
from bearleft.web.scenes.worlds import SceneWorlds
from tests.web.refer360.conftest import NewPerson
from tests.web.refer360.people import Person, answer_at, view

PREPARED, ABLATION = "refer360/hiring-finding", "refer360/ablation"
DATASET = "city/refer360/small"


@pytest.fixture
def finder(new_person: NewPerson) -> Person:
    return new_person(limit=8)


@pytest.fixture
def reader(new_person: NewPerson) -> Person:
    """Return a worker of an ablation."""
    return new_person("ablation", study="ablation", limit=2)


def numbers_in(value: Any) -> list[float]:
    """Return all numbers of JSON."""
    if isinstance(value, dict):
        return [number for inner in value.values() for number in numbers_in(inner)]
    if isinstance(value, list):
        return [number for inner in value for number in numbers_in(inner)]
    return [value] if isinstance(value, int | float) and not isinstance(value, bool) else []


def test_sentences_come_one_after_another(finder: Person) -> None:
    lease = finder.claim()
    assert lease
    assert lease.kind == PREPARED
    sentences = finder.unit(lease).payload["sentences"]
    assert finder.view(lease)["sentences"] == sentences[:1]
    assert finder.view(lease)["look"]["pitch"] == 90
    for k in range(1, len(sentences)):
        with pytest.raises(InputError, match=f"an answer after sentence {len(sentences)}"):
            finder.submit(lease, **answer_at((10, 0)))
        assert finder.act(lease, "next", **view(10.0 * k, 5)) == {"number": k, "sentence": sentences[k]}
        shown = finder.view(lease)
        assert shown["sentences"] == sentences[: k + 1]
        assert shown["look"] == view(10.0 * k, 5)
    with pytest.raises(InputError, match="an answer after the last sentence"):
        finder.act(lease, "next", **view(10, 5))


@pytest.mark.parametrize(
    ("kind", "data"), [("next", {}), ("next", {"heading": 1, "pitch": 2}), ("found", {}), ("x", {})]
)
def test_wrong_actions_are_refused(finder: Person, kind: str, data: dict[str, object]) -> None:
    lease = finder.claim()
    assert lease
    with pytest.raises(InputError):
        finder.act(lease, kind, **data)
    assert finder.events(lease) == []


@pytest.mark.parametrize("kind", ["collected", "prepared", "last"])
def test_nothing_sent_before_the_answer_holds_the_target_or_a_later_sentence(
    new_person: NewPerson, finder: Person, reader: Person, kind: str
) -> None:
    if kind == "collected":
        writer = new_person("open", limit=4, hiring=False)
        described = writer.claim("refer360/description")
        assert described
        writer.describe(described, [f"look for the {thing} on the wall" for thing in ("lamp", "vase", "clock", "door")])
        person = new_person("open")
    else:
        person = finder if kind == "prepared" else reader
    lease = person.claim("refer360/finding") if kind == "collected" else person.claim()
    assert lease
    payload = person.unit(lease).payload
    shown = payload["sentences"][-payload.get("last", 0) :]
    target = payload["target"]
    sent: list[dict[str, Any]] = []

    def check(content: dict[str, Any], read: int) -> None:
        sent.append(content)
        text = json.dumps(content)
        assert not any(sentence in text for sentence in shown[read:])
        assert not any(sentence in text for sentence in payload["sentences"][: len(payload["sentences"]) - len(shown)])
        for number in numbers_in(content):
            assert min(abs(number - value) for value in (*target, target[0] - 360)) > 1e-3
        assert not {"target", "episode", "dataset", "writer"} & set(content)

    check(person.view(lease), 1)
    for k in range(1, len(shown)):
        check(person.act(lease, "look", **view(10.5 * k, 3.25)), k)
        check(person.act(lease, "next", **view(11.5 * k, 4.25)), k + 1)
        check(person.view(lease), k + 1)
    answer = person.submit(lease, **answer_at((target[0] + 90, 0.5)))
    assert not answer.accepted
    assert ("target" in answer.feedback) == (kind != "last")
    assert len(sent) == 3 * len(shown) - 2


@pytest.mark.parametrize(("off", "found"), [(0.0, True), (10.99, True), (11.01, False), (40.0, False)])
def test_a_target_is_found_within_11_degrees(finder: Person, off: float, found: bool) -> None:
    lease = finder.claim()
    assert lease
    answer = finder.find(lease, off)
    assert (answer.accepted, answer.data["found"], answer.feedback["found"]) == (found,) * 3
    assert answer.data["degrees"] == pytest.approx(off, abs=1e-9)
    assert answer.feedback["target"] == finder.unit(lease).payload["target"]


def test_a_persons_trace_is_that_of_the_same_actions_in_python(
    new_person: NewPerson, worlds: SceneWorlds, tmp_path: Path
) -> None:
    person = new_person(limit=8)
    mine, other = [], []
    for k in range(4):
        lease = person.claim()
        assert lease
        person.act(lease, "look", **view(200, 20))
        answer = person.find(lease, off=4.0 * k, by="click" if k % 2 else "centre")
        trace = Trace.from_json(answer.data["trace"])
        episode = worlds.episode(DATASET, trace.episode)
        game = LookGame(episode.legs[0], episode.start)
        heading, pitch = episode.legs[0].goal.direction.to_json()  # type: ignore[union-attr]
        for j in range(len(episode.legs[0].sentences) - 1):
            game.step(Direction(heading + 10.0 * j, 5.0 * j))
            game.step("next")
        game.step(Direction(heading, pitch + 4.0 * k * (-1 if pitch > 0 else 1)))
        game.step("next")
        assert game.done
        assert trace.legs == (game.trace(),)
        mine.append(trace)
        other.append(Trace(trace.episode, DATASET, "python", (game.trace(),), 0, trace.sha256, trace.version))
    for name, traces in (("mine", mine), ("other", other)):
        (tmp_path / f"{name}.jsonl").write_text("".join(to_json_line(trace) + "\n" for trace in traces))
    rows = [
        {(row["metric"], row["value"], row["n"]) for row in score(tmp_path / f"{name}.jsonl").rows}
        for name in ("mine", "other")
    ]
    assert rows[0] == rows[1]
    values = {metric: value for metric, value, _ in rows[0]}
    assert values["Acc@11deg"] == 75.0
    assert values["Dist-deg"] == pytest.approx(6.0)


def test_an_answer_by_a_click_keeps_the_view_in_which_it_was_given(finder: Person) -> None:
    lease = finder.claim()
    assert lease
    for _ in range(finder.view(lease)["count"] - 1):
        finder.act(lease, "next", **view(10, 5))
    click = answer_at((30, 5), "click") | {"view": view(20, 0, 80)}
    answer = finder.submit(lease, **click)
    assert answer.data["by"] == "click"
    assert answer.data["view"] == view(20, 0, 80)
    trace = Trace.from_json(answer.data["trace"])
    assert trace.legs[0].answer == Direction(30, 5)


@pytest.mark.parametrize("last", [1, 2])
def test_the_ablation_shows_the_last_sentences_only(reader: Person, last: int) -> None:
    lease = reader.claim()
    while lease and reader.unit(lease).payload["last"] != last:
        reader.find(lease)
        lease = reader.claim()
    assert lease
    assert lease.kind == ABLATION
    assert reader.view(lease)["count"] == last
    sentences = reader.unit(lease).payload["sentences"]
    assert reader.view(lease)["sentences"] == [sentences[-last]]
    answer = reader.find(lease, off=20)
    trace = Trace.from_json(answer.data["trace"])
    assert trace.legs[0].actions == ("look", "next") * last
    assert not answer.accepted
    assert "target" not in answer.feedback
