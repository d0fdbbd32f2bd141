"""Lexicon: words for objects, parts, colours and numbers."""
