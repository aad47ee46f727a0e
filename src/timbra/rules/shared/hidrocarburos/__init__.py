"""Predicates that the complements of hydrocarbon contracts, of income and of expenses, share."""
