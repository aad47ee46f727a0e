"""Services that a drill or a test starts and takes away: a PostgreSQL server, a token of SoftHSM, a small disk."""
