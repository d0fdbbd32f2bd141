"""Follows Refer360-like sequences: where one looks after each sentence, by the sentences and the true scene alone.

Each sentence becomes a row of pieces (words.PIECES) and noun phrases; words that are neither do no harm. What
was named before is remembered, so that "it" and "that sign" are found. Whoever gets only the last sentences guesses:
what is not known is left out, and of several things that fit, the one that catches the eye is taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from bearleft.geometry import Floats
from bearleft.language.lexicon.lexicon import ORDINALS
from bearleft.language.noun_phrases import Phrase, chunk, match
from bearleft.language.referring.target_location import CLOSER, Measure, Part, Placing, resolve
from bearleft.language.referring.templates import PIECES, WORDS
from bearleft.language.referring.view import (
    INVERSE,
    SMALLEST,
    Relation,
    Side,
    Spot,
    best,
    beyond,
    cost,
    looking,
    noticed,
    nth,
    salience,
)
from bearleft.language.scene_index import SceneIndex, Sight
from bearleft.language.spelling import mend, vocabulary
from bearleft.records import Direction

SIDES: tuple[Side, ...] = "left", "right", "above", "below"
LEVEL = 0.0  # the pitch of a guess
RESERVED = ("wall", "floor", "ceiling", "ground")  # said of where something is, never looked for


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a sentence, or a noun phrase (letter T)."""

    letter: str
    value: Any = None
    phrase: Phrase | None = None


@cache
def _readers() -> tuple[tuple[str, Any, re.Pattern[str]], ...]:
    return tuple(
        (p.letter, p.value, re.compile(p.template.reader.pattern + (f"(?!{p.unless})" if p.unless else "")))
        for p in PIECES
    )


@cache
def read(sentence: str, indoors: bool = False) -> tuple[Token, ...]:
    """The pieces of a sentence, in order."""
    said, phrases = chunk(mend(sentence, vocabulary(*WORDS, indoors=indoors)), RESERVED, indoors)
    found: list[Token] = []
    at = 0
    while at < len(said):
        if said[at] == "@":
            end = said.index(" ", at) + 1
            found.append(Token("T", phrase=phrases[int(said[at + 1 : end])]))
            at = end
            continue
        longest, token = at, None
        for letter, value, reader in _readers():
            matched = reader.match(said, at)
            if matched and matched.end() > longest:
                longest = matched.end()
                number = matched.groupdict().get("nth")
                token = Token(letter, ORDINALS[number.strip()] if number else value)
        if token is not None:
            found.append(token)
            at = longest
        else:
            at = said.index(" ", at) + 1
    return tuple(found)


def look(sentences: Sequence[str], scene: SceneIndex, place: int, start: Direction) -> list[Direction]:
    """Where one looks after each sentence; the last is the answer."""
    reader = Reader(scene, place, start)
    return [reader.follow(sentence) for sentence in sentences]


@dataclass
class _Asked:
    """A thing to look for: what it is called and what is said of it."""

    phrase: Phrase | None = None
    said: list[tuple[Relation, list[Spot]]] = field(default_factory=list)
    nearest: bool = False


