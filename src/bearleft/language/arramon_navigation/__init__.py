"""ArraMon's walks: instructions that lead to something to pick up, written, read back, walked."""
