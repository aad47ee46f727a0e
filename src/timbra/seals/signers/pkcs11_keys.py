"""Keys that are made inside a PKCS#11 token."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey, RSAPublicNumbers

from timbra.core.errors import ServiceError
from timbra.seals.signers.pkcs11_library import gate_of
from timbra.seals.signers.pkcs11_session import load_driver, load_library, open_session, token_unavailable

BITS = 2048


def device_key(module: Path, token: str, pin: str, label: str, *, existing: bool) -> RSAPublicKey:
    """Return the public key of a private key that a token has under a label.

    Args:
        module: The PKCS#11 module of the token.
        existing: Whether the key is there; otherwise it is made, so that it never leaves the token.

    Raises:
        ServiceError: "provider-settings" when the label is in use, or has no key although one is expected;
            "signer-unavailable" when the token does not respond.
    """
    library, pkcs11 = load_library(module), load_driver()
    try:
        with gate_of(module).use(), closing(open_session(library, module, token, pin, writes=True)) as session:
            selected = {pkcs11.Attribute.CLASS: pkcs11.ObjectClass.PRIVATE_KEY, pkcs11.Attribute.LABEL: label}
            found = list(session.get_objects(selected))
            if len(found) > 1 or bool(found) != existing:
                state = f"tiene {len(found)} llaves con esa etiqueta" if found else "no tiene esa llave"
                raise ServiceError("provider-settings", f"{token}: {label}: {state}.")
            return _public_key(pkcs11, found[0] if found else _new_key(pkcs11, session, label))
    except pkcs11.PKCS11Error as cause:
        raise token_unavailable(token, cause) from cause


def _new_key(pkcs11: Any, session: Any, label: str) -> Any:
    kept = {pkcs11.Attribute.SENSITIVE: True, pkcs11.Attribute.EXTRACTABLE: False}
    _, private = session.generate_keypair(
        pkcs11.KeyType.RSA,
        BITS,
        label=label,
        store=True,
        capabilities=pkcs11.MechanismFlag.SIGN | pkcs11.MechanismFlag.VERIFY,
        private_template=kept,
    )
    return private


def _public_key(pkcs11: Any, private: Any) -> RSAPublicKey:
    exponent, modulus = (private[name] for name in (pkcs11.Attribute.PUBLIC_EXPONENT, pkcs11.Attribute.MODULUS))
    return RSAPublicNumbers(int.from_bytes(exponent, "big"), int.from_bytes(modulus, "big")).public_key()
