"""A text that knows what it says: phenomena and landmarks, each with its place in the string."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from bearleft.runtime.json_fields import Json


@dataclass(frozen=True, slots=True)
class Mark:
    """A phenomenon, and the characters that show it."""

    what: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Mention:
    """A thing that is named (its instance in the pictures), and the characters that name it."""

    instance: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Text:
    """A string with its marks and mentions."""

    string: str
    marks: tuple[Mark, ...] = ()
    mentions: tuple[Mention, ...] = ()

    def __add__(self, other: Text | str) -> Text:
        if isinstance(other, str):
            return replace(self, string=self.string + other)
        moved = other.moved(len(self.string))
        return Text(self.string + other.string, self.marks + moved.marks, self.mentions + moved.mentions)

    def moved(self, by: int) -> Text:
        """The same marks and mentions, so many characters further on."""
        marks = tuple(Mark(m.what, m.begin + by, m.end + by) for m in self.marks)
        mentions = tuple(Mention(m.instance, m.begin + by, m.end + by) for m in self.mentions)
        return Text(self.string, marks, mentions)

    def marked(self, *what: str) -> Text:
        """The whole of it shows these phenomena, too."""
        return replace(self, marks=self.marks + tuple(Mark(w, 0, len(self.string)) for w in what))

    def naming(self, *instances: int) -> Text:
        """The whole of it names these things."""
        named = tuple(Mention(k, 0, len(self.string)) for k in instances)
        return replace(self, mentions=self.mentions + named)

    def capital(self) -> Text:
        """With a capital letter first."""
        return replace(self, string=self.string[:1].upper() + self.string[1:])

    @staticmethod
    def join(texts: Iterable[Text], between: str = " ") -> Text:
        """One after another; empty ones are left out."""
        whole = Text("")
        for text in texts:
            if text.string:
                whole = whole + between + text if whole.string else text
        return whole

    def to_json(self) -> dict[str, Json]:
        """Marks and mentions as lists; the text itself stands in the leg."""
        return {
            "marks": [[m.what, m.begin, m.end] for m in self.marks],
            "mentions": [[m.instance, m.begin, m.end] for m in self.mentions],
        }
