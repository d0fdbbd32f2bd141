"""ArraMon's world: walkable ground, A* search, moves, the room, task setups, items and city sections."""
