"""The sheet that every picture of a film is drawn on: a line above, pictures side by side, and the text below."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from PIL import Image, ImageDraw, ImageFont

from bearleft.records import Episode, LegTrace
from bearleft.report.film.shots import Shot

Colour = tuple[int, int, int]
BACK, HEAD, QUIET, WHITE = (22, 24, 30), (236, 238, 242), (150, 156, 168), (255, 255, 255)
DONE, AHEAD, LIT, LAMP = (112, 118, 130), (206, 210, 218), (24, 20, 8), (255, 200, 70)
GOOD, BAD = (36, 140, 84), (196, 52, 60)
SMALLEST = 8  # pixels of letters
LINES = 7  # of a text at once; a longer one rolls on


@lru_cache(maxsize=16)
def font(size: int) -> ImageFont.FreeTypeFont:
    """The letters of a size."""
    found = ImageFont.load_default(size)
    assert isinstance(found, ImageFont.FreeTypeFont)
    return found


@dataclass(frozen=True)
class Word:
    """A word of a text, where it begins in it, and where it stands: its line and pixels from the left."""

    text: str
    begin: int
    line: int
    left: float
    width: float


def laid(text: str, width: float, size: int) -> list[Word]:
    """A text in lines of a width."""
    letters, found = font(size), []
    space = letters.getlength(" ")
    line, left = 0, 0.0
    at = 0
    for piece in text.split(" "):
        for begin, word in _cut(piece, letters, width):
            long = letters.getlength(word)
            if left and left + long > width:
                line, left = line + 1, 0.0
            if word:
                found.append(Word(word, at + begin, line, left, long))
                left += long + space
        at += len(piece) + 1
    return found


def fitting(text: str, width: float, size: int) -> str:
    """As much of a text as fits a width."""
    while text and font(size).getlength(text) > width:
        text = text[:-2].rstrip(" ·…") + "…" if len(text) > 2 else ""
    return text


def _cut(word: str, letters: ImageFont.FreeTypeFont, width: float) -> list[tuple[int, str]]:
    """A word in pieces that fit a line."""
    if len(word) < 20 or letters.getlength(word[:400]) <= width:
        return [(0, word)]
    step = max(int(width / letters.getlength("W")), 1)
    return [(k, word[k : k + step]) for k in range(0, len(word), step)]


@dataclass(frozen=True, eq=False)
class Sheet(ABC):
    """Where everything stands in a picture `width` pixels wide; who inherits draws the pictures."""

    episode: Episode
    legs: Sequence[LegTrace]
    agent: str
    width: int

    @cached_property
    def pad(self) -> int:
        """Pixels between things."""
        return max(self.width // 110, 4)

    @cached_property
    def letters(self) -> int:
        """The size of the text's letters."""
        return max(self.width // 46, 9)

    @cached_property
    def head(self) -> int:
        """Pixels of the line above."""
        return round(1.9 * self.letters)

    @cached_property
    def row(self) -> int:
        """The height of view and map."""
        return round(0.4 * self.width)

    @property
    def colours(self) -> Sequence[Colour]:
        """What a palette must hold."""
        return BACK, HEAD, QUIET, WHITE, DONE, AHEAD, LIT, LAMP, GOOD, BAD

    @property
    def strip(self) -> int:
        """The height of a panorama between pictures and text, 0 where there is none."""
        return 0

    @property
    @abstractmethod
    def view_width(self) -> int:
        """Pixels across the view, 0 where there is none."""

    @abstractmethod
    def draw(self, sheet: Image.Image, shot: Shot) -> None:
        """Draws the pictures of a shot."""

    @cached_property
    def texts(self) -> list[list[Word]]:
        """The words of each leg's text."""
        inner = self.width - 2 * self.pad - self.letters
        return [laid(_plain(leg.text), inner, self.letters) for leg in self.episode.legs]

    @cached_property
    def lines(self) -> int:
        """How many lines of text there is room for."""
        return min(max((words[-1].line + 1 for words in self.texts if words), default=1), LINES)

    @cached_property
    def height(self) -> int:
        """Pixels of the whole picture, an even number."""
        below = round(self.lines * 1.42 * self.letters + 0.9 * self.letters)
        return (self.head + self.row + self.pad + self.strip + below + 1) // 2 * 2

    def frame(self, shot: Shot) -> Image.Image:
        """The picture of a shot."""
        sheet = Image.new("RGB", (self.width, self.height), BACK)
        self._head(sheet, shot)
        self.draw(sheet, shot)
        if shot.verdict:
            self._verdict(sheet, shot)
        self._text(sheet, shot)
        return sheet

    def _head(self, sheet: Image.Image, shot: Shot) -> None:
        draw, size = ImageDraw.Draw(sheet), round(0.82 * self.letters)
        middle = self.head // 2
        beside = self.width - 3 * self.pad - font(size).getlength(shot.said)
        names = (self.agent, self.episode.dataset, f"episode {self.episode.id}")
        title = fitting("  ·  ".join(_plain(name)[:60] for name in names), beside, size)
        draw.text((self.pad + 2, middle), title, HEAD, font(size), anchor="lm")
        draw.text((self.width - self.pad - 2, middle), shot.said, QUIET, font(size), anchor="rm")

    def _verdict(self, sheet: Image.Image, shot: Shot) -> None:
        """What came of it, on the view or the map."""
        draw, size = ImageDraw.Draw(sheet), round(1.15 * self.letters)
        wide = self.view_width or self.width - 2 * self.pad
        while size > SMALLEST and font(size).getlength(shot.verdict) > wide - 2 * self.letters:
            size -= 1
        letters = font(size)
        at = self.pad + wide / 2, self.head + self.row - 1.8 * self.letters
        left, top, right, bottom = draw.textbbox(at, shot.verdict, letters, anchor="mm")
        by = 0.6 * self.letters
        box = left - 1.6 * by, top - by, right + 1.6 * by, bottom + by
        draw.rounded_rectangle(box, by, GOOD if shot.good else BAD, WHITE, max(self.width // 500, 1))
        draw.text(at, shot.verdict, WHITE, letters, anchor="mm")

    def _text(self, sheet: Image.Image, shot: Shot) -> None:
        draw, letters, high = ImageDraw.Draw(sheet), font(self.letters), 1.42 * self.letters
        words = self.texts[shot.leg]
        begin, end = shot.lit
        lit = [word for word in words if begin <= word.begin < end]
        last = words[-1].line if words else 0
        first = min(max(lit[0].line - 1 if lit else 0, 0), max(last + 1 - self.lines, 0))
        top = self.head + self.row + self.pad + self.strip + 0.35 * self.letters
        left = self.pad + self.letters / 2

        def place(word: Word) -> tuple[float, float]:
            return left + word.left, top + (word.line - first + 0.5) * high

        seen = [word for word in words if first <= word.line < first + self.lines]
        for line in range(first, first + self.lines):
            on = [word for word in lit if word.line == line]
            if on:
                x, y = place(on[0])
                box = x - 3, y - 0.64 * self.letters, place(on[-1])[0] + on[-1].width + 3, y + 0.64 * self.letters
                draw.rounded_rectangle(box, 0.3 * self.letters, LAMP)
        for word in seen:
            colour = LIT if begin <= word.begin < end else DONE if word.begin < begin else AHEAD
            draw.text(place(word), word.text, colour, letters, anchor="lm")


def _plain(text: str) -> str:
    """A text of as many letters, its breaks and marks of control being spaces."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
