"""Texts annotated with linguistic phenomena and with the objects they mention.

Texts, annotations and mentions are never changed. They are not frozen all the same, because texts are made from
thousands of them, and a frozen object takes four times as long to make.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bearleft.runtime.json_fields import Json


@dataclass(slots=True, unsafe_hash=True)
class Annotation:
    """A linguistic phenomenon and the character span that shows it."""

    phenomenon: str
    begin: int
    end: int


@dataclass(slots=True, unsafe_hash=True)
class Mention:
    """An object that is named, by its instance number in the pictures, and the character span that names it."""

    instance: int
    begin: int
    end: int


@dataclass(slots=True, unsafe_hash=True)
class Text:
    """A string with its phenomenon annotations and object mentions."""

    string: str
    annotations: tuple[Annotation, ...] = ()
    mentions: tuple[Mention, ...] = ()

    def __add__(self, other: Text | str) -> Text:
        if isinstance(other, str):
            return Text(self.string + other, self.annotations, self.mentions)
        shifted = other.shifted(len(self.string))
        return Text(
            self.string + other.string, self.annotations + shifted.annotations, self.mentions + shifted.mentions
        )

    def shifted(self, by: int) -> Text:
        """Return the text with all annotations and mentions shifted by a number of characters."""
        if not by or not (self.annotations or self.mentions):
            return self
        annotations = tuple([Annotation(m.phenomenon, m.begin + by, m.end + by) for m in self.annotations])
        mentions = tuple([Mention(m.instance, m.begin + by, m.end + by) for m in self.mentions])
        return Text(self.string, annotations, mentions)

    def with_annotations(self, *phenomena: str) -> Text:
        """Return the text with annotations that cover the whole string, one per phenomenon."""
        new_annotations = tuple([Annotation(p, 0, len(self.string)) for p in phenomena])
        return Text(self.string, self.annotations + new_annotations, self.mentions)

    def with_mentions(self, *instances: int) -> Text:
        """Return the text with mentions that cover the whole string, one per instance."""
        new_mentions = tuple([Mention(k, 0, len(self.string)) for k in instances])
        return Text(self.string, self.annotations, self.mentions + new_mentions)

    def capitalized(self) -> Text:
        """Return the text with its first letter in upper case."""
        return Text(self.string[:1].upper() + self.string[1:], self.annotations, self.mentions)

    @staticmethod
    def join(texts: Iterable[Text], separator: str = " ") -> Text:
        """Return the texts joined by a separator, without the empty ones."""
        joined = Text("")
        for text in texts:
            if text.string:
                joined = joined + separator + text if joined.string else text
        return joined

    def to_json(self) -> dict[str, Json]:
        """Return annotations and mentions as lists. The string itself is stored in the leg."""
        return {
            "annotations": [[m.phenomenon, m.begin, m.end] for m in self.annotations],
            "mentions": [[m.instance, m.begin, m.end] for m in self.mentions],
        }
