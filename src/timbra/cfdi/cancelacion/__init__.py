"""The documents of SAT's cancellation services: requests that a taxpayer signs, and what the authority answers."""
