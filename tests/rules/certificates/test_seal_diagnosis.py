"""Diagnosis of a seal that does not verify, from the seal alone."""

from __future__ import annotations

import base64
import hashlib
from unicodedata import normalize

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS, PKCS1v15
from cryptography.hazmat.primitives.hashes import MD5, SHA1, SHA256, SHA512, HashAlgorithm
from tests.seals.support import rsa_key

from timbra.cfdi.cadena_variants import CadenaVariant, text_variants
from timbra.rules.rulesets.certificates.sello import diagnose

CADENA = '||4.0|Año & "más"|1||'
KEY = rsa_key(1)
OTHER = "El sello fue hecho con la llave de este certificado sobre otro texto"


def sealed(data: bytes, digest: HashAlgorithm | None = None) -> str:
    return base64.b64encode(KEY.sign(data, PKCS1v15(), digest or SHA256())).decode()


def why(sello: str, *variants: CadenaVariant) -> str:
    return diagnose(KEY.public_key(), CADENA, sello, [*text_variants(CADENA), *variants])


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (CADENA.encode("latin-1"), "en Latin-1 en lugar de UTF-8."),
        (CADENA.replace("&", "&amp;").replace('"', "&quot;").encode(), "con caracteres XML sin resolver"),
        (CADENA.strip("|").encode(), "sin las barras de los extremos."),
        ((CADENA + "\n").encode(), "con un salto de línea al final."),
        ((CADENA + "\r\n").encode(), "con un salto de línea al final."),
        (("\ufeff" + CADENA).encode(), "con una marca BOM al principio."),
        (CADENA.encode().decode("latin-1").encode(), "codificada dos veces en UTF-8."),
        (normalize("NFD", CADENA).encode(), "con los acentos como caracteres aparte (Unicode NFD)."),
    ],
)
def test_diagnose_names_common_mistakes(data: bytes, says: str) -> None:
    assert f"El sello es de esta cadena {says}" in why(sealed(data))


def test_diagnose_shows_the_first_difference() -> None:
    variant = CadenaVariant("sin normalizar los espacios", CADENA.replace("Año &", "Año  &"), b"x")
    ours, theirs = "||4.0|Año & ", "||4.0|Año  &"
    explanation = why(sealed(b"x"), variant)
    assert "Primera diferencia en el carácter 11: " in explanation
    assert explanation.index(f"«{ours}") < explanation.index(" aquí, ") < explanation.index(f"«{theirs}")


def test_diagnose_shows_no_difference_for_another_encoding() -> None:
    assert "Primera diferencia" not in why(sealed(CADENA.encode("latin-1")))


def test_diagnose_shows_both_digests_for_another_text() -> None:
    explanation = why(sealed(b"otra cosa"))
    assert explanation.startswith(OTHER)
    assert hashlib.sha256(b"otra cosa").hexdigest() in explanation
    assert hashlib.sha256(CADENA.encode()).hexdigest() in explanation


@pytest.mark.parametrize(("digest", "name"), [(SHA1(), "SHA-1"), (MD5(), "MD5"), (SHA512(), "SHA-512")])
def test_diagnose_names_other_digests(digest: HashAlgorithm, name: str) -> None:
    assert why(sealed(CADENA.encode(), digest)) == f"El sello es de esta cadena con {name}; debe ser con SHA-256."
    assert why(sealed(b"otra", digest)) == f"El sello es de otro texto con {name}; debe ser con SHA-256."


def test_diagnose_names_pss() -> None:
    for digest in (SHA256(), SHA1()):
        signature = KEY.sign(CADENA.encode(), PSS(MGF1(digest), PSS.MAX_LENGTH), digest)
        assert "con relleno PSS" in why(base64.b64encode(signature).decode())


def test_diagnose_names_a_double_digest() -> None:
    digest = hashlib.sha256(CADENA.encode())
    assert "de la digestión SHA-256 de esta cadena en lugar" in why(sealed(digest.digest()))
    assert "escrita en hexadecimal" in why(sealed(digest.hexdigest().encode()))


def test_diagnose_names_a_digest_without_algorithm() -> None:
    numbers, size = KEY.private_numbers(), KEY.key_size // 8
    digest = hashlib.sha256(CADENA.encode()).digest()
    padded = b"\0\1" + b"\xff" * (size - 3 - len(digest)) + b"\0" + digest
    signature = pow(int.from_bytes(padded, "big"), numbers.d, numbers.public_numbers.n).to_bytes(size, "big")
    assert "es de esta cadena con una digestión que no se nombra" in why(base64.b64encode(signature).decode())


def test_diagnose_names_another_key() -> None:
    other = rsa_key(2).sign(CADENA.encode(), PKCS1v15(), SHA256())
    assert "no fue hecho con la llave de este certificado" in why(base64.b64encode(other).decode())


@pytest.mark.parametrize(
    ("sello", "says"),
    [
        ("", "mide 0 bytes"),
        ("no base64!", "no es base64"),
        ("AAAA", "mide 3 bytes y la llave del certificado firma con 256"),
        (base64.b64encode(b"\xff" * 256).decode(), "no fue hecho con la llave"),
        (base64.b64encode(bytes(256)).decode(), "no fue hecho con la llave"),
    ],
)
def test_diagnose_names_text_that_is_no_seal(sello: str, says: str) -> None:
    assert says in why(sello)
