"""Navigation instructions for ArraMon: writing, reading and following walks to an item."""
