"""Invoices by hand: a form of the portal, its drafts, and the customers and products that it remembers."""
