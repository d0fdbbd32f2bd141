"""Sentences that lead a view to a point, as Refer360's: written, read back, followed."""
