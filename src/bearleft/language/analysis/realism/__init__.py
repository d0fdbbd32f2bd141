"""Realism of generated texts: how far they are from texts that people wrote."""
