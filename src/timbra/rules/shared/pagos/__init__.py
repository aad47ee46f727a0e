"""Predicates that the rule sets of both versions of Recepción de Pagos share."""
