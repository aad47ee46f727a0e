"""Timbra: seals, stamps and validates Mexican electronic invoices (CFDI)."""
