from __future__ import annotations

import itertools
import random
import re

import numpy as np
import pytest

from bearleft.language.analysis.tokens import tokens
from bearleft.language.instructions.parse import _clause_index, parse_frames
from bearleft.language.instructions.segments import noticeable
from bearleft.language.instructions.semantics import follow_frames
from bearleft.language.instructions.speaker import _clause_weights, is_or_are
from bearleft.language.instructions.templates import CLAUSES, CROSSINGS, MACROS, PLURALS
from bearleft.language.instructions.write import instruct, split_route
from bearleft.language.noun_phrases import bare_noun, chunk, match
from bearleft.language.templates import PHENOMENA
from tests.language.instructions.street_scene import instructed_routes, scene_and_paths

VERBS = (
    r"\b(?:go|going|walk|walking|head|heading|continue|continuing|proceed|move|moving|travel|keep|turn|take|make|hang|"
    r"is|are|be|will|see|have|notice|look|watch|stop|pass|passing|cross|ignore|skip|follow|face|orient|align|position|"
    r"stand|start|begin|put|rotate|find|get|veer|bear|stay|reach|come|do|enter|there's|you've|you'll|you're|it's|has|curve|don't)\b"
)


@pytest.mark.slow
def test_instructions_lead_to_their_own_goals() -> None:
    scene, paths = scene_and_paths()
    texts = [(route, text) for route, text in instructed_routes() if text is not None]
    assert len(texts) >= 0.95 * len(instructed_routes())
    reaches_goal = [
        follow_frames(parse_frames(text.string), scene, paths, route[0], 0.0) == list(route) for route, text in texts
    ]
    assert np.mean(reaches_goal) >= 0.95
    others = [text for _, text in texts[7:] + texts[:7]]
    reaches_with_other_text = [
        follow_frames(parse_frames(text.string), scene, paths, route[0], 0.0)[-1] == route[-1]
        for (route, _), text in zip(texts, others, strict=True)
    ]
    assert np.mean(reaches_with_other_text) <= 0.15


def test_walkers_who_face_the_route_are_not_oriented() -> None:
    scene, paths = scene_and_paths()
    reached, oriented = [], 0
    for number, (route, text) in enumerate(instructed_routes()):
        facing = float(paths.graph.heading[paths.graph.find_link(route[0], route[1])])
        bare = instruct(scene, paths, route, facing, 4, number, orients=False)
        if text is None or bare is None:
            continue
        reached.append(follow_frames(parse_frames(bare.string), scene, paths, route[0], facing) == list(route))
        assert not any(frame.name in ("flow", "against") for frame in parse_frames(bare.string)), bare.string
        oriented += any(frame.name in ("flow", "against") for frame in parse_frames(text.string))
    assert len(reached) >= 30 and np.mean(reached) >= 0.95 and oriented


def test_text_depends_on_seed_and_number_only() -> None:
    scene, paths = scene_and_paths()
    for number in (5, 2):
        route, text = instructed_routes()[number]
        assert instruct(scene, paths, route, 0.0, 4, number) == text
    assert instruct(scene, paths, instructed_routes()[2][0], 0.0, 5, 2) != instructed_routes()[2][1]


def test_mentioned_landmarks_are_visible_and_fit_their_words() -> None:
    scene, paths = scene_and_paths()
    checked = 0
    for route, text in instructed_routes():
        last_leg = split_route(scene, paths, route)[-1]  # type: ignore[index]
        beyond = last_leg.segment.places[last_leg.end + 1 : last_leg.end + 3]  # "stop before" names an object ahead
        for mention in text.mentions if text else ():
            words = text.string[mention.begin : mention.end]  # type: ignore[union-attr]
            phrases = chunk(words)[1]
            rows = [(place, scene.at(place).find(mention.instance)) for place in (*route, *beyond)]
            visible_rows = [(place, row) for place, row in rows if row >= 0 and noticeable(scene.at(place))[row]]
            assert visible_rows, words
            if phrases and not phrases[0].pronoun:
                place, row = visible_rows[0]
                assert match(phrases[0], scene.at(place))[row], words
                checked += 1
    assert checked > 100


def test_annotations_are_phenomena_and_lie_in_the_text() -> None:
    phenomena = set()
    for _, text in instructed_routes():
        for annotation in text.annotations if text else ():
            assert annotation.phenomenon in PHENOMENA.values()
            assert 0 <= annotation.begin < annotation.end <= len(text.string)  # type: ignore[union-attr]
            phenomena.add(annotation.phenomenon)
    assert {"unique entity", "egocentric", "direction", "imperative", "temporal condition", "coreference"} <= phenomena


