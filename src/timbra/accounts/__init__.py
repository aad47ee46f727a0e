"""Accounts: users and passwords, tokens, and the vault of seal certificates."""
