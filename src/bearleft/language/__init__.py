"""Scenes and routes put into English, and read back."""
