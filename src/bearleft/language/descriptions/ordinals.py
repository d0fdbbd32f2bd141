"""Objects picked by their rank: "the first tree on your left", "the second one from the right"."""

from __future__ import annotations

import numpy as np

from bearleft.geometry import turn
from bearleft.language.annotated_text import Text
from bearleft.language.descriptions import templates
from bearleft.language.descriptions.anchors import MIN_SHARE
from bearleft.language.descriptions.semantics import DEGREES_PER_POINT, MAX_SCORE_GAP, SIDES, SortKey, Viewpoint
from bearleft.language.lexicon.lexicon import ordinal_word
from bearleft.language.noun_phrases import Phrase
from bearleft.language.writer_random import WriterRandom
from bearleft.world.city.catalog import class_index

BUILDING = class_index("building")
MAX_RANK = {True: 3, False: 1}  # with and without a side of the viewer
MAX_HIDDEN, MIN_OTHER_SHARE = 0.5, 1.5e-4  # of objects that are counted, and of the one after them
MAX_METRES = 30.0
MIN_GAP, MIN_RATIO = 1.5, 1.2  # metres and ratio of distances of two objects in the count
RANK_RATE = 0.7  # how often one of a group is picked by its rank rather than as "the closest one"
SIDE_MARGIN = 6.0  # degrees that objects must lie inside of the side on which they are counted
MAX_ANGLE = 95.0  # degrees from the heading: what lies behind the viewer is not counted
# Words for the first object with and without a side, and weights; "{side}" is replaced.
FIRST_WORDS = {
    True: {"first {noun} {side}": 10.0, "very first {noun} {side}": 0.7, "{noun} closest to you {side}": 2.0},
    False: {"first {noun}": 5.0, "{noun} closest to you": 4.0, "first {noun} closest to you": 2.0},
}


def count_rank(viewpoint: Viewpoint, row: int, phrase: Phrase, side: str) -> int:
    """Return the rank of an object among those that a phrase fits, by their distance; 0 if a reader could miscount.

    Args:
        viewpoint: The viewpoint.
        row: Row of the object.
        phrase: Its noun phrase.
        side: Side of the viewer on which objects are counted, "" for all around.
    """
    visible = viewpoint.visible
    if visible.kind[row] == BUILDING:
        return 0  # how far a building is depends on which end is meant
    rows = np.flatnonzero(viewpoint.match(phrase))
    if side:
        middle, half = SIDES[side]
        angle = np.abs(turn(viewpoint.heading + middle, visible.heading[rows]))
        rows = rows[angle < half + MAX_SCORE_GAP * DEGREES_PER_POINT]
    rows = rows[np.argsort(visible.nearest[rows], kind="stable")]
    at = int(np.flatnonzero(rows == row)[0]) if row in rows else -1
    if not 0 <= at < min(MAX_RANK[bool(side)], len(rows) - 1):
        return 0
    counted, metres = rows[: at + 1], visible.nearest[rows[: at + 2]]
    if (visible.share[counted] < MIN_SHARE).any() or visible.share[rows[at + 1]] < MIN_OTHER_SHARE:
        return 0
    if (visible.hidden[counted] > MAX_HIDDEN).any() or metres[at] > MAX_METRES:
        return 0
    if side:
        off = np.abs(turn(viewpoint.heading + middle, visible.heading[counted]))
        behind = np.abs(turn(viewpoint.heading, visible.heading[counted])) > MAX_ANGLE
        if (behind | (off > half - SIDE_MARGIN)).any():
            return 0
    if (np.diff(metres) < MIN_GAP).any() or (metres[1:] < MIN_RATIO * metres[:-1]).any():
        return 0
    return at + 1


def ranked_words(random: WriterRandom, noun: Text, rank: int, side: str) -> Text:
    """Return a noun phrase with its rank: "the second tree on your left", "the tree closest to you".

    Args:
        random: Source of randomness.
        noun: The noun phrase with the article "the".
        rank: The rank, from 1.
        side: Words for the side of the viewer, "" for none.
    """
    table = FIRST_WORDS[bool(side)]
    form = random.pick(f"first{' on a side' * bool(side)}", table) if rank == 1 else next(iter(table))
    words = form.format(noun=noun.string.removeprefix("the "), side=side).replace("first", ordinal_word(rank), 1)
    phenomena = ["unique entity"] + ["sequencing"] * (rank > 1 or "first" in form) + ["comparison"] * ("est " in form)
    phenomena += ["egocentric"] * bool(side or "to you" in form)
    return Text(f"the {words}").with_annotations(*phenomena).with_mentions(*{m.instance for m in noun.mentions})


def picked_words(random: WriterRandom, noun: str, by: SortKey, rank: int, count: int) -> Text:
    """Return words for one object of a group that was named before.

    Args:
        random: Source of randomness.
        noun: Noun for one of them.
        by: How they are counted.
        rank: The rank of the object, from 1.
        count: Number of objects in the group.
    """
    if rank == 1:
        words = random.choice(templates.PICK_NOUNS[by].split("|")[:5])
        if random.random() < RANK_RATE:
            words = f"the first {'one' if random.chance('one', 0.5) else noun}"
            words += f" {templates.RANK_SUFFIXES[by].split('|')[0]}" if by in templates.RANK_SUFFIXES else ""
        elif random.chance("picked noun", 0.5):
            words = f"the {random.choice(templates.PICK_ADJECTIVES[by].split('|')[:2])} {noun}"
    elif by in ("left", "right"):
        noun = "one" if random.chance("one", 0.5) else noun
        words = f"the {ordinal_word(rank)} {noun} {random.choice(templates.RANK_SUFFIXES[by].split('|')[:1])}"
        if rank == count and random.random() >= RANK_RATE:
            other: SortKey = "right" if by == "left" else "left"
            words = random.choice(templates.PICK_NOUNS[other].split("|")[:5])
    else:
        words = (
            f"the {ordinal_word(rank)} one" if rank < count else random.choice(templates.PICK_NOUNS["far"].split("|"))
        )
    phenomena = ["coreference"] + ["comparison"] * ("est" in words or "most" in words or "er " in words)
    phenomena += ["sequencing"] * (rank > 1 or "first" in words)
    return Text(words).with_annotations(*phenomena)
