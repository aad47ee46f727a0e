"""The signature of an acuse of cancellation: a signature that can be verified must be that of the acuse."""

from __future__ import annotations

import structlog
from lxml import etree

from timbra.core.errors import ServiceError
from timbra.sat.transport import down
from timbra.seals.xml_signatures.xmldsig import DSIG, SIGNATURES, verify

XPATH = "http://www.w3.org/TR/1999/REC-xpath-19991116"
LOG = structlog.get_logger("timbra.cancellation")


def require_sound_signature(acuse: bytes) -> None:
    """Verify the RSA signature of an acuse. One with a key of the SAT (HMAC) cannot be verified and is kept as it is.

    Args:
        acuse: The document of the acuse, as it is stored.

    Raises:
        ServiceError: "authority-down" when the signature fails: it is unknown what the SAT answered, and the request is
            sent again.
    """
    root = etree.fromstring(acuse)
    if not _can_be_verified(root):
        return
    try:
        verify(root)
    except ServiceError as cause:
        LOG.exception("the signature of an acuse fails", code=cause.code, detail=cause.detail)
        raise down("La firma del acuse no corresponde a su contenido.") from cause


def _can_be_verified(acuse: etree._Element) -> bool:
    """Whether the signature is RSA over the whole document, with its certificate; others are unknown forms."""
    signature = acuse.find(f"{{{DSIG}}}Signature")
    if signature is None or signature.find(f"{{{DSIG}}}KeyInfo//{{{DSIG}}}X509Certificate") is None:
        return False
    method = signature.find(f"{{{DSIG}}}SignedInfo/{{{DSIG}}}SignatureMethod")
    transforms = [found.get("Algorithm") for found in signature.iter(f"{{{DSIG}}}Transform")]
    return method is not None and method.get("Algorithm") in SIGNATURES and XPATH not in transforms
