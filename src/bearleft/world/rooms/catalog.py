"""Object classes that only occur in rooms."""

from __future__ import annotations

from bearleft.world.rooms.home_classes import HOME
from bearleft.world.rooms.public_classes import PUBLIC

ROOM_CLASSES = (*HOME, *PUBLIC)
