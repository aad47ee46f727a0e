"""Harness: satcfdi, which checks no rule of the SAT's matrices: it has the schemas and the cadena original.

The codes that it can give: 301 when the XML does not satisfy its schema, 302 when the seal is not that of the document
and its certificate.
"""

from __future__ import annotations

import warnings
from base64 import b64decode
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
    from satcfdi.exceptions import CFDIError, NamespaceMismatchError, SchemaValidationError


def evaluate(xml: bytes, _at: str, stage: str) -> list[str]:
    """Return the codes that satcfdi can give."""
    if stage != "validation":
        raise CannotEvaluateError("satcfdi does not stamp")
    try:
        invoice = CFDI.from_string(xml)
        invoice.to_xml(validate=True)
        cadena = invoice.cadena_original()
    except (SchemaValidationError, etree.DocumentInvalid):
        return ["301"]
    except (
        KeyError,
        ValueError,
        TypeError,
        AttributeError,
        etree.LxmlError,
        CFDIError,
        NamespaceMismatchError,
    ) as error:
        raise CannotEvaluateError(f"satcfdi does not read the document: {type(error).__name__}") from error
    return [] if _is_sealed(invoice, cadena) else ["302"]


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
