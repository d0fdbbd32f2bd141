"""Walking networks: RCONCAT, GA, ORAR and Compass, what they see, and their walks."""
