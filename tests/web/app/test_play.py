"""Playing over HTTP: the rules of the games, the traces that people leave, results, and what stays secret."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from bearleft import load, score
from bearleft.envs.reach import actions_along
from bearleft.evaluation.play import EpisodeRun
from bearleft.records import Direction, Episode, Point, Reach, Trace, to_json_line
from bearleft.web.exports import export_project
from bearleft.web.scoring import score_traces
from bearleft.web.settings import Settings
from bearleft.web.tasks.play import take_action
from bearleft.world.worlds import open_world
from tests.web.server import person

WALK, BOTH, POINT, LOOK = (
    "city-touchdown-small",
    "city-touchdown-complete-small",
    "city-sdr-small",
    "city-refer360-small",
)


def open_unit(client: httpx.Client, path: str) -> dict[str, Any]:
    """Open a unit's page, and return what is embedded in it."""
    page = client.get(path)
    assert page.status_code == 200, page.text
    found = re.search(r'<script type="application/json" id="unit">(.*?)</script>', page.text, re.DOTALL)
    assert found, page.text[:2000]
    unit: dict[str, Any] = json.loads(found[1])
    return unit


def act(client: httpx.Client, unit: dict[str, Any], kind: str, **data: Any) -> dict[str, Any]:
    """Send the next action of a unit, and return the state after it."""
    body = {"token": unit["token"], "number": unit["events"], "kind": kind, "data": data}
    answer = client.post(f"/api/attempts/{unit['attempt']}/events", json=body)
    assert answer.status_code == 200, answer.text
    unit["events"] += 1
    result: dict[str, Any] = answer.json()["result"]
    return result


def submit(client: httpx.Client, unit: dict[str, Any], key: str = "key") -> httpx.Response:
    body = {"token": unit["token"], "key": key, "data": {}}
    return client.post(f"/api/attempts/{unit['attempt']}/submit", json=body)


def actions_of(episode: Episode) -> list[tuple[str, dict[str, Any]]]:
    """Return what a person does who knows the way: the actions of each leg, as the browser sends them."""
    actions: list[tuple[str, dict[str, Any]]] = []
    for leg in episode.legs:
        if isinstance(leg.goal, Reach):
            walk = actions_along(open_world(episode.world), episode.start, leg.goal.route)
            actions += [("walk", {"action": action}) for action in walk]
        elif isinstance(leg.goal, Point):
            heading, pitch = leg.goal.direction.heading, leg.goal.direction.pitch
            kind = "next" if leg.sentences else "point"
            actions += [(kind, {"heading": heading, "pitch": pitch})] * max(len(leg.sentences), 1)
    return actions


def play_through(client: httpx.Client, name: str, episode: Episode) -> dict[str, Any]:
    unit = open_unit(client, f"/play/{name}?episode={episode.id}")
    for kind, data in actions_of(episode):
        state = act(client, unit, kind, **data)
    assert state["done"]
    answer = submit(client, unit)
    assert answer.status_code == 200, answer.text
    return unit


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(
    ("name", "dataset"),
    [
        (WALK, "city/touchdown/small"),
        (BOTH, "city/touchdown-complete/small"),
        (POINT, "city/sdr/small"),
        (LOOK, "city/refer360/small"),
    ],
)
def test_a_persons_trace_scores_as_the_same_actions_in_python(
    new_games: str, settings: Settings, tmp_path: Path, name: str, dataset: str
) -> None:
    episode = load(dataset)[1]
    with person(new_games) as client:
        unit = play_through(client, name, episode)
        page = client.get(f"/play/{name}/result/{unit['attempt']}")
        assert page.status_code == 200 and "You did it!" in page.text
    (row,) = export_project(settings, name, tmp_path / "export")
    (line,) = Path(row["file"]).read_text().splitlines()
    trace = Trace.from_json(json.loads(line))
    run = EpisodeRun(episode, 0, None, None)
    run.start()
    for kind, data in actions_of(episode):
        if kind == "walk":
            run.step(data["action"])
        else:
            run.step(Direction(data["heading"], data["pitch"]))
            if kind == "next" and not run.done:
                run.step("next")
    assert trace.legs == run.legs
    same = tmp_path / "same.jsonl"
    same.write_text(to_json_line(Trace(episode.id, dataset, "python", run.legs, sha256=trace.sha256)) + "\n")
    (theirs,) = {json.dumps(one, sort_keys=True) for one in _scores(Path(row["file"]))}
    (ours,) = {json.dumps(one, sort_keys=True) for one in _scores(same)}
    assert theirs == ours


def _scores(path: Path) -> list[dict[str, float]]:
    legs = score(path, per_episode=True, resamples=1).episodes
    return [{key: value for leg in legs for key, value in leg.items() if isinstance(value, float)}]


