"""Benchmarks of ArraMon's environments."""
