"""A compiled path for batches of plain documents; every other one takes the ordinary path. See docs/fast-path.md."""
