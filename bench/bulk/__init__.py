"""Bulk validation in one process, in worker processes and in Ray actors; and runs that are killed and continued."""
