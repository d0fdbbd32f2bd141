"""Parts of objects that have a name of their own: the seat of a chair, the screen of a television."""

from __future__ import annotations

import math
import re
from functools import cache

from bearleft.language.analysis.tokens import tokens
from bearleft.language.lexicon.lexicon import PARTS, part_names
from bearleft.language.referring.view import ViewBox
from bearleft.language.scene_index import VisibleObjects
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.scene_builder import CLASS_BASE

# Words that name a position rather than a part, or a part that nobody would look for.
_POSITION_WORDS = frozenset(
    (
        *("top", "base", "side", "front", "bottom", "middle", "center", "edge", "corner", "end", "part"),
        *(
            "body",
            "foot",
            "inside",
            "mount",
            "button",
            "screw",
            "gap",
            "opening",
            "border",
            "rim",
            "field",
            "band",
            "trim",
        ),
        *("text", "print", "goods", "frame", "cap"),
    )
)
MIN_SHARE = 4e-4  # of the sphere
MIN_SIZE = 2.0  # degrees
MIN_FILLED = 0.4  # of the box of a part; hollow parts and several legs fill less
_SPHERE = 4 * math.pi * math.degrees(1.0) ** 2  # square degrees


@cache
def part_words() -> frozenset[str]:
    """Return all words for parts that are named."""
    return frozenset(word for words in PARTS.values() for word in words if word.split()[-1] not in _POSITION_WORDS)


@cache
def part_pattern() -> re.Pattern[str]:
    """Return a pattern for "the seat of " before a noun phrase, in normalised text."""
    words = sorted(("".join(f"{token} " for token in tokens(word)) for word in part_words()), key=len, reverse=True)
    return re.compile(f"(?:the )?({'|'.join(map(re.escape, words))})of (?=@)")


@cache
def possessive_pattern() -> re.Pattern[str]:
    """Return a pattern for "the chair's seat"."""
    words = sorted(part_words(), key=len, reverse=True)
    return re.compile(
        rf"\b(the|this|that) ((?:[\w-]+ ){{0,5}}?[\w-]+)'s ({'|'.join(map(re.escape, words))})\b", re.IGNORECASE
    )


def named_parts(visible: VisibleObjects, instance: int) -> list[tuple[str, ViewBox]]:
    """Return the words and boxes of the parts of an object that can be looked at."""
    row = visible.find(instance)
    class_ = CLASSES[int(visible.kind[row])]
    rows = visible.rows[
        (visible.rows["instance"] == instance)
        & (visible.rows["part"] > 0)
        & (visible.rows["kind"] == CLASS_BASE + int(visible.kind[row]))
        & (visible.rows["share"] >= MIN_SHARE)
    ]
    found: list[tuple[str, ViewBox]] = []
    for part in rows:
        number, width, height = int(part["part"]) & 0xFF, float(part["width"]), float(part["top"] - part["bottom"])
        if int(part["part"]) != number or not 0 < number < len(class_.parts) or min(width, height) < MIN_SIZE:
            continue
        area = width * height * math.cos(math.radians(float(part["pitch"])))
        if float(part["share"]) * _SPHERE < MIN_FILLED * area or width > 60.0:
            continue
        box = ViewBox(
            float(part["heading"]),
            float(part["pitch"]),
            float(part["left"]),
            width,
            float(part["bottom"]),
            float(part["top"]),
            float(part["median"]),
            instance,
        )
        words = part_names(class_.name, class_.parts[number])
        # The back of a chair is its backrest, that of a cabinet is hidden.
        backrest = class_.parts[number] == "backrest"
        found += [(word, box) for word in words if word in part_words() and (word != "back" or backrest)]
    # A word that may mean two parts means neither.
    return [(word, box) for word, box in found if sum(word == other for other, _ in found) == 1]


def find_part(visible: VisibleObjects, instance: int, word: str) -> ViewBox | None:
    """Return the box of the part of an object that a word names, or None."""
    if visible.find(instance) < 0:
        return None
    return next((box for name, box in named_parts(visible, instance) if name == word), None)
