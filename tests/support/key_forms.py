"""The forms in which programs have certificates, keys and PFX files: encodings, and encryptions of the key."""

from __future__ import annotations

import textwrap
from base64 import b64encode

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509 import load_der_x509_certificate

PASSWORD = "contraseña 1"
CERTIFICATE_FORMS = ("der", "pem", "pem after text")
KEY_FORMS = {
    "der pkcs8": (Encoding.DER, PrivateFormat.PKCS8, False),
    "der pkcs1": (Encoding.DER, PrivateFormat.TraditionalOpenSSL, False),
    "der pkcs8 encrypted": (Encoding.DER, PrivateFormat.PKCS8, True),
    "pem pkcs8": (Encoding.PEM, PrivateFormat.PKCS8, False),
    "pem pkcs1": (Encoding.PEM, PrivateFormat.TraditionalOpenSSL, False),
    "pem pkcs8 encrypted": (Encoding.PEM, PrivateFormat.PKCS8, True),
    "pem pkcs1 encrypted": (Encoding.PEM, PrivateFormat.TraditionalOpenSSL, True),
}
"""Encoding, structure, and whether a password encrypts the key."""
PFX_FORMS = ("pfx", "pfx encrypted", "pem of pfx encrypted", "pem of both", "pem of both encrypted")
NO_PASSWORD = {"null": None, "false": False, "empty": ""}
TEXT_FORMS = ("base64", "base64 in lines", "as it is")


def is_encrypted(form: str) -> bool:
    return form.endswith("encrypted")


def certificate_file(form: str, der: bytes) -> bytes:
    """Return a certificate in one of `CERTIFICATE_FORMS`."""
    if form == "der":
        return der
    pem = load_der_x509_certificate(der).public_bytes(Encoding.PEM)
    return b"Bag Attributes\r\n    friendlyName: CSD\r\n" + pem.replace(b"\n", b"\r\n") if "text" in form else pem


def key_file(form: str, key: RSAPrivateKey, password: str = PASSWORD) -> bytes:
    """Return a key in one of `KEY_FORMS`."""
    encoding, structure, encrypted = KEY_FORMS[form]
    encryption = BestAvailableEncryption(password.encode()) if encrypted else NoEncryption()
    return key.private_bytes(encoding, structure, encryption)


def pfx_file(form: str, key: RSAPrivateKey, der: bytes, password: str = PASSWORD) -> bytes:
    """Return a certificate and its key in one of `PFX_FORMS`."""
    if "both" in form:
        kind = "pem pkcs8 encrypted" if is_encrypted(form) else "pem pkcs8"
        return key_file(kind, key, password) + certificate_file("pem", der)
    encryption = BestAvailableEncryption(password.encode()) if is_encrypted(form) else NoEncryption()
    pfx = pkcs12.serialize_key_and_certificates(b"csd", key, load_der_x509_certificate(der), None, encryption)
    if not form.startswith("pem"):
        return pfx
    return b"-----BEGIN PKCS12-----\n" + _lines(pfx).encode() + b"\n-----END PKCS12-----\n"


def sent_text(form: str, file: bytes) -> str:
    """Return a file in one of `TEXT_FORMS`; in base64 when it is no text."""
    if form == "as it is" and b"-----BEGIN" in file:
        return file[file.index(b"-----BEGIN") :].decode()
    return _lines(file) if form == "base64 in lines" else b64encode(file).decode()


def _lines(file: bytes) -> str:
    return "\r\n".join(textwrap.wrap(b64encode(file).decode(), 76))
