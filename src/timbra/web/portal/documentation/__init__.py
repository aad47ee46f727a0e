"""The documentation under /docs: the built site and the API reference, as static files."""
