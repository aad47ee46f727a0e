"""The printed manifest: its text, the evidence of the signature, and the signed XML attached."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from timbra.core.clock import CENTRAL_MEXICO
from timbra.manifests.signed_document import SignedManifest
from timbra.rendering.pdf import typeset

TEMPLATE = "manifest.typ"


def print_manifest(manifest: SignedManifest, document: bytes) -> bytes:
    """Render a PDF/A-3b with the signed document attached as `manifiesto.xml`; the same manifest gives the same bytes.

    Raises:
        ServiceError: "print-failed" when the typesetter rejects the text.
    """
    certificate = manifest.certificate
    evidence = {
        "Firmante": manifest.name,
        "RFC": manifest.rfc,
        "Certificado de e.firma": certificate.number,
        "Emitido por": certificate.issuer_name,
        "Vigencia": f"{certificate.valid_from:%d/%m/%Y} a {certificate.valid_to:%d/%m/%Y}",
        "Fecha de la firma": f"{manifest.signed_at.astimezone(CENTRAL_MEXICO):%d/%m/%Y %H:%M:%S} (centro de México)",
        "Dirección de red": manifest.address or "desconocida",
        "SHA-256 del texto": sha256(manifest.text.encode()).hexdigest(),
        "SHA-256 del documento firmado": manifest.digest,
        "Huella del certificado (SHA-256)": b64encode(sha256(certificate.der).digest()).decode(),
    }
    content = {
        "title": f"Manifiesto de {manifest.rfc}",
        "author": manifest.name,
        "paragraphs": [" ".join(part.split()) for part in manifest.text.split("\n\n") if part.strip()],
        "evidence": [{"label": label, "value": value} for label, value in evidence.items()],
    }
    source = (files("timbra.manifests") / "templates" / TEMPLATE).read_bytes()
    return typeset(source, {"document": json.dumps(content), "xml": document.decode()}, manifest.signed_at)
