"""Wording of the sentences of descriptions: weighted templates, words for sides, capital letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bearleft.language.annotated_text import Text
from bearleft.language.descriptions import templates
from bearleft.language.noun_phrases import VAGUE_ADJECTIVES
from bearleft.language.templates import Template, render_ranked
from bearleft.language.writer_random import WriterRandom

MAX_SIDE_WORDS = 11  # words for a side that are written, the most usual ones; the others are only read


def render_one(random: WriterRandom, key: str, table: Mapping[Template, float], **slots: Text | str) -> Text:
    """Render one of several weighted templates."""
    return render_ranked(random, lambda: random.pick(key, table).render(random, **slots))


def fitting_templates(table: Mapping[Template, float], near: bool, definite: bool) -> Mapping[Template, float]:
    """Return the weights of templates, 0 for those that do not fit.

    "Stop next to" is said of near objects only, "there is" of objects without "the".
    """
    return {
        template: 0.0
        if (not near and ("<i:stop>" in template.source or "close to" in template.source))
        or (definite and "there is" in template.source)
        else weight
        for template, weight in table.items()
    }


def pick_words(random: WriterRandom, key: str, side: str, words: Sequence[str]) -> str:
    """Return words for a side of the viewer; left and right have the same habits."""
    kind = side.replace("right", "left")
    weights = {option: 12.0 / (2.0 + k) for k, option in enumerate(words)}
    return random.pick(f"{key} {kind}", weights)


def side_phrase(random: WriterRandom, side: str) -> Text:
    """Return words for a side of the viewer, after or before a noun."""
    return Text(pick_words(random, "side words", side, templates.SIDES[side][:MAX_SIDE_WORDS]))


def words_of_its_side(side: str) -> tuple[Text, Text]:
    """Return "to its left" in two parts, the relation and the object."""
    return Text("to its").with_annotations("allocentric"), Text(side).with_annotations("coreference")


def single(text: Text) -> Text:
    """Return "a single hydrant" for "a hydrant", other phrases as they are."""
    article, _, noun = text.string.partition(" ")
    if article not in ("a", "an") or noun.split()[0] in VAGUE_ADJECTIVES:
        return text
    instances = dict.fromkeys(mention.instance for mention in text.mentions)
    return Text(f"a single {noun}").with_annotations("unique entity", "count").with_mentions(*instances)


def capitalize_sentence(text: Text) -> Text:
    """Return the sentence with a capital letter, except before a lower-case "touchdown"."""
    return text if text.string.startswith("touchdown") else text.capitalized()


def capitalize_all(text: Text) -> Text:
    """Return the text with a capital letter at the beginning of each sentence."""
    string = text.string
    letters = [letter.upper() if not k or string[:k].endswith(". ") else letter for k, letter in enumerate(string)]
    return replace(text, string="".join(letters))
