"""Validation of the documents that an account received: uploaded files, results that are kept for a term."""
