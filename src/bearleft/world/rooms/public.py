"""Classes of things of restaurants, shops and showrooms."""

from __future__ import annotations

from bearleft.world.city.classes import Class

PUBLIC: tuple[Class, ...] = ()
