"""The HTTP API: endpoints, request parsing, serialization, error responses and the HTTP server."""
