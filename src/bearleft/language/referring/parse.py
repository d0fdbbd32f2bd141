"""Follower of Refer360-like sequences: the view after each sentence, from the sentences and the true scene.

Each sentence becomes a row of pieces (templates.PIECES) and noun phrases; other words are skipped. Named objects are
remembered, so that "it" and "that sign" are resolved. Given only the last sentences, the follower guesses: it
ignores words that it does not know, and of several matching objects it takes the most conspicuous.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from bearleft.geometry import Floats
from bearleft.language.lexicon.lexicon import ORDINALS
from bearleft.language.noun_phrases import Phrase, chunk, match
from bearleft.language.phrases import GROUP_NOUNS
from bearleft.language.referring.named_parts import find_part, part_pattern, part_words, possessive_pattern
from bearleft.language.referring.supports import SPOTS, Spot, at_spot
from bearleft.language.referring.target_location import (
    CLOSER_SHARE,
    Body,
    Edge,
    Measure,
    Part,
    TargetLocation,
    resolve,
)
from bearleft.language.referring.templates import PIECES, TEMPLATE_SOURCES, Piece
from bearleft.language.referring.view import (
    INVERSE,
    MIN_VISIBLE_SHARE,
    Relation,
    Side,
    ViewBox,
    best_match,
    clamped_direction,
    inconspicuousness,
    nth_on_side,
    offset_from_box,
    order_from_left,
    relation_cost,
    seam_pitch,
    size_cost,
    union_box,
)
from bearleft.language.scene_index import SceneIndex, VisibleObjects
from bearleft.language.spelling import fix_typos, vocabulary
from bearleft.language.template_index import TemplateIndex
from bearleft.records import Direction

SIDES: tuple[Side, ...] = "left", "right", "above", "below"
GUESS_PITCH = 0.0  # degrees
RESERVED_NOUNS = (
    "wall",
    "floor",
    "ceiling",
    "ground",
    "grass",
    "sidewalk",
    "road",
    "street",
    "crosswalk",
    "sky",
)  # part of locations, never searched for


# "To the left of him" means a man that was named, "the bottom of him" means Waldo.
_PERSON_PRONOUN = re.compile(
    r"(?<!bottom )\b(of|above|over|below|under|underneath|beneath|behind|beside|to|near|by|past|beyond|on|from|"
    r"alongside|and|between) (?:him|her)\b(?!'| \w*(?:head|hand|feet|shirt)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a sentence, or a noun phrase (letter T)."""

    letter: str
    value: Any = None
    phrase: Phrase | None = None


@cache
def _piece_index() -> TemplateIndex[Piece]:
    return TemplateIndex((piece.template, piece) for piece in PIECES)


@cache
def _piece_regex(piece: Piece) -> re.Pattern[str]:
    return re.compile(piece.template.pattern + (f"(?!{piece.unless})" if piece.unless else ""))


@cache
def tokenize_sentence(sentence: str, indoors: bool = False) -> tuple[Token, ...]:
    """Return the pieces of a sentence, in order."""
    string, phrases = chunk(
        fix_typos(_expand_possessives(sentence), vocabulary(*TEMPLATE_SOURCES, indoors=indoors)),
        RESERVED_NOUNS,
        indoors,
    )
    pieces: list[Token] = []
    position = 0
    while position < len(string):
        if string[position] == "@":
            end = string.index(" ", position) + 1
            phrase = phrases[int(string[position + 1 : end])]
            part = _part_word(phrase) if string.startswith("of @", end) else ""
            pieces.append(Token("n", part) if part else Token("T", phrase=phrase))
            position = end
            continue
        part_of = part_pattern().match(string, position)
        if part_of:
            pieces.append(Token("n", part_of[1].strip()))
            position = part_of.end()
            continue
        end_of_longest, token = position, None
        for piece in _piece_index().candidates(string, position):
            matched = _piece_regex(piece).match(string, position)
            if matched and matched.end() > end_of_longest:
                end_of_longest = matched.end()
                number = matched.groupdict().get("nth")
                token = Token(piece.letter, ORDINALS[number.strip()] if number else piece.value)
        if token is not None:
            pieces.append(token)
            position = end_of_longest
        else:
            position = string.index(" ", position) + 1
    return tuple(pieces)


