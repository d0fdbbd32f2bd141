"""Generation of ArraMon tasks."""
