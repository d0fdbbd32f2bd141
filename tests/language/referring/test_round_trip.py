"""What strangers stumbled over in texts of rooms, checked by the words, the mentions and the boxes of what is seen."""

from __future__ import annotations

import re
import tempfile
from functools import cache

import numpy as np

from bearleft.geometry import turn
from bearleft.language.lexicon.object_colours import main_colour
from bearleft.language.lexicon.room_names import ROOM_NAMES
from bearleft.language.noun_phrases import match
from bearleft.language.referring.parse import tokenize_sentence
from bearleft.language.referring.view import SURFACES, ViewBox, relation_cost
from bearleft.language.referring.write import Sentence, write_sequence
from bearleft.language.scene_index import SceneIndex, VisibleObjects
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.city import open_city
from bearleft.world.city.palette import colour_index
from bearleft.world.targets import Target, anywhere
from bearleft.world.visibility.table import visibility_table

ROOMS = 12
SAT_ON = (
    "sofa",
    "armchair",
    "chair",
    "stool",
    "seat",
    "ottoman",
    "bed",
    "table",
    "desk",
    "counter",
    "bench",
    "box",
    "pedestal",
    "rug",
)


@cache
def scene() -> SceneIndex:
    city = open_city(f"rooms/6/{ROOMS}")
    with tempfile.TemporaryDirectory() as folder:
        here = SceneIndex(city, visibility_table(city, folder, 512))
        for place in range(ROOMS):
            here.at(place)
    return here


@cache
def told() -> tuple[tuple[Target, tuple[Sentence, ...]], ...]:
    here = scene()
    every = [
        (target, write_sequence(here, target, 3, k))
        for k, target in enumerate(anywhere(here.city, np.repeat(np.arange(ROOMS), 10), 3))
    ]
    found = tuple((target, tuple(said)) for target, said in every if said is not None)
    assert len(found) > 0.97 * len(every)
    return found


def spoken() -> list[str]:
    return [" ".join(one.text.string.lower() for one in said) for _, said in told()]


def mentions(said: tuple[Sentence, ...]) -> list[tuple[int, str, str]]:
    """The instance, the words and what comes before them, of every mention."""
    return [
        (one.instance, sentence.text.string[one.begin : one.end].lower(), sentence.text.string[: one.begin].lower())
        for sentence in said
        for one in sentence.text.mentions
    ]


def gap(sight: VisibleObjects, one: int, other: int) -> float:
    """Degrees between two boxes."""
    off = abs(float(turn(sight.left[one] + sight.width[one] / 2, sight.left[other] + sight.width[other] / 2)))
    across = max(off - (sight.width[one] + sight.width[other]) / 2, 0.0)
    up = max(sight.bottom[one] - sight.top[other], sight.bottom[other] - sight.top[one], 0.0)
    return float(np.hypot(across, up))


def test_between_and_closer_do_not_contradict_each_other() -> None:
    closer = [text for text in spoken() if re.search(r"\b(closer|nearer) to\b", text)]
    assert closer
    for text in closer:
        assert not re.search(r"(middle|halfway|midway|right) between", text) and " but " not in text, text


def test_names_are_true_to_what_is_seen() -> None:
    named = {name.singular for name in ROOM_NAMES}
    assert not [one for one in named if "leather" in one or "cuckoo" in one]
    rug = class_index("rug")
    for variant in range(len(CLASSES[rug].variants)):
        assert main_colour(rug, variant, colour_index("red"), colour_index("cream")) == -1
    for name in ("dresser", "wardrobe"):
        assert main_colour(class_index(name), 1, colour_index("brown"), colour_index("brown")) == colour_index("brown")


