"""The words of observations suffice to follow texts, and depend on landmarks and on the right text."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bearleft import evaluate, score
from bearleft.agents.llm import LanguageModelAgent, LanguageModelOptions, OpenAIModel, in_process
from bearleft.agents.llm.landmarks import SceneLandmarks
from bearleft.agents.llm.scripted import ScriptedServer
from bearleft.agents.llm.words import Numbers, describe, side_word, signed_degrees
from bearleft.data import load, write
from bearleft.evaluation.play import EpisodeRun
from bearleft.records import Episode
from tests.agents.llm.words_follower import Seen, WordsFollower

DATASET = "city/touchdown/small"


def first_words(episode: Episode) -> str:
    run = EpisodeRun(episode, 0, None, None)
    run.start()
    observation = run.observe()
    numbers = Numbers()
    landmarks = [(numbers.of(landmark), landmark) for landmark in SceneLandmarks()(episode, observation)]
    return describe(episode, observation, landmarks)


def task_completion(file: Path) -> float:
    (value,) = [row["value"] for row in score(file, metrics=["TC"]).rows]
    return float(value)


def test_directions_in_words() -> None:
    assert [side_word(degrees) for degrees in (0, 44, -90, 180, -170)] == [
        *("straight ahead", "slightly right", "left", "behind", "behind"),
    ]
    assert [signed_degrees(degrees) for degrees in (0.2, 85.4, -20)] == ["0°", "85° right", "20° left"]


def test_a_street_in_words() -> None:
    words = first_words(load(DATASET)[2])
    assert words.startswith("Step 1 of at most 50. You are in a street and face north.\nWays from here:\n")
    assert "- right (70° right): with the traffic; a crossing after 2 steps" in words
    assert "- red condo building: [1] behind (175° right, 13 m)" in words
    seen = Seen.read(words)
    assert [round(way.turn) for way in seen.ways] == [70, -115] and not seen.is_crossing
    assert "c000" not in words  # no id of a place


def test_objects_of_other_tasks_in_words() -> None:
    pointing = first_words(load("city/sdr/small")[0])
    assert pointing.startswith("You look southeast: heading ") and "- white wooden door: [" in pointing
    collecting = first_words(load("city/arramon/small")[1])
    assert "Ahead 3 steps are free." in collecting and "- striped brown bowl: right (78° right, 24 m)" in collecting


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The traces of the follower that reads words alone."""
    file = tmp_path_factory.mktemp("words") / "followed.jsonl"
    evaluate(LanguageModelAgent("words", in_process(WordsFollower())), DATASET, file)
    return file


@pytest.mark.slow
def test_behind_http_it_walks_the_same_way(followed: Path) -> None:
    with ScriptedServer(WordsFollower()) as server:
        agent = LanguageModelAgent("words", OpenAIModel(server.url, timeout=300), url=server.url)
        traces = evaluate(agent, f"{DATASET}@4")
    walks = {row["episode"]: row["legs"][0]["actions"] for row in map(json.loads, followed.read_text().splitlines())}
    for trace in traces:
        assert list(trace.legs[0].actions) == walks[trace.episode]
        assert all(call.input_tokens for call in trace.legs[0].calls)


def test_a_follower_of_words_alone_reaches_95_percent(followed: Path) -> None:
    assert task_completion(followed) >= 95


@pytest.mark.slow
def test_without_landmarks_and_with_other_texts_it_fails_more_often(followed: Path, tmp_path: Path) -> None:
    part = f"{DATASET}@15"
    episodes = load(part)
    texts = [episode.legs[0].text for episode in episodes]
    shuffled = [
        replace(episode, legs=(replace(episode.legs[0], text=text),))
        for episode, text in zip(episodes, [*texts[1:], texts[0]], strict=True)
    ]
    write("jsonl", shuffled, tmp_path / "shuffled.jsonl")
    completion: list[float] = []
    for data, options in ((part, LanguageModelOptions(landmarks="none")), (str(tmp_path / "shuffled.jsonl"), None)):
        file = tmp_path / f"{len(completion)}.traces.jsonl"
        evaluate(LanguageModelAgent("words", in_process(WordsFollower()), options), data, file)
        completion.append(task_completion(file))
    without_landmarks, with_other_texts = completion
    assert with_other_texts < without_landmarks < task_completion(followed) - 40
