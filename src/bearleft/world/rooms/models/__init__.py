"""What the things of rooms are made of."""