def test_landmarks_are_named_twice_only_as_coreference() -> None:
    for _, text in instructed_routes():
        if text is None:
            continue
        named = [m.instance for m in text.mentions if not _is_coreference(text.string[m.begin : m.end].lower())]
        assert len(named) == len(set(named)), text.string


def _is_coreference(words: str) -> bool:
    return words in ("it", "them") or words.startswith(("that ", "this "))


def test_texts_are_well_formed() -> None:
    for _, text in instructed_routes():
        if text is not None:
            assert not re.search(r"  | [.,;!]|\.\.|,,|[{}<>\[\]|]", text.string), text.string
            assert not re.search(r"\b[A-Z]{3,}\b", text.string), text.string
    lengths = [len(tokens(text.string)) for _, text in instructed_routes() if text]
    assert 40 < np.mean(lengths) < 130 and np.std(lengths) > 15


def test_texts_differ() -> None:
    strings = [text.string for _, text in instructed_routes() if text]
    first_sentences = {string.split(".")[0] for string in strings}
    assert len(first_sentences) > 0.9 * len(strings)


def test_texts_say_one_side_and_describe_what_they_name() -> None:
    side = r"(?:on|to) (?:the|your) (?:left|right)(?: side)?"
    for _, text in instructed_routes():
        if text is not None:
            assert not re.search(rf"{side} {side}", text.string), text.string
            assert not re.search(r"\b(?:a|A) (?:building|tree|door|store|sign)\b (?:is|will|should|on|to)", text.string)
            assert not re.search(r"there (?:is|are|will be|should be) the\b", text.string.lower()), text.string
            assert not re.search(r"middle of the \w+ (?:traffic |stop )?(?:stop)?light", text.string), text.string


def test_every_sentence_has_a_verb() -> None:
    for _, text in instructed_routes():
        for sentence in re.split(r"(?<=[.!?]) ", text.string) if text else ():
            if len(sentence.split()) > 3:
                assert re.search(VERBS, sentence.lower()), sentence


def test_repeated_turns_at_landmarks_say_so() -> None:
    """Without "again", "Turn right. Turn right at the awning" reads like one turn that is told twice."""
    frames = [parse_frames(text.string) for _, text in instructed_routes() if text]
    turns = [[(f.side, f.thing, f.nth) for f in walk if f.name == "turn"] for walk in frames]
    assert sum(len(walk) for walk in turns) > 30
    for (_, text), walk in zip([row for row in instructed_routes() if row[1]], turns, strict=True):
        for (side, _, _), (next_side, thing, _) in itertools.pairwise(walk):
            if thing is not None and side == next_side:
                assert re.search(r"again|another|once more", text.string), text.string  # type: ignore[union-attr]


def test_route_segments_cover_the_route() -> None:
    scene, paths = scene_and_paths()
    for route, _ in instructed_routes():
        route_segments = split_route(scene, paths, route)
        assert route_segments is not None
        covered = [route[0]]
        for route_segment in route_segments:
            assert route_segment.segment.places[0] == covered[-1]
            covered += route_segment.segment.places[1 : route_segment.end + 1]
            assert all(paths.crossing[route_segment.segment.places[k]] for k in route_segment.crossings_passed)
        assert covered == list(route)
        assert [route_segment.turn_type for route_segment in route_segments].count("") == 1


def test_every_clause_matches_its_own_pattern() -> None:
    """The pattern of a clause matches everything that its template renders."""
    rng = random.Random(3)
    fillers = {
        "thing": "a red awning",
        "other_thing": "the blue mailbox",
        "side": "left",
        "other_side": "right",
        "nth": "second",
        "count": "two",
        "crossing": "intersection",
        "crossings": "intersections",
        "a": "an",
        "ahead": "up ahead",
        "is": "is",
        "other_is": "are",
        "steps": "steps",
        "again": "again",
        "another": "another",
        "block": "block",
        "crosswalk": "crosswalk",
        "road": "it",
        "road_ends": "road",
        "lane": "narrow street",
        "sidewalk": "sidewalk",
        "parked": "parked",
        "there_is": "there's",
    }
    for clauses in CLAUSES.values():
        for clause in clauses:
            for _ in range(6):
                text = clause.template.render(rng, **{slot: fillers[slot] for slot in clause.slots})
                string = chunk(text.string, ("steps", "cars"))[0]
                match = clause.regex.match(string)
                assert match is not None and match.end() == len(string), (clause.source, text.string)
                assert any(clause is candidate for _, candidate in _clause_index().candidates(string, 0)), text.string


