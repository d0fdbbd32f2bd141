"""Films of traces."""
