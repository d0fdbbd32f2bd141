"""`bearleft bench cluster`: what work in shards costs on a Ray cluster, and how much memory it takes."""
