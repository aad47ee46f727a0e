"""A CFDI written as a JSON object, turned into XML by the shape that SAT's schemas give each element."""

from timbra.cfdi.from_json.invoices import JsonInvoices

__all__ = ["JsonInvoices"]
