"""Compares both paths of a stamp over drawn changes of valid documents: `python -m tools.plain_comparison`."""