def test_reload_returns_the_same_state(games: str) -> None:
    episode = load("city/touchdown/small")[0]
    with person(games) as client:
        unit = open_unit(client, f"/play/{WALK}?episode={episode.id}")
        for kind, data in actions_of(episode)[:3]:
            state = act(client, unit, kind, **data)
        again = open_unit(client, f"/work/{unit['attempt']}")
        assert again["events"] == 3 and again["view"]["walk"] == state["walk"]
        assert open_unit(client, f"/play/{WALK}")["attempt"] == unit["attempt"]  # what was begun goes on


def test_actions_that_are_not_possible_are_refused_and_change_nothing(games: str) -> None:
    with person(games) as client:
        unit = open_unit(client, f"/play/{WALK}")
        path = f"/api/attempts/{unit['attempt']}/events"
        for kind, data, message in (
            ("walk", {"action": "fly"}, "forward, left, right, stop or a linked place"),
            ("walk", {}, "action"),
            ("point", {"heading": 0, "pitch": 0}, "an action: walk"),
            ("fly", {}, "an action: walk"),
        ):
            answer = client.post(path, json={"token": unit["token"], "number": 0, "kind": kind, "data": data})
            assert answer.status_code == 422 and message in answer.json()["detail"], answer.text
        assert submit(client, unit).status_code == 422
        assert open_unit(client, f"/work/{unit['attempt']}")["events"] == 0


def test_units_of_others_do_not_exist(games: str) -> None:
    with person(games) as client, person(games) as other:
        unit = open_unit(client, f"/play/{WALK}")
        body = {"token": unit["token"], "number": 0, "kind": "walk", "data": {"action": "stop"}}
        assert other.get(f"/work/{unit['attempt']}").status_code == 404
        assert other.post(f"/api/attempts/{unit['attempt']}/events", json=body).status_code == 404
        assert other.get(f"/play/{WALK}/result/{unit['attempt']}").status_code == 404
        assert httpx.get(f"{games}/work/{unit['attempt']}").status_code == 401
        forged = httpx.get(f"{games}/work/{unit['attempt']}", cookies={"bearleft_worker": "1." + "0" * 64})
        assert forged.status_code == 401


def test_pages_of_other_sites_cannot_act(games: str) -> None:
    with person(games) as client:
        unit = open_unit(client, f"/play/{WALK}")
        body = {"token": unit["token"], "number": 0, "kind": "walk", "data": {"action": "stop"}}
        for headers in ({"Origin": "https://example.org"}, {"Sec-Fetch-Site": "cross-site"}):
            answer = client.post(f"/api/attempts/{unit['attempt']}/events", json=body, headers=headers)
            assert answer.status_code == 403


def test_what_is_to_be_found_is_in_no_response_before_the_answer(games: str) -> None:
    for name, dataset in ((BOTH, "city/touchdown-complete/small"), (LOOK, "city/refer360/small")):
        episode = load(dataset)[2]
        with person(games) as client:
            seen: list[str] = []
            client.event_hooks["response"].append(_recorder(seen))
            unit = open_unit(client, f"/play/{name}?episode={episode.id}")
            for kind, data in actions_of(episode)[:-1]:
                act(client, unit, kind, **(data if kind == "walk" else {"heading": 1.0, "pitch": 2.0}))
            content = "".join(seen)
            for leg in episode.legs:
                assert isinstance(leg.goal, Reach | Point)
                if isinstance(leg.goal, Reach):
                    assert json.dumps(list(leg.goal.route))[1:-1] not in content
                    assert ",".join(f'"{place}"' for place in leg.goal.route) not in content
                else:
                    assert str(leg.goal.direction.heading) not in content
                    assert str(leg.goal.direction.pitch) not in content
                    for sentence in leg.sentences[-1:]:
                        assert sentence in content  # the last one has been read by now
            assert client.get(f"/play/{name}/result/{unit['attempt']}").status_code == 404


def _recorder(seen: list[str]) -> Callable[[httpx.Response], None]:
    return lambda response: seen.append(response.read().decode(errors="replace"))


def test_sentences_come_one_by_one(games: str) -> None:
    episode = load("city/refer360/small")[0]
    sentences = episode.legs[0].sentences
    with person(games) as client:
        unit = open_unit(client, f"/play/{LOOK}?episode={episode.id}")
        assert unit["view"]["text"] == sentences[0] and unit["view"]["pitch"] == 90.0
        page = client.get(f"/work/{unit['attempt']}").text
        assert sentences[1] not in page
        state = act(client, unit, "next", heading=10.0, pitch=5.0)
        assert state["text"] == sentences[1] and state["earlier"] == [sentences[0]]


@pytest.mark.slow
def test_result_shows_agents_other_people_and_a_report(games: str) -> None:
    episode = load("city/sdr/small")[0]
    with person(games) as first, person(games) as second:
        play_through(first, POINT, episode)
        unit = play_through(second, POINT, episode)
        content = second.get(f"/play/{POINT}/result/{unit['attempt']}").text
        found = re.search(r'id="result">(.*?)</script>', content, re.DOTALL)
        assert found
        result = json.loads(found[1])
        names = [trace["name"] for trace in result["traces"]]
        assert names[0] == "you" and len(names) >= 2
        assert result["reference"][0]["target"] == episode.legs[0].goal.to_json()["point"]
        assert "city/sdr" not in second.get("/played").text and "Point" in second.get("/played").text
        page = second.get("/played/report.html")
        assert page.status_code == 200 and "What you played" in page.text and len(page.content) > 100_000
        assert second.get(f"/play/{POINT}?episode=none").status_code == 404
        assert second.get("/play/none").status_code == 404


