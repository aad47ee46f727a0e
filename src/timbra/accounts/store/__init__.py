"""Repositories of accounts, tokens, balances, certificates and shared secrets."""