class Reader:
    """One who follows a sequence: where they look, and what was named so far."""

    def __init__(self, scene: SceneIndex, place: int, start: Direction) -> None:
        self.scene, self.place = scene, place
        self.sight: Sight = scene.at(place)
        self.yaw = float(scene.city.graph.yaw[place])
        self.view = start
        self.focus: Spot | None = None  # what one looks at, None as long as nothing was found
        self.named: list[int] = []  # instances, the latest last

    def follow(self, sentence: str) -> Direction:
        """Where one looks after a sentence."""
        tokens = list(read(sentence, self.scene.plan.indoors))
        waldo = next((k for k, token in enumerate(tokens) if token.letter == "W"), None)
        if waldo is None:
            self._seek(tokens)
        else:
            before = tokens[:waldo]
            if any(token.letter in "TPM" for token in before):
                self._seek(before)
            self._place(tokens[waldo + 1 :])
        return self.view

    # Looking for things.

    def _seek(self, tokens: list[Token]) -> None:
        for clause in _clauses(tokens):
            self._clause(clause)

    def _clause(self, tokens: list[Token]) -> None:
        asked = _Asked()
        part: Part | None = None
        relation: Relation | None = None
        moved: Relation | None = None
        inside = False  # after "with": what it has
        owned: Phrase | None = None
        for k, token in enumerate(tokens):
            if token.letter in ("M", "D"):
                moved = token.value
            elif token.letter == "R":
                relation = token.value
            elif token.letter == "P":
                part = token.value
            elif token.letter == "E":
                asked.nearest = True
            elif token.letter == "I":
                inside = True
            elif token.letter in ("T", "H"):
                phrase = token.phrase
                if owned is not None and relation is not None:
                    asked.said.append((INVERSE[relation], self._spots(owned)))
                    owned = relation = None
                elif relation is not None:
                    last = not any(other.letter in "TH" for other in tokens[k + 1 :])
                    if asked.phrase is None and last and phrase is not None and not phrase.coreferent:
                        # "above is a sign": what was to be the anchor is the thing itself.
                        asked.phrase, moved = phrase, relation
                    else:
                        asked.said.append((relation, self._spots(phrase)))
                    relation = None
                elif inside and asked.phrase is not None and phrase is not None:
                    owned, inside = phrase, False
                elif asked.phrase is None and phrase is not None:
                    asked.phrase = phrase
        if owned is not None:
            asked.said.append((relation or "near", self._spots(owned)))
        if moved is not None and self.focus is not None:
            asked.said.append((moved, [self.focus]))
        found = self._found(asked, moved)
        if found is None:
            self._go(moved or relation, asked)
            if part is not None and self.focus is not None:
                self._see(self.focus.part(*part))
        else:
            self._see(found if part is None else found.part(*part))

    def _go(self, moved: Relation | None, asked: _Asked) -> None:
        """Nothing to find: turn the view as far as is said."""
        if moved is None and asked.said:
            moved, spots = asked.said[-1]
            if len(spots) == 1:
                self.focus = spots[0]
        spot = self.focus or Spot.at(self.view)
        if moved in SIDES and self.focus is not None:
            self._see(Spot.at(looking(*beyond(spot, moved, 12.0))))
        elif moved in ("around", "across"):
            heading = spot.heading + 180.0 if moved == "around" else 2 * self.yaw - spot.heading
            self._see(Spot.at(looking(heading, LEVEL)))

    def _see(self, spot: Spot) -> None:
        self.focus, self.view = spot, spot.direction
        if spot.instance:
            self.named.append(spot.instance)

    def _found(self, asked: _Asked, moved: Relation | None) -> Spot | None:
        phrase = asked.phrase
        if phrase is None:
            return None
        if phrase.coreferent or (not asked.said and not phrase.words.startswith(("a ", "an ", "another "))):
            known = self._known(phrase)
            if known is not None and not asked.said:
                return known
        if phrase.pronoun:
            return None
        fits = match(phrase, self.sight)
        large = fits & (self.sight.share >= SMALLEST)
        fits = large if large.any() else fits
        if not fits.any():
            return None
        if phrase.ordinal and moved in ("left", "right") and self.focus is not None:
            row = nth(self.sight, fits, moved, self.focus, phrase.ordinal)
            if row >= 0:
                return Spot.of(self.sight, row)
        if asked.nearest:
            row = int(np.argmin(np.where(fits, self.sight.nearest, np.inf)))
            return Spot.of(self.sight, row)
        costs: list[Floats] = []
        for relation, spots in asked.said:
            if spots:
                some = np.min([cost(self.sight, relation, spot, self.yaw) for spot in spots], axis=0)
                if np.isfinite(some[fits]).any():
                    costs.append(some)
        costs.append(noticed(self.sight) if costs else salience(self.sight))
        row, _ = best(costs, fits)
        return Spot.of(self.sight, row) if row >= 0 else None

    def _known(self, phrase: Phrase | None) -> Spot | None:
        """What a phrase means by what was named before; None for nothing."""
        if phrase is None or phrase.pronoun:
            return self.focus
        fits = match(phrase, self.sight)
        for instance in reversed(self.named):
            row = self.sight.find(instance)
            if row >= 0 and fits[row]:
                focus = self.focus
                return focus if focus is not None and focus.instance == instance else Spot.of(self.sight, row)
        return None

    def _spots(self, phrase: Phrase | None) -> list[Spot]:
        """All that a phrase may mean; what was named before comes alone."""
        known = self._known(phrase)
        if known is not None:
            return [known]
        if phrase is None or phrase.pronoun:
            return []
        fits = match(phrase, self.sight) & (self.sight.share >= SMALLEST)
        return [Spot.of(self.sight, int(row)) for row in np.flatnonzero(fits)]

    # Placing Waldo.

    def _place(self, tokens: list[Token]) -> None:
        anchor: Spot | None = None
        others: list[Spot] = []
        moves: list[tuple[Side, Measure]] = []
        part: Part = (0, 0)
        level: Part | None = None
        share: float | None = None
        pending: list[Measure] = []
        surface, window, levelled, closer = "", 0, False, False
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
                if levelled:
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
            elif token.letter == "L":
                levelled, level = True, (0, 0)
            elif token.letter in ("T", "H"):
                spot = self._meant(token.phrase)
                if spot is None:
                    continue
                if closer and share is not None and anchor is not None:
                    share = CLOSER if spot.instance == anchor.instance else 1 - CLOSER
                elif anchor is None and not levelled:
                    anchor = spot
                else:
                    others.append(spot)
        anchor = anchor or self.focus
        if anchor is None:
            # Nothing is known: one looks ahead, and on a thing that was at least named.
            known = others[0].direction if others else looking(self.view.heading, LEVEL)
            self.view = known
            return
        other = others[0] if others else None
        placing = Placing(
            anchor,
            part,
            tuple(_pair(moves)),
            other,
            share if other else None,
            level if other else None,
            window,
            surface,
        )
        self.view = resolve(placing, self.scene, self.place)
        self.focus = Spot.at(self.view)

    def _meant(self, phrase: Phrase | None) -> Spot | None:
        """The one thing that a phrase of a last sentence means."""
        known = self._known(phrase)
        if known is not None or phrase is None or phrase.pronoun:
            return known
        asked = _Asked(phrase, [("near", [self.focus])] if self.focus is not None else [])
        return self._found(asked, None)


def _pair(moves: list[tuple[Side, Measure]]) -> list[tuple[Side, Measure]]:
    """One move upwards and one across."""
    upward = [move for move in moves if move[0] in ("above", "below")][:1]
    across = [move for move in moves if move[0] in ("left", "right")][:1]
    return upward + across


def _clauses(tokens: list[Token]) -> list[list[Token]]:
    """The tokens between full stops."""
    found: list[list[Token]] = [[]]
    for token in tokens:
        if token.letter == ".":
            found.append([])
        else:
            found[-1].append(token)
    return [clause for clause in found if clause]
