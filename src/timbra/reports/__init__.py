"""Reports that a provider hands over to the SAT, to auditors and to its own administration."""
