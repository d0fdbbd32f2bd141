"""Loaders and writers, one module per dataset format."""
