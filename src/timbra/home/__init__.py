"""The home page of the portal."""
