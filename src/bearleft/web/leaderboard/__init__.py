"""A leaderboard: tracks with public or hidden answers, teams, submissions, scoring and tables."""
