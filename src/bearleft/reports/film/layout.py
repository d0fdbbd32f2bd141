"""Layout of a film's frames: a heading, pictures side by side, and the text below."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from PIL import Image, ImageDraw, ImageFont

from bearleft.records import Episode, LegTrace
from bearleft.reports.film.decision import CHOSEN, TRACK, Decision, blend
from bearleft.reports.film.fonts import Colour, font
from bearleft.reports.film.shots import Shot

BACKGROUND, HEADING, MUTED, WHITE = (22, 24, 30), (236, 238, 242), (150, 156, 168), (255, 255, 255)
FOLLOWED, UPCOMING, HIGHLIGHTED, HIGHLIGHT = (112, 118, 130), (206, 210, 218), (24, 20, 8), (255, 200, 70)
SUCCESS, FAILURE = (36, 140, 84), (196, 52, 60)
MIN_FONT_SIZE = 8  # pixels
MAX_LINES = 7  # of a text at once; a longer one scrolls


@dataclass(frozen=True)
class Word:
    """A word of a text: its index in it, its line, and pixels from the left."""

    text: str
    begin: int
    line: int
    left: float
    width: float


def wrap_text(text: str, width: float, size: int) -> list[Word]:
    """Break a text into lines of a width."""
    typeface, words = font(size), []
    space = typeface.getlength(" ")
    line, left = 0, 0.0
    index = 0
    for piece in text.split(" "):
        for begin, word in _split_word(piece, typeface, width):
            length = typeface.getlength(word)
            if left and left + length > width:
                line, left = line + 1, 0.0
            if word:
                words.append(Word(word, index + begin, line, left, length))
                left += length + space
        index += len(piece) + 1
    return words


def truncate(text: str, width: float, size: int) -> str:
    """Return as much of a text as fits a width."""
    while text and font(size).getlength(text) > width:
        text = text[:-2].rstrip(" ·…") + "…" if len(text) > 2 else ""
    return text


def _split_word(word: str, typeface: ImageFont.FreeTypeFont, width: float) -> list[tuple[int, str]]:
    """Split a word into pieces that fit a line."""
    if len(word) < 20 or typeface.getlength(word[:400]) <= width:
        return [(0, word)]
    step = max(int(width / typeface.getlength("W")), 1)
    return [(k, word[k : k + step]) for k in range(0, len(word), step)]


@dataclass(frozen=True, eq=False)
class FrameLayout(ABC):
    """Layout of a frame `width` pixels wide; subclasses draw the pictures."""

    episode: Episode
    legs: Sequence[LegTrace]
    agent: str
    width: int

    @cached_property
    def padding(self) -> int:
        """Return the pixels between elements."""
        return max(self.width // 110, 4)

    @cached_property
    def font_size(self) -> int:
        """Return the font size of the text."""
        return max(self.width // 46, 9)

    @cached_property
    def heading_height(self) -> int:
        """Return the height of the heading."""
        return round(1.9 * self.font_size)

    @cached_property
    def picture_height(self) -> int:
        """Return the height of view and map."""
        return round(0.4 * self.width)

    @property
    def colours(self) -> Sequence[Colour]:
        """Return the colours that a palette must hold."""
        text = BACKGROUND, HEADING, MUTED, WHITE, FOLLOWED, UPCOMING, HIGHLIGHTED, HIGHLIGHT, SUCCESS, FAILURE
        return *text, *((CHOSEN, TRACK) if any(leg.policy is not None for leg in self.legs) else ())

    @property
    def panorama_height(self) -> int:
        """Return the height of a panorama between pictures and text, 0 where there is none."""
        return 0

    @property
    @abstractmethod
    def view_width(self) -> int:
        """Return the width of the view, 0 where there is none."""

    @abstractmethod
    def draw(self, sheet: Image.Image, shot: Shot) -> None:
        """Draw the pictures of a shot."""

    def decision(self, shot: Shot) -> Decision | None:
        """Return what the agent's network computed when it acted, None if that is not known or not shown."""
        return None

    @cached_property
    def texts(self) -> list[list[Word]]:
        """Return the words of each leg's text."""
        inner = self.width - 2 * self.padding - self.font_size
        return [wrap_text(_printable(leg.text), inner, self.font_size) for leg in self.episode.legs]

    @cached_property
    def lines(self) -> int:
        """Return how many lines of text are shown."""
        return min(max((words[-1].line + 1 for words in self.texts if words), default=1), MAX_LINES)

    @cached_property
    def height(self) -> int:
        """Return the height of the frame, an even number."""
        below = round(self.lines * 1.42 * self.font_size + 0.9 * self.font_size)
        return (self.heading_height + self.picture_height + self.padding + self.panorama_height + below + 1) // 2 * 2

    def frame(self, shot: Shot) -> Image.Image:
        """Return the frame of a shot."""
        sheet = Image.new("RGB", (self.width, self.height), BACKGROUND)
        self._draw_heading(sheet, shot)
        self.draw(sheet, shot)
        if shot.outcome:
            self._draw_verdict(sheet, shot)
        self._draw_text(sheet, shot)
        return sheet

    def _draw_heading(self, sheet: Image.Image, shot: Shot) -> None:
        draw, size = ImageDraw.Draw(sheet), round(0.82 * self.font_size)
        centre = self.heading_height // 2
        title_width = self.width - 3 * self.padding - font(size).getlength(shot.caption)
        names = (self.agent, self.episode.dataset, f"episode {self.episode.id}")
        title = truncate("  ·  ".join(_printable(name)[:60] for name in names), title_width, size)
        draw.text((self.padding + 2, centre), title, HEADING, font(size), anchor="lm")
        draw.text((self.width - self.padding - 2, centre), shot.caption, MUTED, font(size), anchor="rm")

    def _draw_verdict(self, sheet: Image.Image, shot: Shot) -> None:
        """Draw the outcome on the view or the map."""
        draw, size = ImageDraw.Draw(sheet), round(1.15 * self.font_size)
        width = self.view_width or self.width - 2 * self.padding
        while size > MIN_FONT_SIZE and font(size).getlength(shot.outcome) > width - 2 * self.font_size:
            size -= 1
        font_size = font(size)
        centre = self.padding + width / 2, self.heading_height + self.picture_height - 1.8 * self.font_size
        left, top, right, bottom = draw.textbbox(centre, shot.outcome, font_size, anchor="mm")
        margin = 0.6 * self.font_size
        box = left - 1.6 * margin, top - margin, right + 1.6 * margin, bottom + margin
        draw.rounded_rectangle(box, margin, SUCCESS if shot.success else FAILURE, WHITE, max(self.width // 500, 1))
        draw.text(centre, shot.outcome, WHITE, font_size, anchor="mm")

    def _draw_text(self, sheet: Image.Image, shot: Shot) -> None:
        draw, font_size, line_height = ImageDraw.Draw(sheet), font(self.font_size), 1.42 * self.font_size
        words = self.texts[shot.leg]
        begin, end = shot.highlighted
        highlighted = [word for word in words if begin <= word.begin < end]
        last = words[-1].line if words else 0
        first = min(max(highlighted[0].line - 1 if highlighted else 0, 0), max(last + 1 - self.lines, 0))
        top = self.heading_height + self.picture_height + self.padding + self.panorama_height + 0.35 * self.font_size
        left = self.padding + self.font_size / 2

        def position(word: Word) -> tuple[float, float]:
            return left + word.left, top + (word.line - first + 0.5) * line_height

        visible = [word for word in words if first <= word.line < first + self.lines]
        for line in range(first, first + self.lines):
            on_line = [word for word in highlighted if word.line == line]
            if on_line:
                x, y = position(on_line[0])
                box = (
                    x - 3,
                    y - 0.64 * self.font_size,
                    position(on_line[-1])[0] + on_line[-1].width + 3,
                    y + 0.64 * self.font_size,
                )
                draw.rounded_rectangle(box, 0.3 * self.font_size, HIGHLIGHT)
        decision = self.decision(shot)
        for word in visible:
            if decision is not None and (weight := decision.word_weight(word.begin, word.begin + len(word.text))) > 0:
                (x, y), thick = position(word), 0.16 * self.font_size
                below = y + 0.64 * self.font_size
                underline = x, below, x + word.width, below + thick
                draw.rectangle(underline, blend(BACKGROUND, CHOSEN, weight))
            colour = HIGHLIGHTED if begin <= word.begin < end else FOLLOWED if word.begin < begin else UPCOMING
            draw.text(position(word), word.text, colour, font_size, anchor="lm")


def _printable(text: str) -> str:
    """Return a text of the same length with control characters and breaks replaced by spaces."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
