"""Training loops, one file each."""
