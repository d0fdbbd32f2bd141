"""Writer of the sentence that locates Waldo."""

from __future__ import annotations

import numpy as np

from bearleft.language.annotated_text import Text
from bearleft.language.lexicon.lexicon import ordinal_word
from bearleft.language.referring import templates
from bearleft.language.referring.candidates import IS_ALIVE, MAX_NAME_TRIES, SUPPORTS_OBJECTS
from bearleft.language.referring.groups import Group, relation_to_group
from bearleft.language.referring.sequence_writer import Focus, SequenceWriter, without_adverb
from bearleft.language.referring.target_location import CLOSER_SHARE, FAR_WALDOS, Feet, Part, TargetLocation
from bearleft.language.referring.view import INVERSE, Relation, Side, ViewBox, relation_cost
from bearleft.language.templates import Template, normalize_spaces
from bearleft.world.targets import Target

GROUND_SURFACES = frozenset(("floor", "road", "sidewalk", "grass", "plaza", "ground"))
ASIDE_RELATIONS: tuple[Relation, ...] = ("left", "right", "below", "above", "near")
MAX_ASIDE_COST = 14.0
# Above or below what: its middle, top or bottom.
PLAIN_PARTS: dict[Part, Template] = {
    (0, 0): Template("<a:[middle|center] of>"),
    (0, 1): Template("<a:top of>"),
    (0, -1): Template("<a:bottom of>"),
}
CENTRE_FORMS = {"on": 5.0, "middle": 4.0, "right on": 1.0}


