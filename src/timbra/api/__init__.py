"""The HTTP edge: routes, wire shapes and the one table that turns errors into envelopes."""
