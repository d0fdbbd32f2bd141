"""Loaders, one module per dataset."""
