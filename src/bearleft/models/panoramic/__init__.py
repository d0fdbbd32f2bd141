"""Panoramic networks: at each place they choose among its links, as agents of Room-to-Room do."""
