"""Webhooks of accounts: endpoints, and the events that they get, written in the transaction of what they tell."""
