"""Distinguished names in the SAT's form: order of attributes, object identifiers and string types."""

from __future__ import annotations

import re

from timbra.asn1 import der_writer as der
from timbra.validation.sandbox_documents import AUTHORITY_NAME

COMMON_NAME = "2.5.4.3"
SERIAL_NUMBER = "2.5.4.5"
COUNTRY = "2.5.4.6"
LOCALITY = "2.5.4.7"
STATE = "2.5.4.8"
STREET = "2.5.4.9"
ORGANIZATION = "2.5.4.10"
ORGANIZATIONAL_UNIT = "2.5.4.11"
POSTAL_CODE = "2.5.4.17"
NAME = "2.5.4.41"
UNIQUE_IDENTIFIER = "2.5.4.45"
EMAIL = "1.2.840.113549.1.9.1"
UNSTRUCTURED_NAME = "1.2.840.113549.1.9.2"

_PRINTABLE = re.compile(r"[A-Za-z0-9 '()+,\-./:=?]*\Z")
PERSON_LENGTH = 13
# The generic RFC and CURP replace those of the legal representative in a real certificate.
REPRESENTATIVE_RFC = "XAXX010101000"
GENERIC_CURP = "XEXX010101HNEXXXA4"

MARK = "SANDBOX TIMBRA SIN VALIDEZ FISCAL"
MAIL = "sandbox@timbra.invalid"


def distinguished(*attributes: tuple[str, bytes]) -> bytes:
    """Encode a Name whose relative distinguished names have one attribute each, in the given order.

    Args:
        attributes: Object identifiers in dotted form, each with its encoded value.
    """
    return der.sequence(
        *(der.single_set(der.sequence(der.object_identifier(identifier), value)) for identifier, value in attributes)
    )


def holder_text(value: str) -> bytes:
    """Encode taxpayer data as the SAT does: PrintableString if possible, else T61String (latin-1), else UTF8String."""
    if _PRINTABLE.match(value):
        return der.text(der.PRINTABLE_STRING, value)
    try:
        return der.text(der.T61_STRING, value)
    except UnicodeEncodeError:
        return der.text(der.UTF8_STRING, value)


def csd_subject(rfc: str, name: str, branch: str) -> bytes:
    """Encode the subject of a CSD: CN, name, O, x500UniqueIdentifier, serialNumber, OU."""
    return distinguished(*_named(name), *_identified(rfc), (ORGANIZATIONAL_UNIT, holder_text(branch)))


def efirma_subject(rfc: str, name: str) -> bytes:
    """Encode the subject of an e.firma: that of a CSD with country and e-mail before the identifiers, without OU."""
    country = (COUNTRY, der.text(der.PRINTABLE_STRING, "MX"))
    mail = (EMAIL, der.text(der.IA5_STRING, MAIL))
    return distinguished(*_named(name), country, mail, *_identified(rfc))


def authority_subject(rfc: str) -> bytes:
    """Encode the subject of the sandbox's authority, with the attributes of the SAT's issuing authorities."""

    def utf8(value: str) -> bytes:
        return der.text(der.UTF8_STRING, value)

    return distinguished(
        (COMMON_NAME, utf8(AUTHORITY_NAME)),
        (ORGANIZATION, utf8(MARK)),
        (ORGANIZATIONAL_UNIT, utf8("Sandbox Authority")),
        (EMAIL, der.text(der.IA5_STRING, MAIL)),
        (STREET, utf8("Sin domicilio")),
        (POSTAL_CODE, utf8("06300")),
        (COUNTRY, der.text(der.PRINTABLE_STRING, "MX")),
        (STATE, utf8("CIUDAD DE MEXICO")),
        (LOCALITY, utf8("CUAUHTEMOC")),
        (UNIQUE_IDENTIFIER, der.text(der.PRINTABLE_STRING, rfc)),
        (UNSTRUCTURED_NAME, der.text(der.PRINTABLE_STRING, "responsable: Sandbox Timbra")),
    )


def _named(name: str) -> tuple[tuple[str, bytes], ...]:
    value = holder_text(name)
    return (COMMON_NAME, value), (NAME, value), (ORGANIZATION, value)


def _identified(rfc: str) -> tuple[tuple[str, bytes], ...]:
    """Return RFC and CURP of a person, or those of a company with its representative after " / "."""
    person = len(rfc) == PERSON_LENGTH
    identity = rfc if person else f"{rfc} / {REPRESENTATIVE_RFC}"
    curp = GENERIC_CURP if person else f" / {GENERIC_CURP}"
    return (UNIQUE_IDENTIFIER, holder_text(identity)), (SERIAL_NUMBER, holder_text(curp))
