"""The services that a provider calls, one module each. They know requests and responses, not HTTP servers."""
