"""Texts are split into clauses or sentences that are followed one after another."""

from __future__ import annotations

import pytest

from bearleft.data import load
from bearleft.language.instructions.parse import parse_frames, parse_spans
from bearleft.records import Leg, Pose, Reach
from bearleft.reports.film.text import Parts, sentence_spans, split_at, split_text
from bearleft.world.worlds import open_world


@pytest.mark.parametrize("number", range(0, 60, 4))
def test_clauses_end_as_in_the_text(number: int) -> None:
    text = load("city/touchdown/small")[number].legs[0].text
    parts = parse_spans(text)
    assert [frame.name for frame, _ in parts] == [frame.name for frame in parse_frames(text)]
    ends = [end for _, end in parts]
    assert ends == sorted(set(ends)) and ends[-1] <= len(text)
    # A clause never ends within a word.
    assert not any(text[end - 1 : end + 1].isalnum() and end < len(text) for end in ends)


def test_corrected_spelling_keeps_offsets() -> None:
    text = "Turn lft at the hydrant next to a bench, and stop at the secnd intersection."
    ends = [text[:end] for _, end in parse_spans(text)]
    assert ends and text[: text.index(",")] in ends


def test_parts_cover_the_text() -> None:
    text = "Go on. Turn left, then stop. You see a tree."
    spans = split_at(text, [5, 16, 27])
    assert "".join(text[a:b] for a, b in spans) == text
    assert [text[a:b].strip() for a, b in spans] == ["Go on.", "Turn left,", "then stop.", "You see a tree."]
    assert sentence_spans("") == ((0, 0),)
    assert [text[a:b] for a, b in sentence_spans(text)] == ["Go on. ", "Turn left, then stop. ", "You see a tree."]


def test_sentences_follow_route_length_if_the_text_does_not_match() -> None:
    episode = load("city/touchdown/small")[9]
    goal = episode.legs[0].goal
    assert isinstance(goal, Reach)
    graph = open_world(episode.world)
    leg = Leg("One two three. Four five. Six.", goal)
    parts = split_text(leg, goal.route, episode.start, episode.world, graph)
    assert parts.kind == "sentences" and parts.end_positions == (4, 7, 8) and len(goal.route) == 9
    assert [parts.span_after(position) for position in (0, 3, 4, 6, 7)] == [
        (0, 15),
        (0, 15),
        (15, 26),
        (15, 26),
        (26, 30),
    ]
    assert parts.span_after(8) == parts.span_at(8) == (26, 30)
    single_place = Leg("Stay.", Reach(goal.route[:1]))
    assert split_text(
        single_place, goal.route[:1], Pose(episode.start.look, goal.route[0]), "town/0", graph
    ).end_positions == (0,)


def test_progress_advances_only_on_the_line() -> None:
    parts = Parts(((0, 1), (1, 2)), (2, 4), tuple("abcde"), "clauses")
    assert parts.progress("abbxyc") == [0, 1, 1, 1, 1, 2]
    assert parts.progress("ae") == [0, 0]


def test_clauses_follow_a_walk_that_matches_the_text_but_not_the_route() -> None:
    episode = load("city/touchdown/small")[9]
    goal = episode.legs[0].goal
    assert isinstance(goal, Reach)
    graph = open_world(episode.world)
    shorter_leg = Leg(episode.legs[0].text, Reach(goal.route[:4]))
    parts = split_text(shorter_leg, goal.route, episode.start, episode.world, graph)
    assert (
        parts.kind == "clauses as walked"
        and parts.line == goal.route
        and parts.end_positions[-1] == len(goal.route) - 1
    )
    assert split_text(shorter_leg, goal.route[:3], episode.start, episode.world, graph).kind == "sentences"
