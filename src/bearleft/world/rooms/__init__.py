"""Rooms: indoor scenes from the same engine as the city."""
