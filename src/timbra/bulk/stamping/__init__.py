"""Stamping of many documents by servers: records, client, and the engine of a run."""
