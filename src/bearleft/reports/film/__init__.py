"""Films of traces as GIF or MP4."""
