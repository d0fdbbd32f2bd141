"""Pictures and tables made from what was measured."""
