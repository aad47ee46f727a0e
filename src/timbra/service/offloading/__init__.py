"""Issuing, stamping and validation of large documents in child processes, so that small ones do not wait for them.

The parent keeps the private keys: a child asks it for each signature (`keys`).
"""
