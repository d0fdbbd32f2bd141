"""Where one is: places, the links between them, and what one sees there."""
