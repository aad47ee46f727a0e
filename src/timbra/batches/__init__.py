"""Batches: many documents in one ZIP archive, each stamped as a single request would be."""
