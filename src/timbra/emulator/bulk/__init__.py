"""The SAT's bulk download (descarga masiva) 1.5: requests, verification, packages."""