def _expand_possessives(sentence: str) -> str:
    """Return a sentence with "the seat of the chair" for "the chair's seat", and "it" for a person."""
    return _PERSON_PRONOUN.sub(r"\1 it", possessive_pattern().sub(r"the \3 of \1 \2", sentence))


def _part_word(phrase: Phrase) -> str:
    """Return the longest end of a phrase that names a part, "" for none: "the pillow" in "the pillow of the bed"."""
    words = phrase.words.split()
    return next((part for k in range(len(words)) if (part := " ".join(words[k:])) in part_words()), "")


def follow_sentences(sentences: Sequence[str], scene: SceneIndex, place: int, start: Direction) -> list[Direction]:
    """Return the view after each sentence; the last is the answer."""
    follower = SequenceFollower(scene, place, start)
    return [follower.follow(sentence) for sentence in sentences]


@dataclass
class _Query:
    """A search for an object: its name and relations."""

    phrase: Phrase | None = None
    relations: list[tuple[Relation, list[ViewBox]]] = field(default_factory=list)
    nearest: bool = False
    spot: Spot | None = None
    grouped: bool = False  # "the row of chairs", "the two chairs"
    member: str = ""  # "left" for "the one on the left"
    from_side: str = ""  # "left" for "from the left"


class SequenceFollower:
    """Follower of a sequence: the current view, and the named objects."""

    def __init__(self, scene: SceneIndex, place: int, start: Direction) -> None:
        self.scene, self.place = scene, place
        self.visible: VisibleObjects = scene.at(place)
        self.yaw = float(scene.city.graph.yaw[place])
        self.view = start
        self.focus: ViewBox | None = None  # None until something was found
        self.named: list[int] = []  # instances, the latest last
        self.group: list[int] = []  # rows of the group named last

    def follow(self, sentence: str) -> Direction:
        """Return the view after a sentence."""
        tokens = list(tokenize_sentence(sentence, self.scene.plan.indoors))
        waldo = next((k for k, token in enumerate(tokens) if token.letter == "W"), None)
        if waldo is None:
            self._search(tokens)
        else:
            before, after = tokens[:waldo], tokens[waldo + 1 :]
            if any(token.letter in "TPM" for token in before):
                if not any(token.letter in "TPRSBH" for token in after):
                    self._locate_waldo(before)  # "to the left of the sign is waldo"
                    return self.view
                self._search(before)
            self._locate_waldo(after)
        return self.view

    # Search for objects.

    def _search(self, tokens: list[Token]) -> None:
        for clause in _split_clauses(tokens):
            self._search_clause(clause)

    def _search_clause(self, tokens: list[Token]) -> None:
        query = _Query()
        part: Part | None = None
        relation: Relation | None = None
        turned: Relation | None = None
        after_with = False  # after "with"
        owned_phrase: Phrase | None = None
        named_part, edge = "", ""
        for k, token in enumerate(tokens):
            following = tokens[k + 1].letter if k + 1 < len(tokens) else ""
            if token.letter in ("M", "D"):
                turned = token.value
            elif token.letter == "R":
                relation = token.value
            elif token.letter == "O":
                relation = "on" if following in ("T", "H") else relation
            elif token.letter in ("S", "A"):
                if query.phrase is not None and not query.relations and relation is None and owned_phrase is None:
                    spot = "building" if token.value == "wall" and not self.scene.plan.indoors else token.value
                    query.spot = spot if spot in SPOTS else None
            elif token.letter == "n":
                named_part = token.value
            elif token.letter == "j":
                edge = token.value
            elif token.letter == "U":
                query.grouped = True
            elif token.letter == "G":
                query.member = token.value
            elif token.letter == "V":
                query.from_side = token.value
            elif token.letter == "P":
                part = token.value
            elif token.letter == "E":
                query.nearest = True
            elif token.letter == "I":
                after_with = True
            elif token.letter in ("T", "H"):
                phrase = token.phrase
                if owned_phrase is not None and relation is not None:
                    query.relations.append((INVERSE[relation], self._candidate_boxes(owned_phrase)))
                    owned_phrase = relation = None
                elif relation is not None:
                    last = not any(other.letter in "TH" for other in tokens[k + 1 :])
                    if query.phrase is None and last and phrase is not None and not phrase.coreferent:
                        # "above is a sign": the apparent anchor is the object itself.
                        query.phrase, turned = phrase, relation
                    else:
                        query.relations.append((relation, self._candidate_boxes(phrase)))
                    relation = None
                elif after_with and query.phrase is not None and phrase is not None:
                    owned_phrase, after_with = phrase, False
                elif query.phrase is None and phrase is not None:
                    query.phrase = phrase
        if owned_phrase is not None:
            query.relations.append((relation or "near", self._candidate_boxes(owned_phrase)))
        if turned is not None and self.focus is not None:
            query.relations.append((turned, [self.focus]))
        box = self._best_box(query, turned)
        if box is None and query.phrase is not None and query.phrase.pronoun:
            box = self.focus
        if named_part and box is not None:
            box = find_part(self.visible, box.instance, named_part) or box
        if edge:
            self._look_at_edge(box or self.focus, edge)
        elif box is None:
            self._turn_view(turned or relation, query)
            if part is not None and self.focus is not None:
                self._set_focus(self.focus.part(*part))
        else:
            self._set_focus(box if part is None else box.part(*part))

    def _look_at_edge(self, box: ViewBox | None, edge: str) -> None:
        """Look where the wall above or below a box ends."""
        if box is not None:
            seam = seam_pitch(self.scene, self.place, box.heading, edge)
            if seam is not None:
                self._set_focus(ViewBox.at(clamped_direction(box.heading, seam), box.distance))

    def _turn_view(self, turned: Relation | None, query: _Query) -> None:
        """Turn the view as described, without an object to find."""
        if turned is None and query.relations:
            turned, boxes = query.relations[-1]
            if len(boxes) == 1:
                self.focus = boxes[0]
        box = self.focus or ViewBox.at(self.view)
        if turned in SIDES and self.focus is not None:
            self._set_focus(ViewBox.at(clamped_direction(*offset_from_box(box, turned, 12.0))))
        elif turned in ("around", "across"):
            heading = box.heading + 180.0 if turned == "around" else 2 * self.yaw - box.heading
            self._set_focus(ViewBox.at(clamped_direction(heading, GUESS_PITCH)))

    def _set_focus(self, box: ViewBox) -> None:
        self.focus, self.view = box, box.direction
        if box.instance:
            self.named.append(box.instance)

    def _best_box(self, query: _Query, turned: Relation | None) -> ViewBox | None:
        """Return the box of the best match of a query, or None."""
        phrase = query.phrase
        if query.member and self.group and (phrase is None or self._fits_group(phrase)):
            return self._member(self.group, query.member, 0)
        if phrase is None:
            return None
        if query.from_side and phrase.ordinal and self._fits_group(phrase):
            return self._member(self.group, query.from_side, phrase.ordinal)
        if query.grouped or phrase.number > 1 or _is_group(phrase):
            group = self._group(phrase)
            if group is not None:
                return group
        if phrase.coreferent or (not query.relations and not phrase.words.startswith(("a ", "an ", "another "))):
            mentioned = self._mentioned_before(phrase)
            if mentioned is not None and not query.relations:
                return mentioned
        if phrase.pronoun:
            return None
        fits = match(phrase, self.visible)
        noticeable = fits & (self.visible.share >= MIN_VISIBLE_SHARE)
        fits = noticeable if noticeable.any() else fits
        if query.spot is not None:
            there = fits & at_spot(self.scene, self.visible, query.spot)
            fits = there if there.any() else fits
        if not fits.any():
            return None
        if query.member:
            return self._member([int(row) for row in np.flatnonzero(fits)], query.member, 0)
        if phrase.ordinal and turned in ("left", "right") and self.focus is not None:
            row = nth_on_side(self.visible, fits, turned, self.focus, phrase.ordinal)
            if row >= 0:
                return ViewBox.of(self.visible, row)
        if query.nearest:
            row = int(np.argmin(np.where(fits, self.visible.nearest, np.inf)))
            return ViewBox.of(self.visible, row)
        costs: list[Floats] = []
        for relation, boxes in query.relations:
            if boxes:
                costs_of_relation = np.min(
                    [relation_cost(self.visible, relation, box, self.yaw) for box in boxes], axis=0
                )
                if np.isfinite(costs_of_relation[fits]).any():
                    costs.append(costs_of_relation)
        costs.append(inconspicuousness(self.visible) if costs else size_cost(self.visible))
        row, _ = best_match(costs, fits)
        return ViewBox.of(self.visible, row) if row >= 0 else None

    def _fits_group(self, phrase: Phrase) -> bool:
        return bool(self.group) and bool(match(phrase, self.visible)[self.group].all())

    def _group(self, phrase: Phrase) -> ViewBox | None:
        """Return the box around all objects that a phrase may mean, and remember them; None for less than two."""
        fits = match(phrase, self.visible) & (self.visible.share >= MIN_VISIBLE_SHARE)
        rows = [int(row) for row in np.flatnonzero(fits)]
        if len(rows) < 2:
            return None
        self.group = rows
        return union_box([ViewBox.of(self.visible, row) for row in rows])

    def _member(self, rows: list[int], side: str, number: int) -> ViewBox | None:
        """Return one of several objects: the outermost on a side, the middle one, or the n-th from a side."""
        ordered = order_from_left(self.visible, rows)
        if side == "right":
            ordered.reverse()
        k = number - 1 if number > 0 else len(ordered) // 2 if side == "middle" else 0
        return ViewBox.of(self.visible, ordered[k]) if k < len(ordered) else None

    def _mentioned_before(self, phrase: Phrase | None) -> ViewBox | None:
        """Return the previously named object that a phrase refers to, or None."""
        if phrase is None or phrase.pronoun:
            return self.focus
        fits = match(phrase, self.visible)
        for instance in reversed(self.named):
            row = self.visible.find(instance)
            if row >= 0 and fits[row]:
                focus = self.focus
                return focus if focus is not None and focus.instance == instance else ViewBox.of(self.visible, row)
        return None

    def _candidate_boxes(self, phrase: Phrase | None) -> list[ViewBox]:
        """Return the boxes of all objects that a phrase may mean, or only of the one named before."""
        mentioned = self._mentioned_before(phrase)
        if mentioned is not None:
            return [mentioned]
        if phrase is None or phrase.pronoun:
            return []
        fits = match(phrase, self.visible) & (self.visible.share >= MIN_VISIBLE_SHARE)
        return [ViewBox.of(self.visible, int(row)) for row in np.flatnonzero(fits)]

    # Location of Waldo.

    def _locate_waldo(self, tokens: list[Token]) -> None:
        anchor: ViewBox | None = None
        others: list[ViewBox] = []
        moves: list[tuple[Side, Measure]] = []
        part: Part = (0, 0)
        level: Part | None = None
        share: float | None = None
        pending: list[Measure] = []
        surface, window, has_level, closer = "", 0, False, False
        named_part = ""
        toward: Edge = ""
        touched: Edge = ""
        body: Body = ""
        for token in tokens:
            if token.letter == "." and (anchor is not None or moves):
                break
            if token.letter == "Q":
                pending = [token.value]
            elif token.letter in ("R", "D", "M"):
                side = {"before": "below", "near": "right", "behind": "above"}.get(str(token.value), token.value)
                if side in SIDES and anchor is None:
                    moves.append((side, pending.pop() if pending else None))
            elif token.letter == "P":
                if has_level:
                    level = token.value
                elif anchor is None:
                    part = token.value
            elif token.letter == "S":
                surface = surface or str(token.value)
            elif token.letter == "N":
                window = int(token.value)
            elif token.letter == "B":
                share = 0.5
            elif token.letter == "C":
                closer = True
            elif token.letter == "n":
                named_part = token.value
            elif token.letter == "K":
                toward = token.value if share is not None else toward
            elif token.letter == "Y":
                body = token.value
            elif token.letter == "J":
                touched = token.value if body else touched
            elif token.letter == "O":
                if token.value == "top" and anchor is None and not moves:
                    part = (0, 1)
            elif token.letter == "L":
                has_level, level = True, (0, 0)
            elif token.letter in ("T", "H") and not body:
                if share is not None and token.phrase is not None and self._means_two(token.phrase):
                    others += self._two_boxes(token.phrase)
                    anchor = others.pop(0) if others else anchor
                    continue
                box = self._resolve_phrase(token.phrase)
                if box is None:
                    continue
                if named_part:
                    box, named_part = find_part(self.visible, box.instance, named_part) or box, ""
                if closer and share is not None and anchor is not None:
                    share = CLOSER_SHARE if box.instance == anchor.instance else 1 - CLOSER_SHARE
                elif anchor is None and not has_level:
                    anchor = box
                else:
                    others.append(box)
        anchor = anchor or self.focus
        if anchor is None:
            # Nothing is known: look ahead, or at an object that was mentioned.
            guess = others[0].direction if others else clamped_direction(self.view.heading, GUESS_PITCH)
            self.view = guess
            return
        other = others[0] if others else None
        location = TargetLocation(
            anchor,
            part,
            tuple(_one_move_per_axis(moves)),
            other,
            share if other else None,
            level if other else None,
            window,
            surface,
            toward,
            body,
            touched,
        )
        self.view = resolve(location, self.scene, self.place)
        self.focus = ViewBox.at(self.view)

    def _means_two(self, phrase: Phrase) -> bool:
        """Return whether a phrase means two objects: "the two chairs", "both chairs" or "them"."""
        return phrase.number == 2 or (phrase.plural and len(self.group) == 2)

    def _two_boxes(self, phrase: Phrase) -> list[ViewBox]:
        """Return the boxes of the two objects that a phrase means, or of the group named last for "them"."""
        if len(self.group) == 2 and (phrase.pronoun or self._fits_group(phrase)):
            return [ViewBox.of(self.visible, row) for row in self.group]
        fits = match(phrase, self.visible) & (self.visible.share >= MIN_VISIBLE_SHARE)
        rows = np.flatnonzero(fits)
        return [ViewBox.of(self.visible, int(row)) for row in rows] if len(rows) == 2 else []

    def _resolve_phrase(self, phrase: Phrase | None) -> ViewBox | None:
        """Return the object that a phrase of a last sentence refers to."""
        mentioned = self._mentioned_before(phrase)
        if mentioned is not None or phrase is None or phrase.pronoun:
            return mentioned
        query = _Query(phrase, [("near", [self.focus])] if self.focus is not None else [])
        return self._best_box(query, None)


def _is_group(phrase: Phrase) -> bool:
    """Return whether a phrase is of the form "the row of chairs"."""
    words = phrase.words.split()
    return any(word in GROUP_NOUNS and following == "of" for word, following in pairwise(words))


def _one_move_per_axis(moves: list[tuple[Side, Measure]]) -> list[tuple[Side, Measure]]:
    """Return the first vertical and the first horizontal move."""
    upward = [move for move in moves if move[0] in ("above", "below")][:1]
    across = [move for move in moves if move[0] in ("left", "right")][:1]
    return upward + across


def _split_clauses(tokens: list[Token]) -> list[list[Token]]:
    """Return the tokens between full stops, and before "and find" where something was named already."""
    clauses: list[list[Token]] = [[]]
    for token in tokens:
        if token.letter == ".":
            clauses.append([])
        elif token.letter == "&":
            clause = clauses[-1]
            before = ["-", *(other.letter for other in clause)]
            if any(other.letter == "T" and before[k] not in "ROPB" for k, other in enumerate(clause)):
                clauses.append([])
        else:
            clauses[-1].append(token)
    return [clause for clause in clauses if clause]
