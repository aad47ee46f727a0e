"""Mail: a stamped CFDI with its printed representation, to whoever asked for it."""
