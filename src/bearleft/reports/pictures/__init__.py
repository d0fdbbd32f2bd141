"""Picture files: views, maps, contact sheets, examples and heat maps."""
