"""A world as glTF tiles, for browsers and other programs that draw triangles."""
