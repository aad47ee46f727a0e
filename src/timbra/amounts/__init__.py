"""The amounts of an invoice from its lines: taxes, sums and totals within the limits of the SAT's rules."""
