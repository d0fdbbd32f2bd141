"""Minimal pairs: one word changed, and another answer."""
