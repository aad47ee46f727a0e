"""Mail: a stamped CFDI with its printed representation, sent to the requested recipients."""
