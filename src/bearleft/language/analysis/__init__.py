"""Analysis of texts: tokens, nouns, relations, phenomena, statistics and quality checks."""
