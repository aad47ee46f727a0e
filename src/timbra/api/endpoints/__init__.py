"""One file per family of operations; each lists its own."""
