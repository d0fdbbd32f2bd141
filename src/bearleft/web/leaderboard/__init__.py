"""The leaderboard: tracks with public or hidden answers, teams, submissions, their scoring and tables."""
