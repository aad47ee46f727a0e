"""The documents that an account received or issued, as the SAT and others delivered them."""
