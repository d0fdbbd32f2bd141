"""Models of objects in the city, one module per family; each public function returns the solids of one variant."""
