"""Bulk validation in one process, in worker processes and under Ray; and runs that are killed and continued."""
