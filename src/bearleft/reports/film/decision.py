"""What an agent's network computed, drawn into a frame: action probabilities, attention over view and words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

from bearleft.policy import Policy, PolicyStep
from bearleft.policy import Span as TokenSpan
from bearleft.reports.film.fonts import Colour, font

PANEL, TRACK, CHOSEN, OTHER, NAME = (22, 24, 30), (58, 62, 72), (255, 150, 0), (150, 156, 168), (236, 238, 242)
BYTE = 255


@dataclass(frozen=True)
class Decision:
    """One decision of a network: what it computed, and which action was taken."""

    names: Sequence[str]  # of the actions
    chosen: int
    step: PolicyStep
    spans: Sequence[TokenSpan]

    @classmethod
    def at(cls, policy: Policy, names: Sequence[str], actions: Sequence[str], step: int) -> Decision:
        """Return the decision of a step; an action of another name was the last one, and refused."""
        chosen = names.index(actions[step]) if actions[step] in names else len(names) - 1
        return cls(names, chosen, policy.steps[step], policy.spans)

    def word_weight(self, begin: int, end: int) -> float:
        """Return the largest weight, from 0 to 1, of the tokens in a part of the text."""
        inside = [
            weight
            for (first, last), weight in zip(self.spans, self.step.words, strict=True)
            if first < end and begin < last
        ]
        return max(inside, default=0) / BYTE


def draw_actions(sheet: Image.Image, decision: Decision, left: int, top: int, size: int) -> None:
    """Draw a bar for the probability of each action into a panel whose corner is given; `size` is that of the font."""
    draw, typeface = ImageDraw.Draw(sheet), font(size)
    name_width = max(typeface.getlength(name) for name in decision.names)
    share_width, bar_width, line = typeface.getlength("100 %"), 4.0 * size, 1.35 * size
    margin = 0.5 * size
    width, height = name_width + share_width + bar_width + 4 * margin, len(decision.names) * line + margin
    draw.rectangle((left, top, left + width, top + height), PANEL)
    for k, (name, share) in enumerate(zip(decision.names, decision.step.probabilities, strict=True)):
        y = top + margin / 2 + (k + 0.5) * line
        colour = CHOSEN if k == decision.chosen else OTHER
        draw.text((left + margin, y), name, CHOSEN if k == decision.chosen else NAME, typeface, anchor="lm")
        x = left + 2 * margin + name_width
        draw.rectangle((x, y - 0.3 * size, x + bar_width, y + 0.3 * size), TRACK)
        draw.rectangle((x, y - 0.3 * size, x + min(share, 1.0) * bar_width, y + 0.3 * size), colour)
        draw.text((left + width - margin, y), f"{100 * share:.0f} %", NAME, typeface, anchor="rm")


def draw_view_attention(
    sheet: Image.Image, decision: Decision, box: tuple[int, int, int, int], fov: float, height: int
) -> None:
    """Draw attention over the sectors that a view shows as a strip along its bottom.

    Args:
        sheet: The frame.
        decision: The decision.
        box: The view: left, top, right, bottom.
        fov: Degrees that the view is wide.
        height: Pixels of the strip.
    """
    weights = decision.step.views
    if not weights:
        return
    draw, (left, _, right, bottom) = ImageDraw.Draw(sheet), box
    sector = 360.0 / len(weights)
    for k, weight in enumerate(weights):
        angle = (k * sector + 180.0) % 360.0 - 180.0
        begin, end = (max(min(angle + side * sector / 2, fov / 2), -fov / 2) for side in (-1, 1))
        if end > begin:
            x = [_across(edge, fov, left, right) for edge in (begin, end)]
            draw.rectangle((x[0], bottom - height, x[1], bottom - 1), blend(TRACK, CHOSEN, weight / BYTE))


def blend(first: Colour, second: Colour, share: float) -> Colour:
    """Return a colour between two."""
    red, green, blue = (round(a + share * (b - a)) for a, b in zip(first, second, strict=True))
    return red, green, blue


def _across(angle: float, fov: float, left: int, right: int) -> float:
    """Return the pixel at which a view shows an angle from its middle."""
    share = math.tan(math.radians(angle)) / math.tan(math.radians(fov / 2))
    return left + (right - left) * (share + 1) / 2
