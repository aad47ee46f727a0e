"""Conversion of a CFDI written as a JSON object into XML, by the structure that the SAT's schemas give each element."""

from timbra.cfdi.from_json.invoices import JsonConversion, JsonInvoices

__all__ = ["JsonConversion", "JsonInvoices"]
