"""Classes of things of homes: walls, furniture, lamps, what lies about."""

from __future__ import annotations

from bearleft.world.city.classes import Class

HOME: tuple[Class, ...] = ()
