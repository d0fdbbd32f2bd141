"""What the things of the city look like: functions that make models, by where one meets the things."""
