"""The issuer's seal: CFDI40102 and CFDI33102; validation also reports 302, and why the seal does not verify.

The signature recovers the digest of the sealed text, but not the text: a changed attribute cannot be identified.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import chain

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from timbra.cfdi.cadena_variants import CadenaVariant, text_variants
from timbra.cfdi.nodes import FiscalDocument
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.rules.rulesets.certificates.sources import ANEXO_20, ANEXO_20_33, PROVIDER_VALIDATIONS
from timbra.seals.digest_recovery import RecoveredDigest, is_pss, recover_digest
from timbra.seals.rsa_signature import Digest
from timbra.seals.seal import seal_bytes

DIGEST_NAMES = {"md5": "MD5", "sha1": "SHA-1", "sha256": "SHA-256", "sha384": "SHA-384", "sha512": "SHA-512"}
UNSEALED = "No lleva Sello: es un borrador, o se le quitó el sello."
AROUND = 20
"""Characters that are quoted on each side of the first difference."""


@rule(
    "CFDI40102",
    at="@Sello",
    says="Sello debe verificar la cadena original con la llave pública del certificado.",
    note=(
        "RSA PKCS#1 v1.5 con SHA-256 sobre la cadena original. El detalle muestra la cadena para "
        "compararla con la del emisor."
    ),
    cites=ANEXO_20,
)
def seal_verifies_the_cadena(_document: FiscalDocument, context: SealContext) -> RuleResult:
    return verifies_the_cadena(context)


@rule(
    "CFDI33102",
    at="@Sello",
    says="Sello debe verificar la cadena original con la llave pública del certificado.",
    note="La misma regla en CFDI 3.3, con su propia cadena original.",
    cites=ANEXO_20_33,
)
def seal_of_33_verifies_the_cadena(_document: FiscalDocument, context: SealContext) -> RuleResult:
    return verifies_the_cadena(context)


@rule(
    "302",
    at="@Sello",
    says="El sello del emisor no es válido.",
    inseparable=("CFDI40102",),
    cites=PROVIDER_VALIDATIONS,
)
def seal_verifies(_document: FiscalDocument, context: SealContext) -> RuleResult:
    if context.is_sealed:
        return None
    return Violation(expected="el sello de la cadena original con la llave del certificado", found=_start(context))


def verifies_the_cadena(context: SealContext) -> RuleResult:
    """Verify Sello; the finding has the cadena original and, in a validation, why the seal does not verify."""
    if context.is_sealed:
        return None
    return Violation(detail=f"CadenaOriginal: {context.cadena}", hint=_diagnosis(context))


def _diagnosis(context: SealContext) -> str | None:
    """Return why the seal does not verify, in Spanish; None at stamping, which does not spend the time."""
    certificate = context.certificate
    if context.stamping:
        return None
    if not context.document.Sello.strip():
        return UNSEALED
    if certificate is None:
        return None
    variants = chain(text_variants(context.cadena), context.variants())
    return diagnose(certificate.public_key, context.cadena, context.document.Sello, variants, context.document.DIGEST)


def _start(context: SealContext) -> str:
    sello = context.document.Sello
    return sello if len(sello) <= 40 else f"{sello[:40]}..."


def diagnose(
    public_key: RSAPublicKey, cadena: str, sello: str, variants: Iterable[CadenaVariant], digest: Digest = "sha256"
) -> str:
    """Return why a seal does not verify, in Spanish.

    Args:
        public_key: the key of the certificate.
        cadena: the cadena original.
        sello: the seal, as written.
        variants: cadenas as faulty programs build them; they are read until one matches the seal.
        digest: the hash that the version of the document requires.
    """
    signature, size = seal_bytes(sello), (public_key.key_size + 7) // 8
    if signature is None:
        return "El sello no es base64."
    if len(signature) != size:
        return f"El sello mide {len(signature)} bytes y la llave del certificado firma con {size}."
    found = recover_digest(public_key, signature)
    if found is not None:
        return _diagnose_digest(found, cadena, variants, digest)
    if is_pss(public_key, signature, [cadena.encode()]):
        return f"El sello es de esta cadena con relleno PSS; debe ser RSA PKCS#1 v1.5 con {DIGEST_NAMES[digest]}."
    return "El sello no fue hecho con la llave de este certificado, o no con RSA PKCS#1 v1.5."


def _diagnose_digest(found: RecoveredDigest, cadena: str, variants: Iterable[CadenaVariant], digest: Digest) -> str:
    exact = CadenaVariant("", cadena, cadena.encode())
    if found.digest_name != digest:
        name = DIGEST_NAMES.get(found.digest_name, "una digestión que no se nombra")
        text = "esta cadena" if _matches(found, exact.data) else "otro texto"
        return f"El sello es de {text} con {name}; debe ser con {DIGEST_NAMES[digest]}."
    if found.digest == hashlib.sha256(hashlib.sha256(exact.data).hexdigest().encode()).digest():
        return "El sello es de la digestión SHA-256 de esta cadena, escrita en hexadecimal, en lugar de la cadena."
    if found.digest == hashlib.sha256(hashlib.sha256(exact.data).digest()).digest():
        return "El sello es de la digestión SHA-256 de esta cadena en lugar de la cadena."
    for variant in variants:
        if _matches(found, variant.data):
            return f"El sello es de esta cadena {variant.says}.{_difference(cadena, variant.text)}"
    return (
        "El sello fue hecho con la llave de este certificado sobre otro texto: algún dato cambió después de sellar, "
        f"o la cadena se formó de otro modo. {DIGEST_NAMES[digest]} de lo sellado: {found.digest.hex()}; "
        f"de esta cadena: {hashlib.new(digest, exact.data, usedforsecurity=False).hexdigest()}."
    )


def _matches(found: RecoveredDigest, data: bytes) -> bool:
    """Whether the digest is that of the data; one without a name is compared with SHA-256, raw and in hexadecimal."""
    if found.digest_name:
        return hashlib.new(found.digest_name, data, usedforsecurity=False).digest() == found.digest
    digest = hashlib.sha256(data)
    return found.digest in (digest.digest(), digest.hexdigest().encode())


def _difference(ours: str, theirs: str) -> str:
    """Return the position and the surroundings of the first difference, in Spanish; empty for equal texts."""
    if ours == theirs:
        return ""
    pairs = zip(chain(ours, "\0"), chain(theirs, "\0"), strict=False)
    at = next(place for place, (one, other) in enumerate(pairs) if one != other)
    shown = [repr(text[max(0, at - AROUND) : at + AROUND])[1:-1] for text in (ours, theirs)]
    return f" Primera diferencia en el carácter {at + 1}: «{shown[0]}» aquí, «{shown[1]}» en lo sellado."
