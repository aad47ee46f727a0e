"""Engines: where the workers of a run are."""
