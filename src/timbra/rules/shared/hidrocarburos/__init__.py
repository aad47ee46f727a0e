"""Checks that both complements of hydrocarbon contracts, of income and of expenses, share."""
