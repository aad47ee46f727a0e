"""Reconciliation of the CFDI that the SAT has with the ledger of issued CFDI, an ERP's export and payments (0309)."""
