"""Training of ArraMon's networks: batched teacher forcing, and DAgger with an A* oracle."""
