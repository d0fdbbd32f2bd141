"""Seven small sections of a city, apart from one another, for ArraMon's walks."""
