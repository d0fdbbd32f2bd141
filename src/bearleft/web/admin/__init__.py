"""The admin part: accounts, projects, progress, answers with replays and decisions, exports and imports."""
