"""The world from above: what is drawn where, in metres, and two that draw it, as PNG and as SVG."""
