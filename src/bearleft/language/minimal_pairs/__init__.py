"""Minimal pairs: texts that differ in one word and have different answers."""
