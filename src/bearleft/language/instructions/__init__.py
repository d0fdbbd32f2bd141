"""Instructions for routes: written, read back, walked."""
