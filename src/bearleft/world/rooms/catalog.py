"""Every class of thing that rooms hold and streets do not."""

from __future__ import annotations

from bearleft.world.rooms.home_classes import HOME
from bearleft.world.rooms.public_classes import PUBLIC

ROOM_CLASSES = (*HOME, *PUBLIC)
