"""Reports, films and pictures of traces and worlds."""
