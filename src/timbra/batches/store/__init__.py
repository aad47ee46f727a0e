"""Batches of documents to stamp: their state, the outcome of each document, and their archives."""
