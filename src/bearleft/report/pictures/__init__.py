"""Pictures as files: views, maps, contact sheets and examples."""