def test_what_is_near_something_is_alone_in_that() -> None:
    checked = 0
    for target, said in told():
        sight = scene().at(target.place)
        tokens = [token for token in tokenize_sentence(said[0].text.string, True) if token.letter in "TRI"]
        if "".join(token.letter for token in tokens) != "TRT" or tokens[1].value != "near":
            continue
        what, beside = tokens[0].phrase, tokens[2].phrase
        assert what is not None and beside is not None
        own = sight.find(said[0].text.mentions[0].instance)
        seen = sight.share >= 1.5e-4
        others = [row for row in np.flatnonzero(match(what, sight) & seen) if row != own]
        near = [
            row
            for row in others
            for one in np.flatnonzero(match(beside, sight) & seen)
            if one != row and gap(sight, int(row), int(one)) < 6.0
        ]
        checked += 1
        assert not near, said[0].text.string
    assert checked > 5


def test_nothing_tiny_or_hidden_is_told_by() -> None:
    for target, said in told():
        sight = scene().at(target.place)
        for instance, text, _ in mentions(said):
            row = sight.find(instance)
            assert sight.share[row] >= 4e-4 and sight.top[row] - sight.bottom[row] >= 3.0, text
            assert sight.hidden[row] < 0.6, text


def test_only_tall_things_have_halves() -> None:
    halves = 0
    for target, said in told():
        sight = scene().at(target.place)
        for instance, text, before in mentions(said):
            if before.endswith("half of "):
                halves += 1
                row = sight.find(instance)
                assert sight.top[row] - sight.bottom[row] >= 14.0, text
    assert halves


def test_that_one_is_one_thing() -> None:
    assert all(text.count("that one") <= 1 for text in spoken())
    for _, said in told():
        if len(said) > 2 and re.search(
            r"(look at|focus|notice|note|find|locate)\b.* the (\S+ )+of [^.]*[.]$", said[-2].text.string.lower()
        ):
            part = not re.search(r"to the (left|right) of", said[-2].text.string)
            assert not (part and re.search(r"\b(of|above|below|from) it[.]", said[-1].text.string)), said


def test_who_counts_says_from_where() -> None:
    counted = [text for text in spoken() if re.search(r"\bthe (second|third)\b", text)]
    assert len(counted) > 5
    assert all(re.search(r"the (second|third) [^.,]*, count(ing|ed) from ", text) for text in counted)


def test_what_surface_a_spot_is_on_is_said() -> None:
    said_so = []
    for target, said in told():
        surface = next((one for one in ("wall", "floor", "ceiling") if target.kind in SURFACES[one]), "")
        if surface:
            said_so.append(f"the {surface}" in said[-1].text.string.lower())
    assert len(said_so) > 40 and np.mean(said_so) > 0.95


def test_waldo_sits_and_stands_where_one_can() -> None:
    here, sitting = scene(), 0
    for _, said in told():
        last = said[-1].text.string.lower()
        if re.search(r"is (sitting|standing)", last) and "the floor" not in last:
            sitting += 1
            thing = said[-1].text.mentions[0].instance - 1
            assert CLASSES[int(here.plan.things["kind"][thing])].name.endswith(SAT_ON), last
    assert any("sitting" in text for text in spoken()) and sitting < 0.1 * len(told())


def test_a_thing_has_one_name_in_a_text() -> None:
    for _, said in told():
        called: dict[int, set[str]] = {}
        for instance, text, _ in mentions(said):
            if text not in ("it", "that one"):
                plain = re.sub(r"^(the other|another|the|this|that|some|an|a) ", "", text)
                called.setdefault(instance, set()).add(re.sub(r"^(second|third) ", "", plain))
        assert all(len(names) == 1 for names in called.values()), [one.text.string for one in said]


def test_above_is_over_the_upper_edge() -> None:
    pairs = 0
    for place in range(ROOMS):
        sight = scene().at(place)
        for row in range(len(sight)):
            high = sight.top[row] - sight.bottom[row]
            above = np.isfinite(relation_cost(sight, "above", ViewBox.of(sight, row)))
            pairs += int(above.sum())
            assert (sight.bottom[above] >= sight.top[row] - 0.1 * high - 0.51).all()
            aside = np.maximum(sight.width[above], sight.width[row]) / 2 + 2.01
            assert (np.abs(turn(sight.heading[row], sight.heading[above])) <= aside).all()
    assert pairs > 300
