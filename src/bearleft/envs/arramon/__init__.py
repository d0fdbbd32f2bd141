"""ArraMon environments: collect and assemble, single and vectorized, with and without pictures."""
