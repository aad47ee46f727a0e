"""The download of an account's documents from the SAT: plan, requests, packages, and the watch of their states."""