@pytest.mark.slow
def test_unplayed_episodes_come_first(games: str) -> None:
    with person(games) as client:
        chosen = set()
        for _ in range(12):
            unit = open_unit(client, f"/play/{POINT}")
            act(client, unit, "point", heading=0.0, pitch=0.0)
            assert submit(client, unit).status_code == 200
            chosen.add(unit["view"]["text"] + unit["view"]["place"])
        assert len(chosen) == 12


def test_an_episode_can_be_skipped(games: str) -> None:
    with person(games) as client:
        skipped = set()
        for _ in range(5):
            unit = open_unit(client, f"/play/{POINT}")
            body = {"token": unit["token"]}
            assert client.post(f"/api/attempts/{unit['attempt']}/return", json=body).status_code == 204
            skipped.add(unit["view"]["text"] + unit["view"]["place"])
        assert len(skipped) == 5


@pytest.mark.slow
def test_results_are_told_in_words_with_how_many_were_solved_in_a_row(new_games: str) -> None:
    episodes = load("city/refer360/small")[:3]
    with person(new_games) as client, person(new_games) as other:
        unit = play_through(client, LOOK, episodes[0])
        first = client.get(f"/play/{LOOK}/result/{unit['attempt']}").text
        assert "Your answer is 0.0° off." in first and "1 of 1 solved" in first and "in a row" not in first
        unit = play_through(client, LOOK, episodes[1])
        second = client.get(f"/play/{LOOK}/result/{unit['attempt']}").text
        assert "2 in a row" in second and "2 of 2 solved" in second
        for _ in range(2):
            play_through(other, LOOK, episodes[2])
        unit = open_unit(client, f"/play/{LOOK}?episode={episodes[2].id}")
        for _ in episodes[2].legs[0].sentences:
            act(client, unit, "next", heading=0.0, pitch=90.0)
        assert submit(client, unit).status_code == 200
        third = client.get(f"/play/{LOOK}/result/{unit['attempt']}").text
        assert "2 of 3 solved" in third and "in a row" not in third
        assert re.findall(r'checkbox" value="([^"]+)"', third)[-1] == "person 1" and "person 2" not in third
        unit = play_through(client, LOOK, episodes[2])
        again = client.get(f"/play/{LOOK}/result/{unit['attempt']}").text
        assert "you, before" in re.findall(r'checkbox" value="([^"]+)"', again)
        assert "3 of 4 solved" in client.get("/played").text


def test_traces_are_scored_together_as_one_by_one() -> None:
    traces: list[Trace] = []
    for name in ("city/touchdown-complete/small", "city/refer360/small"):
        for episode in load(name)[:2]:
            run = EpisodeRun(episode, 0, None, None)
            run.start()
            for kind, data in actions_of(episode)[:-1] if len(traces) % 2 else actions_of(episode):
                take_action(run, kind, data)
            traces.append(Trace(episode.id, name, "person", run.legs))
    together = score_traces([*traces[::2], *traces[1::2], traces[0]])
    alone = [score_traces([trace])[0] for trace in (*traces[::2], *traces[1::2], traces[0])]
    assert together == alone and len({tuple(scores.items()) for scores in together}) > 2


def test_files_of_pages_are_asked_for_again_after_an_update(games: str) -> None:
    for path in ("/static/web/play/game.js", "/static/shared/base.css"):
        answer = httpx.get(games + path)
        assert answer.status_code == 200 and answer.headers["cache-control"] == "no-cache"
        again = httpx.get(games + path, headers={"If-None-Match": answer.headers["etag"]})
        assert again.status_code == 304


def test_panoramas_and_maps(games: str) -> None:
    with person(games) as client:
        unit = open_unit(client, f"/play/{WALK}")
        place, world = unit["view"]["walk"]["place"], unit["view"]["world"]
        picture = client.get(f"/api/worlds/{world}/panoramas/{place}.webp?width=512")
        assert picture.status_code == 200 and picture.headers["content-type"] == "image/webp"
        assert picture.content[:4] == b"RIFF" and picture.content[8:12] == b"WEBP"
        content = client.get(f"/api/worlds/{world}/map").json()
        assert len(content["places"]["ids"]) == len(open_world(world)) and content["marks"]
        for path, status in (
            (f"/api/worlds/{world}/panoramas/none.webp", 404),
            (f"/api/worlds/{world}/panoramas/{place}.webp?width=600", 422),
            ("/api/worlds/city/9/4x5/map", 404),
            ("/api/worlds/../../etc/passwd/map", 404),
        ):
            answer = client.get(path)
            assert answer.status_code == status, (path, answer.status_code, answer.text)
        assert httpx.get(f"{games}/api/worlds/{world}/map").status_code == 401
