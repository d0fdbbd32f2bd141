"""Pictures and maps of worlds over HTTP."""
