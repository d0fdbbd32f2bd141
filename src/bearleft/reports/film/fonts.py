"""Fonts and colours of films."""

from __future__ import annotations

from functools import lru_cache

from PIL import ImageFont

Colour = tuple[int, int, int]


@lru_cache(maxsize=16)
def font(size: int) -> ImageFont.FreeTypeFont:
    """Return the font of a size."""
    loaded = ImageFont.load_default(size)
    assert isinstance(loaded, ImageFont.FreeTypeFont)
    return loaded
