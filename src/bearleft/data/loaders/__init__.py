"""Loaders and writers, one module per format.

Each module has loaders, called with a `Dataset` to yield its episodes, and writers, which convert episodes to rows of
the format; `bearleft.data.catalog` lists them by dataset.
"""
