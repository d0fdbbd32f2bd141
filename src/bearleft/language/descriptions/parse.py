"""Parser of target descriptions.

A text is split into noun phrases and the words of the lexicon; everything else is skipped. Attachment follows from word
order alone: a relation joins the object before it with the object after it. If no object precedes it in its clause, the
subject is the next object after them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np

from bearleft.language.descriptions import templates
from bearleft.language.descriptions.lexer import LexicalItem, lex, lexicon_phrases
from bearleft.language.descriptions.locate import locate_target
from bearleft.language.descriptions.semantics import Meaning, Ref, Relation, Selector, SortKey, Spot
from bearleft.language.lexicon.lexicon import NUMBERS, PARTS
from bearleft.language.noun_phrases import ARTICLES, Phrase, chunk
from bearleft.language.scene_index import SceneIndex
from bearleft.language.spelling import fix_typos, vocabulary
from bearleft.records import Direction
from bearleft.world.city.catalog import CLASSES

_SENTENCE_ENDS = frozenset(".!?;")
_ITS_SIDE = re.compile(r"\b(to|on) its (left|right)\b", re.IGNORECASE)
_DEFINITE = re.compile(r"^(?:the|that|this|these|those|said)\b")


def parse_description(text: str) -> Meaning:
    """Return the meaning of a description."""
    text = _ITS_SIDE.sub(r"\1 the \2 of it", fix_typos(text, _vocabulary()))
    normal, phrases = chunk(text)
    return _Parser(phrases).parse(normal.split())


@cache
def _vocabulary() -> frozenset[str]:
    sources = (template.source for sentences in (*templates.SENTENCES,) for template in sentences)
    return vocabulary(*lexicon_phrases(), *sources)


def locate_description(text: str, scene: SceneIndex, place: int, heading: float) -> Direction | None:
    """Return the direction that a description means, None if it cannot be resolved.

    Args:
        text: The description.
        scene: The scene.
        place: Place of the viewer.
        heading: Heading of the viewer.
    """
    return locate_target(parse_description(text), scene, place, heading)


def _is_bare(phrase: Phrase) -> bool:
    """Return whether an article is missing: "on top of hydrant"."""
    first = phrase.words.split(" ")[0]
    return not phrase.plural and first not in ARTICLES and first not in NUMBERS


def _starts_clause(words: list[str], k: int) -> bool:
    """Return whether a clause begins at a token: after ", and", or after a comma before Touchdown."""
    if words[k] == "and":
        return k > 0 and words[k - 1] == ","
    return words[k] == "," and not {"touchdown", "bear", "teddy"}.isdisjoint(words[k + 1 : k + 5])


class _Parser:
    def __init__(self, phrases: list[Phrase]) -> None:
        self.phrases = phrases
        self.refs: list[Ref] = []
        self.relations: list[Relation] = []
        self.spot: Spot | None = None
        self.topic = -1  # antecedent of "it" if the sentence has not named anything
        self.group = -1
        self.look = ""  # side that a sentence without objects tells to look to: "Look to your left. There is ..."
        self.plural: set[int] = set()

    def parse(self, words: list[str]) -> Meaning:
        begin = 0
        for k in range(len(words) + 1):
            if k == len(words) or words[k] in _SENTENCE_ENDS or _starts_clause(words, k):
                if k > begin:
                    self.sentence(list(lex(words[begin:k])))
                begin = k + 1
        return Meaning(tuple(self.refs), tuple(self.relations), self.spot)

    def sentence(self, items: list[LexicalItem]) -> None:
        bear = any(item.kind == "bear" for item in items)
        before = self.topic
        things: dict[int, int] = {}  # index of the item -> ref
        first = -1
        for k, item in enumerate(items):
            if item.kind == "thing":
                ref = self._thing(items, k, first, before)
                if ref < 0:
                    continue
                things[k] = ref
                if first < 0:
                    first = ref
            elif item.kind == "one" and self.group >= 0:
                things[k] = self._one_of(item.value)
        self._picks(items, things)
        used = self._bear(items, things) if bear else set()
        self._relations(items, things, used)
        self._sides(items, things, used)
        if first >= 0 and not bear:
            self.topic = first

    def _thing(self, items: list[LexicalItem], k: int, first: int, before: int) -> int:
        phrase = self.phrases[items[k].value]
        if phrase.pronoun:
            if phrase.plural and self.group >= 0:
                return self.group
            if first < 0 or any(item.kind == "bear" for item in items[:k]):
                return before
            # "an awning near it": the pronoun cannot mean the awning.
            only_one = sum(item.kind in ("thing", "one") for item in items[:k]) == 1
            return before if only_one and before >= 0 and k and items[k - 1].kind == "relation" else first
        which = k and items[k - 1].kind == "before" and items[k - 1].end == items[k].begin
        if phrase.coreferent or which or _DEFINITE.match(phrase.words) or _is_bare(phrase):
            named_before = self._find_named_before(phrase)
            if named_before >= 0:
                if named_before in self.plural and not phrase.plural:
                    return self._one_of_named(items, k, named_before)
                return named_before
        self.refs.append(Ref(phrase))
        ref = len(self.refs) - 1
        if phrase.ordinal and not self._ranked(items, k):
            self.refs[ref] = Ref(phrase, pick=Selector("near" if phrase.ordinal > 0 else "far", abs(phrase.ordinal)))
        if phrase.plural and phrase.number > 1:
            self.plural.add(ref)
            self.group = ref
        return ref

    def _ranked(self, items: list[LexicalItem], k: int) -> bool:
        return k + 1 < len(items) and items[k + 1].kind == "from"

    def _one_of_named(self, items: list[LexicalItem], k: int, group: int) -> int:
        """Return a ref to one object of a named group: "the closest hydrant"."""
        phrase = self.phrases[items[k].value]
        self.group = group
        if k and items[k - 1].kind == "before":
            return self._one_of(items[k - 1].value)
        if k + 1 < len(items) and items[k + 1].kind == "after":
            return self._one_of(items[k + 1].value)
        if phrase.ordinal:
            by: SortKey = items[k + 1].value if self._ranked(items, k) else "near"
            return self._one_of(Selector(by, phrase.ordinal))
        return group

    def _find_named_before(self, phrase: Phrase) -> int:
        """Return the last ref that a phrase may refer back to, -1 for none."""
        assert phrase.table is not None
        best, best_similarity = -1, 0.0
        for k, ref in enumerate(self.refs):
            table = ref.phrase.table
            if table is None or not (table & phrase.table).any():
                continue
            if (
                phrase.colours is not None
                and ref.phrase.colours is not None
                and not phrase.colours & ref.phrase.colours
            ):
                continue
            if not phrase.coreferent and phrase.colours is not None and ref.phrase.colours is None:
                continue
            similarity = float((table & phrase.table).sum() / (table | phrase.table).sum())
            similarity += 0.5 * ref.phrase.head.endswith(phrase.head.rpartition(" ")[2])
            similarity += 0.5 * ref.phrase.head.endswith(phrase.head.split(" ", 1)[-1])
            if similarity + 0.001 * k > best_similarity and (similarity > 0.99 or phrase.coreferent):
                best, best_similarity = k, similarity + 0.001 * k
        return best

    def _one_of(self, pick: Selector) -> int:
        meaning, index = Meaning(tuple(self.refs), tuple(self.relations)).one_of(self.group, pick)
        self.refs, self.relations = list(meaning.refs), list(meaning.relations)
        ref = self.refs[index]
        self.refs[index] = replace(ref, phrase=replace(ref.phrase, plural=False, number=1))
        return index

    def _picks(self, items: list[LexicalItem], things: dict[int, int]) -> None:
        """Set the picks of refs: "the closest hydrant", "the second hydrant from the left"."""
        for k, ref in things.items():
            if self.refs[ref].pick is not None or ref in self.plural or items[k].kind == "one":
                continue
            phrase = self.phrases[items[k].value]
            if k and items[k - 1].kind == "before" and items[k - 1].end == items[k].begin:
                self.refs[ref] = replace(self.refs[ref], pick=items[k - 1].value)
            elif k + 1 < len(items) and items[k + 1].kind == "after":
                self.refs[ref] = replace(self.refs[ref], pick=items[k + 1].value)
            elif phrase.ordinal and self._ranked(items, k):
                self.refs[ref] = replace(self.refs[ref], pick=Selector(items[k + 1].value, phrase.ordinal))

    def _bear(self, items: list[LexicalItem], things: dict[int, int]) -> set[int]:
        """Set the spot of Touchdown: on the first object after it, else the first of the sentence.

        Returns:
            The indices of the items that describe the spot.
        """
        at = next(k for k, item in enumerate(items) if item.kind == "bear")
        after = [k for k in things if k > at]
        comma = max((k for k in range(at) if items[k].kind == "comma"), default=-1)
        ahead = [k for k in things if comma < k < at] or [k for k in things if k < at]
        target = min(after, default=min(ahead, default=-1))
        if target < 0:
            if self.topic >= 0 and self.spot is None:
                self.spot = self._spot(items, at, len(items), Spot(self.topic), set())
            return set()
        used: set[int] = set()
        begin = at if target > at else -1
        spot = Spot(things[target])
        # "the pole of the traffic light": the noun phrase names a part.
        later = [k for k in things if k > target]
        if later and items[target].kind == "thing":
            between = [item for item in items[target + 1 : later[0]] if item.kind != "before"]
            if (
                len(between) == 1
                and between[0].kind == "relation"
                and between[0].value == "on"
                and between[0].end - between[0].begin == 1
            ):
                part = self._part(self.phrases[items[target].value], things[later[0]])
                if part:
                    used |= {target, target + 1}
                    spot, target = Spot(things[later[0]], part), later[0]
        end = next((k for k in range(target + 1, len(items)) if items[k].kind == "bear"), len(items))
        self.spot = self._spot(items, begin + 1, end, spot, used, things)
        return used

    def _part(self, phrase: Phrase, ref: int) -> str:
        """Return the part of an object that a noun phrase may name, "" for none."""
        table = self.refs[ref].phrase.table
        if table is None or not _DEFINITE.match(phrase.words):
            return ""
        noun = phrase.words.split(" ", 1)[-1]
        kinds = {CLASSES[int(k)].name for k in np.flatnonzero(table.any(axis=1))}
        kinds_with_part = {kind for (kind, _), words in PARTS.items() if kind in kinds and noun in words}
        return noun if 2 * len(kinds_with_part) > len(kinds) else ""

    def _spot(
        self,
        items: list[LexicalItem],
        begin: int,
        end: int,
        spot: Spot,
        used: set[int],
        things: dict[int, int] | None = None,
    ) -> Spot:
        things = things or {}
        whole = max((k for k, ref in things.items() if ref == spot.ref_index and begin <= k < end), default=end)
        for k in range(begin, end):
            item = items[k]
            if item.kind == "place":
                across, up = item.value
                spot = replace(
                    spot, across=across if across is not None else spot.across, up=up if up is not None else spot.up
                )
                used.add(k)
                # "the top of": the object itself follows, so "of" is no relation.
                if k + 1 < end and items[k + 1].kind == "relation" and items[k + 1].value == "on":
                    used.add(k + 1)
            elif item.kind == "part" and k < whole and not spot.part:
                spot = replace(spot, part=item.value)
                used.add(k)
                if k + 1 < end and items[k + 1].kind == "relation" and items[k + 1].value == "on":
                    used.add(k + 1)
            elif item.kind == "line" and k + 1 in things:
                spot = replace(spot, aligned_with=things[k + 1], side_of=item.value)
                used |= {k, k + 1}
            elif item.kind == "window":
                spot = self._window(items, k, things, replace(spot, part="window"), used)
        return spot

    def _window(self, items: list[LexicalItem], k: int, things: dict[int, int], spot: Spot, used: set[int]) -> Spot:
        floor, column = items[k].value
        used.add(k)
        spot = replace(spot, floor=floor, column=column)
        if k + 2 < len(items) and items[k + 1].kind == "relation" and k + 2 in things:
            towards = items[k + 1].value
            if towards in ("above", "below", "left", "right"):
                used |= {k + 1, k + 2}
                later = [j for j in things if j > k + 2]
                spot = replace(spot, aligned_with=things[k + 2], side_of=towards)
                if later:
                    spot = replace(spot, ref_index=things[later[0]])
                    self.relations.append(Relation("on", things[k + 2], (things[later[0]],)))
                    used.add(later[0] - 1)
        return spot

    def _relations(self, items: list[LexicalItem], things: dict[int, int], used: set[int]) -> None:
        order, last, known = sorted(things), -1, len(self.relations)
        for k, item in enumerate(items):
            if item.kind != "relation" or k in used:
                continue
            after = [j for j in order if j > k]
            if not after or any(items[j].kind in ("bear", "relation") for j in range(k + 1, after[0])):
                continue
            objects = [after[0]]
            if (
                item.value == "between"
                and len(after) > 1
                and all(items[j].kind == "and" for j in range(after[0] + 1, after[1]))
            ):
                objects.append(after[1])
            elif item.value == "between" and things[after[0]] in self.plural:
                objects.append(after[0])  # "between two trees"
            before = [j for j in order if j < k]
            # Subjects before the relation in the same clause.
            clause = [j for j in before if not any(items[i].kind in ("comma", "is") for i in range(j + 1, k))]
            predicated = [j for j in before if any(items[i].kind == "is" for i in range(j + 1, k))]
            later = [j for j in after if j > objects[-1]]
            inverted = later and any(items[i].kind == "is" for i in range(objects[-1] + 1, later[0]))
            if items[k - 1].kind == "and" and last >= 0 and k:
                subject = last
            elif clause:
                subject = clause[-1]
            elif inverted:
                subject = later[0]
            elif predicated and not any(items[i].kind == "bear" for i in range(predicated[-1] + 1, k)):
                subject = predicated[-1]
            else:
                continue
            last = subject
            pair = things[subject], tuple(things[j] for j in objects)
            if pair[0] not in pair[1] and items[subject].kind != "bear":
                self.relations.append(Relation(item.value, *pair))
        self._conjunctions(items, things, known)
        # "a tree with a bike next to it": the tree does not have the bike.
        pairs = {(r.subject, *r.objects) for r in self.relations[known:] if r.kind != "has"}
        self.relations[known:] = [
            r for r in self.relations[known:] if r.kind != "has" or (*r.objects, r.subject) not in pairs
        ]

    def _conjunctions(self, items: list[LexicalItem], things: dict[int, int], known: int) -> None:
        """Relate "a bench and a tree": both to what the first is related to, else to each other."""
        for k in range(1, len(items) - 1):
            if items[k].kind != "and" or k - 1 not in things or k + 1 not in things:
                continue
            first, second = things[k - 1], things[k + 1]
            governing = [r for r in self.relations[known:] if first in r.objects]
            if any(second in r.objects or r.kind == "has" for r in governing) or first == second:
                continue
            subject = governing[-1].subject if governing else first
            if subject != second:
                self.relations.append(Relation(governing[-1].kind if governing else "near", subject, (second,)))

    def _sides(self, items: list[LexicalItem], things: dict[int, int], used: set[int]) -> None:
        order = sorted(things)
        look, self.look = self.look, ""
        if not order:
            self.look = next((item.value for item in items if item.kind in ("look", "side")), look)
        elif look and not any(item.kind in ("side", "look") for item in items):
            self._set_side(things[order[0]], look)
        for k, item in enumerate(items):
            if item.kind not in ("side", "look") or k in used:
                continue
            before = [j for j in order if j < k] if item.kind == "side" else []
            before = [j for j in before if not any(items[i].kind == "comma" for i in range(j + 1, k))]
            after = [j for j in order if j > k]
            which = before[-1] if before else after[0] if after else -1
            if which >= 0:
                self._set_side(things[which], item.value)

    def _set_side(self, ref: int, side: str) -> None:
        if not self.refs[ref].side:
            self.refs[ref] = replace(self.refs[ref], side=side)
