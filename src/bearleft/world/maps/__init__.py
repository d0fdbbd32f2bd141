"""Maps of worlds from above: marks in metres, painted as PNG or written as SVG."""
