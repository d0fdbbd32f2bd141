"""Object classes that only occur in rooms."""

from __future__ import annotations

from bearleft.world.rooms.home_classes import HOME_CLASSES
from bearleft.world.rooms.public_classes import PUBLIC_CLASSES

ROOM_CLASSES = (*HOME_CLASSES, *PUBLIC_CLASSES)
