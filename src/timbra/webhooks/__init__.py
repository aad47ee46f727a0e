"""Webhooks: endpoints of accounts, signatures, and the delivery of events by HTTP."""
