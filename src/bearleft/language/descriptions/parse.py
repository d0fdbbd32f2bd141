"""Descriptions of targets read back: a string becomes what it means.

A text is cut into noun phrases and the words that `words` knows; everything else is passed over. What is said
of what follows from order alone: a relation joins the thing before it with the thing after it, and where none stands
before it in its clause, the next one after.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np

from bearleft.language.descriptions import templates as words
from bearleft.language.descriptions.lexer import Item, spoken
from bearleft.language.descriptions.lexer import items as found
from bearleft.language.descriptions.locate import point as locate
from bearleft.language.descriptions.semantics import By, Link, Meaning, Pick, Ref, Spot
from bearleft.language.lexicon.lexicon import PARTS
from bearleft.language.noun_phrases import Phrase, chunk
from bearleft.language.scene_index import SceneIndex
from bearleft.language.spelling import mend, vocabulary
from bearleft.records import Direction
from bearleft.world.city.catalog import CLASSES

_ENDS = frozenset(".!?;")
_AGAIN = re.compile(r"^(?:the|that|this|these|those|said)\b")


def read(text: str) -> Meaning:
    """What a description says."""
    normal, phrases = chunk(mend(text, _known()))
    return _Reader(phrases).read(normal.split())


@cache
def _known() -> frozenset[str]:
    sources = (template.source for some in (*words.SENTENCES,) for template in some)
    return vocabulary(*spoken(), *sources)


def point(text: str, scene: SceneIndex, place: int, heading: float) -> Direction | None:
    """Where a description points to from a place, looking at `heading` first; None where it says nothing to go by."""
    return locate(read(text), scene, place, heading)


def _parts(said: list[str], k: int) -> bool:
    """Whether a new clause begins at a token: after ", and", and after a comma when it is about Touchdown."""
    if said[k] == "and":
        return k > 0 and said[k - 1] == ","
    return said[k] == "," and not {"touchdown", "bear", "teddy"}.isdisjoint(said[k + 1 : k + 5])


class _Reader:
    def __init__(self, phrases: list[Phrase]) -> None:
        self.phrases = phrases
        self.refs: list[Ref] = []
        self.links: list[Link] = []
        self.spot: Spot | None = None
        self.topic = -1  # what "it" is when the sentence has not named anything
        self.group = -1
        self.plural: set[int] = set()

    def read(self, said: list[str]) -> Meaning:
        begin = 0
        for k in range(len(said) + 1):
            if k == len(said) or said[k] in _ENDS or _parts(said, k):
                if k > begin:
                    self.sentence(list(found(said[begin:k])))
                begin = k + 1
        return Meaning(tuple(self.refs), tuple(self.links), self.spot)

    # One sentence.

    def sentence(self, items: list[Item]) -> None:
        bear = any(item.what == "bear" for item in items)
        before = self.topic
        things: dict[int, int] = {}  # item -> ref
        first = -1
        for k, item in enumerate(items):
            if item.what == "thing":
                ref = self._thing(items, k, first, before)
                if ref < 0:
                    continue
                things[k] = ref
                if first < 0:
                    first = ref
            elif item.what == "one" and self.group >= 0:
                things[k] = self._one_of(item.value)
        self._picks(items, things)
        used = self._bear(items, things) if bear else set()
        self._relations(items, things, used)
        self._sides(items, things, used)
        if first >= 0 and not bear:
            self.topic = first

    def _thing(self, items: list[Item], k: int, first: int, before: int) -> int:
        phrase = self.phrases[items[k].value]
        if phrase.pronoun:
            if phrase.plural and self.group >= 0:
                return self.group
            if first < 0 or any(item.what == "bear" for item in items[:k]):
                return before
            # "an awning near it": what it stands to is something else.
            lone = sum(item.what in ("thing", "one") for item in items[:k]) == 1
            return before if lone and before >= 0 and k and items[k - 1].what == "relation" else first
        which = k and items[k - 1].what == "before" and items[k - 1].end == items[k].begin
        if phrase.coreferent or which or _AGAIN.match(phrase.words):
            known = self._known(phrase)
            if known >= 0:
                if known in self.plural and not phrase.plural:
                    return self._one_of_named(items, k, known)
                return known
        self.refs.append(Ref(phrase))
        new = len(self.refs) - 1
        if phrase.ordinal and not self._ranked(items, k):
            self.refs[new] = Ref(phrase, pick=Pick("near" if phrase.ordinal > 0 else "far", abs(phrase.ordinal)))
        if phrase.plural and phrase.number > 1:
            self.plural.add(new)
            self.group = new
        return new

    def _ranked(self, items: list[Item], k: int) -> bool:
        return k + 1 < len(items) and items[k + 1].what == "from"

    def _one_of_named(self, items: list[Item], k: int, group: int) -> int:
        """ "the closest hydrant" of the two hydrants that were named."""
        phrase = self.phrases[items[k].value]
        self.group = group
        if k and items[k - 1].what == "before":
            return self._one_of(items[k - 1].value)
        if k + 1 < len(items) and items[k + 1].what == "after":
            return self._one_of(items[k + 1].value)
        if phrase.ordinal:
            by: By = items[k + 1].value if self._ranked(items, k) else "near"
            return self._one_of(Pick(by, phrase.ordinal))
        return group

    def _known(self, phrase: Phrase) -> int:
        """The last thing named before that a phrase may mean again."""
        assert phrase.table is not None
        best, worth = -1, 0.0
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
            same = float((table & phrase.table).sum() / (table | phrase.table).sum())
            same += 0.5 * ref.phrase.words.endswith(phrase.words.rpartition(" ")[2])
            same += 0.5 * ref.phrase.words.endswith(phrase.words.split(" ", 1)[-1])
            if same + 0.001 * k > worth and (same > 0.99 or phrase.coreferent):
                best, worth = k, same + 0.001 * k
        return best

    def _one_of(self, pick: Pick) -> int:
        meaning, new = Meaning(tuple(self.refs), tuple(self.links)).one_of(self.group, pick)
        self.refs, self.links = list(meaning.refs), list(meaning.links)
        ref = self.refs[new]
        self.refs[new] = replace(ref, phrase=replace(ref.phrase, plural=False, number=1))
        return new

    def _picks(self, items: list[Item], things: dict[int, int]) -> None:
        """ "the closest hydrant", "the second hydrant from the left"."""
        for k, ref in things.items():
            if self.refs[ref].pick is not None or ref in self.plural or items[k].what == "one":
                continue
            phrase = self.phrases[items[k].value]
            if k and items[k - 1].what == "before" and items[k - 1].end == items[k].begin:
                self.refs[ref] = replace(self.refs[ref], pick=items[k - 1].value)
            elif k + 1 < len(items) and items[k + 1].what == "after":
                self.refs[ref] = replace(self.refs[ref], pick=items[k + 1].value)
            elif phrase.ordinal and self._ranked(items, k):
                self.refs[ref] = replace(self.refs[ref], pick=Pick(items[k + 1].value, phrase.ordinal))

    def _bear(self, items: list[Item], things: dict[int, int]) -> set[int]:
        """Where Touchdown is: the first thing after it, or the first of the sentence. The items that say so."""
        at = next(k for k, item in enumerate(items) if item.what == "bear")
        after = [k for k in things if k > at]
        comma = max((k for k in range(at) if items[k].what == "comma"), default=-1)
        ahead = [k for k in things if comma < k < at] or [k for k in things if k < at]
        whole = min(after, default=min(ahead, default=-1))
        if whole < 0:
            if self.topic >= 0 and self.spot is None:
                self.spot = self._spot(items, at, len(items), Spot(self.topic), set())
            return set()
        used: set[int] = set()
        begin = at if whole > at else -1
        spot = Spot(things[whole])
        # "the pole of the traffic light": a noun phrase that names a part.
        later = [k for k in things if k > whole]
        if later and items[whole].what == "thing":
            gap = [item for item in items[whole + 1 : later[0]] if item.what != "before"]
            if len(gap) == 1 and gap[0].what == "relation" and gap[0].value == "on" and gap[0].end - gap[0].begin == 1:
                part = self._part(self.phrases[items[whole].value], things[later[0]])
                if part:
                    used |= {whole, whole + 1}
                    spot, whole = Spot(things[later[0]], part), later[0]
        end = next((k for k in range(whole + 1, len(items)) if items[k].what == "bear"), len(items))
        self.spot = self._spot(items, begin + 1, end, spot, used, things)
        return used

    def _part(self, phrase: Phrase, ref: int) -> str:
        """The part of a thing that a noun phrase may name, "" for none."""
        table = self.refs[ref].phrase.table
        if table is None or not _AGAIN.match(phrase.words):
            return ""
        noun = phrase.words.split(" ", 1)[-1]
        kinds = {CLASSES[int(k)].name for k in np.flatnonzero(table.any(axis=1))}
        having = {kind for (kind, _), some in PARTS.items() if kind in kinds and noun in some}
        return noun if 2 * len(having) > len(kinds) else ""

    def _spot(
        self, items: list[Item], begin: int, end: int, spot: Spot, used: set[int], things: dict[int, int] | None = None
    ) -> Spot:
        things = things or {}
        whole = max((k for k, ref in things.items() if ref == spot.thing and begin <= k < end), default=end)
        for k in range(begin, end):
            item = items[k]
            if item.what == "place":
                across, up = item.value
                spot = replace(
                    spot, across=across if across is not None else spot.across, up=up if up is not None else spot.up
                )
                used.add(k)
                # "the top of": what follows is the thing itself, no relation.
                if k + 1 < end and items[k + 1].what == "relation" and items[k + 1].value == "on":
                    used.add(k + 1)
            elif item.what == "part" and k < whole and not spot.part:
                spot = replace(spot, part=item.value)
                used.add(k)
                if k + 1 < end and items[k + 1].what == "relation" and items[k + 1].value == "on":
                    used.add(k + 1)
            elif item.what == "line" and k + 1 in things:
                spot = replace(spot, line=things[k + 1], towards=item.value)
                used |= {k, k + 1}
            elif item.what == "window":
                spot = self._window(items, k, things, replace(spot, part="window"), used)
        return spot

    def _window(self, items: list[Item], k: int, things: dict[int, int], spot: Spot, used: set[int]) -> Spot:
        floor, column = items[k].value
        used.add(k)
        spot = replace(spot, floor=floor, column=column)
        if k + 2 < len(items) and items[k + 1].what == "relation" and k + 2 in things:
            towards = items[k + 1].value
            if towards in ("above", "below", "left", "right"):
                used |= {k + 1, k + 2}
                later = [j for j in things if j > k + 2]
                spot = replace(spot, line=things[k + 2], towards=towards)
                if later:
                    spot = replace(spot, thing=things[later[0]])
                    self.links.append(Link("on", things[k + 2], (things[later[0]],)))
                    used.add(later[0] - 1)
        return spot

    def _relations(self, items: list[Item], things: dict[int, int], used: set[int]) -> None:
        order, last = sorted(things), -1
        for k, item in enumerate(items):
            if item.what != "relation" or k in used:
                continue
            after = [j for j in order if j > k]
            if not after or any(items[j].what in ("bear", "relation") for j in range(k + 1, after[0])):
                continue
            objects = [after[0]]
            if (
                item.value == "between"
                and len(after) > 1
                and all(items[j].what == "and" for j in range(after[0] + 1, after[1]))
            ):
                objects.append(after[1])
            before = [j for j in order if j < k]
            # What stands between the relation and the thing before it; a new clause has its own.
            clause = [j for j in before if not any(items[i].what in ("comma", "is") for i in range(j + 1, k))]
            told = [j for j in before if any(items[i].what == "is" for i in range(j + 1, k))]
            later = [j for j in after if j > objects[-1]]
            inverted = later and any(items[i].what == "is" for i in range(objects[-1] + 1, later[0]))
            if items[k - 1].what == "and" and last >= 0 and k:
                subject = last
            elif clause:
                subject = clause[-1]
            elif inverted:
                subject = later[0]
            elif told and not any(items[i].what == "bear" for i in range(told[-1] + 1, k)):
                subject = told[-1]
            else:
                continue
            last = subject
            pair = things[subject], tuple(things[j] for j in objects)
            if pair[0] not in pair[1] and items[subject].what != "bear":
                self.links.append(Link(item.value, *pair))

    def _sides(self, items: list[Item], things: dict[int, int], used: set[int]) -> None:
        order = sorted(things)
        for k, item in enumerate(items):
            if item.what not in ("side", "look") or k in used:
                continue
            before = [j for j in order if j < k] if item.what == "side" else []
            before = [j for j in before if not any(items[i].what == "comma" for i in range(j + 1, k))]
            after = [j for j in order if j > k]
            which = before[-1] if before else after[0] if after else -1
            if which >= 0 and not self.refs[things[which]].side:
                self.refs[things[which]] = replace(self.refs[things[which]], side=item.value)
