"""Albums: panoramas in a folder, one for every place, whether a renderer or a camera made them."""
