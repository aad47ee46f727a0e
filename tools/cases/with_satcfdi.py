"""Harness: satcfdi, which checks no rule of the SAT's matrices: it has the schemas and the cadena original.

The codes that it can give: 301 when the XML does not satisfy its schema, 302 when the seal is not that of the document
and its certificate.
"""

from __future__ import annotations

import warnings
from base64 import b64decode
from functools import cache
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509 import load_der_x509_certificate
from lxml import etree

from tools.cases.protocol import CannotEvaluateError, serve

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from satcfdi.cfdi import CFDI
    from satcfdi.exceptions import CFDIError, NamespaceMismatchError
    from satcfdi.transform import SCHEMA_ROOT, SchemaCollector, cfdi_schemas
    from satcfdi.utils import parser

XSD = "http://www.w3.org/2001/XMLSchema"
UNREADABLE = (KeyError, ValueError, TypeError, AttributeError, etree.LxmlError, CFDIError, NamespaceMismatchError)
"""What satcfdi raises for documents that it does not read."""


def evaluate(xml: bytes, _at: str, stage: str) -> list[str]:
    """Return the codes that satcfdi can give."""
    if stage != "validation":
        raise CannotEvaluateError("satcfdi does not stamp")
    try:
        invoice = CFDI.from_string(xml)
        found = SchemaCollector()
        cfdi_schemas[invoice.tag](found, invoice)
        if not _schema(frozenset(found.base)).validate(invoice.to_xml()):
            return ["301"]
        cadena = invoice.cadena_original()
    except UNREADABLE as error:
        raise CannotEvaluateError(f"satcfdi does not read the document: {type(error).__name__}") from error
    return [] if _is_sealed(invoice, cadena) else ["302"]


@cache
def _schema(locations: frozenset[str]) -> etree.XMLSchema:
    """Compile the schemas of a document as `satcfdi.transform.validate_xsd` does for each document (half a second)."""
    base_url = str(Path(SCHEMA_ROOT) / "schema.xsd")
    element = etree.fromstring(f'<xs:schema xmlns:xs="{XSD}"/>', base_url=base_url, parser=parser)
    for location in sorted(locations):
        etree.SubElement(element, f"{{{XSD}}}import", {"namespace": "", "schemaLocation": location})
    return etree.XMLSchema(element)


def _is_sealed(invoice: Any, cadena: str) -> bool:
    key = load_der_x509_certificate(b64decode(invoice["Certificado"])).public_key()
    if not isinstance(key, RSAPublicKey):
        return False
    try:
        key.verify(b64decode(invoice["Sello"]), cadena.encode(), PKCS1v15(), SHA256())
    except InvalidSignature:
        return False
    return True


if __name__ == "__main__":
    serve(evaluate)
