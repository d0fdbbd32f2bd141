"""Export of worlds as glTF tiles, for browsers and other triangle renderers."""
