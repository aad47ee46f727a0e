"""Conditions and checks that rules of CFDI 3.3 and 4.0 share."""
