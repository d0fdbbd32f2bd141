"""Models of objects in rooms, one module per family; each public function returns the solids of one variant."""
