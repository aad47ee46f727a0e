"""Examples of requests and answers, recorded from calls of a sandbox, for the OpenAPI document and the collection."""
