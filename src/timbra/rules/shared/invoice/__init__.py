"""What the books of CFDI 3.3 and 4.0 share: conditions and verdicts, each asked by a rule of either book."""