@pytest.mark.parametrize("kind", CROSSINGS)
def test_every_crossing_has_a_plural(kind: str) -> None:
    assert all(word in PLURALS for word in CROSSINGS[kind])


def test_all_macros_are_used() -> None:
    sources = " ".join([clause.source for clauses in CLAUSES.values() for clause in clauses] + list(MACROS.values()))
    assert set(re.findall(r"\b[A-Z]{2,}\b", sources)) == set(MACROS)


@pytest.mark.parametrize(
    ("words", "noun", "verb"),
    [
        ("the second dark red awning", "awning", "is"),
        ("some trash bags", "trash bags", "are"),
        ("a bus", "bus", "is"),
        ("a large red and white striped awning", "striped awning", "is"),
        ("a sign with white letters", "sign", "is"),
        ("two hydrants", "hydrants", "are"),
    ],
)
def test_bare_noun_and_verb_fit_the_phrase(words: str, noun: str, verb: str) -> None:
    assert bare_noun(words) == noun and is_or_are(words) == verb
    assert is_or_are(f"{words} near some trash bags") == verb


def test_readers_can_tell_the_landmark_to_stop_at() -> None:
    """Nothing alike is passed on the same side before the stop or soon after it, unless the text counts."""
    scene, paths = scene_and_paths()
    checked = 0
    for route, text in instructed_routes():
        frames = parse_frames(text.string) if text else []
        stops = [frame for frame in frames if frame.name in ("stop beside", "stop before", "stop after", "until")]
        if not stops or stops[-1].thing is None or stops[-1].thing.pronoun or not stops[-1].side:
            continue
        thing, side = stops[-1].thing, stops[-1].side
        if thing.coreferent or thing.ordinal:
            continue
        route_segments = split_route(scene, paths, route)
        assert route_segments is not None
        last = route_segments[-1]
        offset = {"stop before": 1, "stop after": -1}.get(stops[-1].name, 0)
        begin = max([0, *last.crossings_passed])  # the walker may have been told to pass this one
        alike: set[int] = set()
        onward = np.zeros(2)
        for k in range(begin + 1, min(last.end + 4, len(last.segment))):
            here = paths.graph.positions[last.segment.places[k]]
            first = min(k, len(last.segment) - 2)  # at the end of the street, the way there
            way = np.subtract(*(paths.graph.positions[last.segment.places[i]] for i in (first + 1, first)))[:2]
            ahead = way / np.hypot(*way)
            if k == last.end:
                onward = ahead
            elif k > last.end and alike and ahead @ onward < 0.7:
                break  # the street bends after the stop: its left and right are others
            visible = scene.at(last.segment.places[k])
            for row in np.flatnonzero(match(thing, visible) & noticeable(visible)).tolist():
                east, north = visible.east[row] - here[0], visible.north[row] - here[1]
                along, aside = east * ahead[0] + north * ahead[1], east * ahead[1] - north * ahead[0]
                if abs(along) < 6.0 and 2.5 < aside * side < 23.0:
                    alike.add(int(visible.instance[row]))
                    if k == last.end + offset:
                        assert visible.width[row] <= 80.0, text.string  # type: ignore[union-attr]
        assert len(alike) == 1, text.string  # type: ignore[union-attr]
        checked += 1
    assert checked >= 8


@pytest.mark.parametrize("name", CLAUSES)
def test_clause_weights_exclude_clauses_without_values(name: str) -> None:
    slots = sorted({slot for clause in CLAUSES[name] for slot in clause.slots})
    for available in (frozenset(slots), frozenset(slots[1:]), frozenset()):
        for known, enterable, independent in itertools.product((False, True), repeat=3):
            weights = _clause_weights(name, frozenset(slots[-1:]), available, known, enterable, independent)
            for clause, weight in zip(CLAUSES[name], weights, strict=True):
                usable = clause.slots <= available and clause.slots >= set(slots[-1:])
                usable &= not (known and clause.introduces) and not (clause.inside and not enterable)
                assert weight == (usable and not (independent and (clause.open or clause.tail)))
