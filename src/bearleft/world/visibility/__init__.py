"""Visibility: which objects are visible from each place, and single rays."""
