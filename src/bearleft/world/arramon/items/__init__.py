"""ArraMon's collectibles: what they are called, and what they look like."""
