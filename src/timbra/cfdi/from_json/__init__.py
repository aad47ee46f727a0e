"""Conversion of a CFDI or a retención written as JSON into XML, by the structure of the SAT's schemas."""

from timbra.cfdi.from_json.documents import JsonConversion, JsonDocuments

__all__ = ["JsonConversion", "JsonDocuments"]
