"""A compiled path for batches of plain invoices; every other document takes the ordinary one. Not used by a server."""
