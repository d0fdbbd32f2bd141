"""The tasks that people do in the browser."""
