"""Networks that point: one published architecture per module, and what they share."""