class LastSentenceWriter(SequenceWriter):
    """Writer of a whole sequence."""

    def last(self, location: TargetLocation, target: Target) -> Text | None:
        """Write the sentence that locates Waldo; None if a second object of it cannot be named."""
        random = self.random
        other = self._other(location) if location.other is not None else None
        if location.other is not None and other is None:
            return None
        if self.part is not None and not location.moves and location.share is None and not location.window:
            surface = [self._surface_text(location)] if location.surface else []
            return Text.join([templates.RIGHT_THERE.render(random), *surface]) + "."
        where = self._where(location, other)
        if where is None:
            return None
        pieces = [where]
        if location.surface:
            on_surface = self._surface_text(location)
            # "On the wall above the bed", or "above the bed on the wall".
            first = location.toward or random.chance("surface first", 0.7)
            pieces = [on_surface, *pieces] if first else [*pieces, on_surface]
        if location.level is not None and other is not None:
            assert location.other is not None
            part = Text("the") + " " + self.part_text(location.level, location.other)
            pieces += [Text(","), templates.LEVEL.render(random), part, other]
        if location.body:
            pieces += self._touching(location)
        elif location.level is None and random.chance("aside", 0.3):
            pieces += self._aside(location, target)
        text = normalize_spaces(Text.join(self._ordered(location, pieces)))
        if other is not None:
            text = text.with_annotations("more than two objects")
        return text + "."

    def _ordered(self, location: TargetLocation, pieces: list[Text]) -> list[Text]:
        """Return the pieces with the words for Waldo, seldom after them."""
        random = self.random
        plain = len(pieces) < 3 and not location.body and location.share is None
        if plain and self.part is None and random.chance("waldo at the end", 0.06):
            return [*pieces, templates.IS_WALDO.render(random)]
        if location.surface == "sky" and random.chance("floating", 0.6):
            return [templates.FLOATING.render(random), *pieces]
        if self._can_sit(location) and random.chance("sitting", 0.2):
            return [templates.SITTING.render(random), *pieces]
        return [templates.WALDO.render(random), *pieces]

    def _surface_text(self, location: TargetLocation) -> Text:
        if location.surface == "wall" and not self.indoors:
            return templates.FACADE.render(self.random)
        return templates.SURFACES[location.surface].render(self.random)

    def _where(self, location: TargetLocation, other: Text | None) -> Text | None:
        """Return the location relative to the objects: "just above the lamp"."""
        random = self.random
        if location.window:
            side = templates.RELATIONS[location.moves[0][0]].render(random)
            window = templates.WINDOW.render(random, nth=ordinal_word(location.window))
            return Text.join([window, side, self._anchor()])
        if location.toward:
            halfway, edge = templates.HALFWAY.render(random), templates.TOWARD[location.toward].render(random)
            return Text.join([halfway, self._anchor(), edge])
        if location.share is not None and other is not None:
            return self._between(location, other)
        if not location.moves:
            return self._on(location)
        pieces = [self._moves(location)]
        if location.part != (0, 0):
            pieces.append(Text("the") + " " + self.part_text(location.part, location.anchor))
        elif self.part is None and len(location.moves) == 1 and location.moves[0][0] in ("above", "below"):
            above = location.moves[0][0] == "above"
            part = random.pick(f"vertical edge of {above}", {"none": 8.0, "middle": 1.0, "edge": 0.7})
            if part != "none":
                level: Part = (0, 0) if part == "middle" else (0, 1) if above else (0, -1)
                pieces.append(Text("the") + " " + PLAIN_PARTS[level].render(random))
        return Text.join([*pieces, self._anchor()])

    def _anchor(self) -> Text:
        if self.part is not None:
            return self._part_pronoun(self.part)
        return self.member_again() or self.refer_again()

    def between_group(self, group: Group, location: TargetLocation) -> Text:
        """Write the last sentence for Waldo between two objects that were named as a group."""
        random = self.random
        _, _, noun = group.plural.partition(" ")
        both = templates.BOTH.render(random, noun=noun).with_annotations("coreference")
        pieces = [templates.BETWEEN.render(random), both]
        if location.surface:
            surface = self._surface_text(location)
            pieces = [surface, *pieces] if random.chance("surface first", 0.7) else [*pieces, surface]
        return normalize_spaces(Text.join([templates.WALDO.render(random), *pieces])) + "."

    def _between(self, location: TargetLocation, other: Text) -> Text | None:
        random = self.random
        closer = location.share == CLOSER_SHARE
        assert self.focused_object is not None and location.other is not None
        if closer and self.is_ambiguous(self.focused_object):
            return None
        preposition = (templates.WITHIN if closer else templates.BETWEEN).render(random)
        text = Text.join([preposition, self._anchor(), Text("and"), other]).with_annotations("more than two objects")
        if closer:
            text = Text.join([text, Text(","), templates.CLOSER.render(random), self.refer_again(pronoun=False)])
        return text

    def _on(self, location: TargetLocation) -> Text:
        """Return "on the lamp", "in the middle of the lamp" or "on the left side of the lamp"."""
        random, part = self.random, location.part
        if location.named_part:
            anchor = self.refer_again(pronoun=False)
            on = random.pick("preposition of a part", {"on": 6.0, "in the middle of": 1.0, "right on": 1.0})
            return Text(f"{on} ") + self.possessed(location.named_part, anchor)
        if part == (0, 0):
            form = random.pick("centre", CENTRE_FORMS)
            if form != "middle":
                return Text.join([Text(form), self._anchor()])
        if part == (0, 1) and random.chance("on top of", 0.4):
            return Text.join([templates.ON_TOP.render(random), self._anchor()])
        key = "corner" if all(part) else "centre" if part == (0, 0) else "side"
        central = float(key != "side")
        on = random.pick(
            f"preposition of a {key}", {"on": 3.0, "in": 3.0 * central, "at": 1.5, "right in": 0.8 * central}
        )
        part_text = self.part_text(part, location.anchor)
        if on.endswith("in") and {"edge", "side"} & set(part_text.string.split()):
            on = "on"
        return Text.join([Text(f"{on} the"), part_text, self._anchor()])

    def _touching(self, location: TargetLocation) -> list[Text]:
        """Return "with his head touching it", or "touching the ceiling"."""
        body = templates.BODIES[location.body].render(self.random)
        if location.touched:
            return [body, templates.EDGES[location.touched].render(self.random)]
        return [body, Text("it").with_annotations("coreference")]

    def _can_sit(self, location: TargetLocation) -> bool:
        """Return whether Waldo is on the ground, or on top of an object that can bear him."""
        assert self.focused_object is not None
        on_it = not location.moves and location.share is None and not location.window and location.part[1] >= 0
        return location.surface in GROUND_SURFACES or (
            on_it and self.part is None and bool(SUPPORTS_OBJECTS[self.visible.kind[self.focused_object.row]])
        )

    def _part_pronoun(self, focus: Focus) -> Text:
        part, random = focus.part, self.random
        noun = "corner" if all(part) else "side" if part[0] else "part"
        if focus.edge:
            words = random.pick(
                "edge again", {"that spot": 1.0, "that point": 1.0, "this spot": 1.0, "this point": 1.0}
            )
        else:
            words = random.pick("part again", {f"that {noun}": 3.0, f"this {noun}": 2.0, "that spot": 1.0})
        return Text(words).with_annotations("coreference")

    def _aside(self, location: TargetLocation, target: Target) -> list[Text]:
        """Return where Waldo is relative to one more object: ", to the left of the lamp"."""
        box, random = ViewBox.at(target.direction), self.random
        if random.chance("aside to a group", 0.3):
            found = relation_to_group(self, box, ASIDE_RELATIONS)
            if found is not None and not {location.anchor.instance, *self.mentioned} & set(found[2]):
                relation, text, _ = found
                relation_text = without_adverb(templates.RELATIONS[INVERSE[relation]].render(random))
                return [templates.ASIDE.render(random, relation=relation_text, what=text)]
        used = {location.anchor.instance, location.other.instance if location.other else 0}
        costs = np.full(len(self.visible), np.inf)
        for relation in ASIDE_RELATIONS:
            of_relation = relation_cost(self.visible, relation, box, self.yaw)
            suits = self.references & ~IS_ALIVE[self.visible.kind] & ~np.isin(self.visible.instance, list(used))
            costs = np.where(suits, of_relation, np.inf) + self.inconspicuousness_costs
            row = int(np.argmin(costs))
            if costs[row] > MAX_ASIDE_COST:
                continue
            named_object = next((named for named in self.named if named.row == row), None) or self.name_object(row)
            if not self.is_unique(named_object):
                continue
            relation_text = without_adverb(templates.RELATIONS[INVERSE[relation]].render(random))
            what = named_object.with_article("the", "unique entity")
            return [templates.ASIDE.render(random, relation=relation_text, what=what)]
        return []

    def _moves(self, location: TargetLocation) -> Text:
        """Return "about two feet above", or "just above and to the left of"."""
        parts: list[Text] = []
        for k, (side, measure) in enumerate(location.moves):
            if measure is not None:
                slots = (
                    {} if isinstance(measure, Feet) or measure == FAR_WALDOS else {"unit": self._unit(side, measure)}
                )
                parts.append(templates.MEASURES[measure].render(self.random, **slots))
            last = k == len(location.moves) - 1
            # "Just above" contains a measure already.
            relation_text = without_adverb(templates.RELATIONS[side].render(self.random), measure is not None)
            parts.append(relation_text if last else templates.SIDES[side].render(self.random) + " and")
        return Text.join(parts)

    def _unit(self, side: Side, measure: float) -> str:
        unit = self.random.choice(templates.UNITS[side in ("above", "below")])
        return unit if measure == 1.0 else f"{unit}s"

    def _other(self, location: TargetLocation) -> Text | None:
        """Return the name of the second object of the last sentence, near the focus."""
        assert location.other is not None
        row = self.visible.find(location.other.instance)
        already_named = next((named_object for named_object in self.named if named_object.row == row), None)
        if already_named is not None:
            return None if self.is_ambiguous(already_named) else already_named.with_article("the", "coreference")
        costs = relation_cost(self.visible, "near", self.focus, self.yaw)
        for k in range(MAX_NAME_TRIES):
            candidate = self.name_object(row, None if k < 2 else True)
            fits = self.fits(candidate.phrase)
            if any(fits[named_object.row] for named_object in self.named):
                continue
            if self.is_led_to(candidate, costs):
                return candidate.definite
        return None
