"""Documents: their nodes, seal, cadena original, JSON and print; example documents and the explanation of codes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timbra.core.errors import DocumentLocation, ServiceError
from timbra.library.resources import (
    LOCK,
    Folder,
    When,
    Xml,
    cadena_original,
    catalogs,
    document_of,
    instant,
    labels,
    snapshot,
    structure,
    trust_store,
)

if TYPE_CHECKING:
    from timbra.cfdi.from_json import JsonDocuments
    from timbra.cfdi.nodes import Comprobante, FiscalDocument
    from timbra.cfdi.nodes.retenciones20 import Retenciones
    from timbra.cfdi.tfd import TimbreFiscalDigital
    from timbra.cfdi.to_json import JsonWriter
    from timbra.rules.reference.explanation import Explanation

KeyFile = bytes | str | os.PathLike[str]
"""A certificate or key: its bytes, DER or PEM, or the path of its file."""


@dataclass(frozen=True, slots=True)
class Cfdi:
    """A document whose structure is valid, as read-only nodes with the SAT's names.

    Attributes:
        xml: The document, without a byte order mark.
        version: `4.0` or `3.3` of a CFDI, `2.0` of a retención.
        stamp: The stamp; None without one.
        document: The root node: `comprobante` or `retenciones`.
    """

    xml: bytes = field(repr=False)
    version: str
    stamp: TimbreFiscalDigital | None = field(repr=False)
    document: FiscalDocument = field(repr=False)

    @property
    def uuid(self) -> str | None:
        """The folio fiscal, as written; None without a stamp."""
        return None if self.stamp is None else self.stamp.uuid

    @property
    def comprobante(self) -> Comprobante:
        """The root node of a CFDI.

        Raises:
            Error: "TB4021" for a retención.
        """
        from timbra.cfdi.nodes import Comprobante

        if not isinstance(self.document, Comprobante):
            raise ServiceError("TB4021", f"Es una retención {self.version}.")
        return self.document

    @property
    def retenciones(self) -> Retenciones:
        """The root node of a retención.

        Raises:
            Error: "TB4020" for a CFDI.
        """
        from timbra.cfdi.nodes.retenciones20 import Retenciones

        if not isinstance(self.document, Retenciones):
            raise ServiceError("TB4020", f"Es un CFDI {self.version}.")
        return self.document


def read(xml: Xml) -> Cfdi:
    """Read a CFDI 4.0 or 3.3 or a retención 2.0. No rule is evaluated, except that the structure is valid.

    Args:
        xml: XML as text or bytes, or the path of a file.

    Raises:
        Error: "301" when it is no such document or violates the SAT's schema, with the first place in `location`;
            "source-unreadable" for a file that cannot be read.
    """
    from timbra.cfdi.nodes.documents import walk_document
    from timbra.cfdi.tfd import read_stamps

    with LOCK:
        document = document_of(xml)
        if document.version not in READ:
            raise ServiceError("301", f"No se leen los nodos de la versión {document.version}.")
        faults = structure().check(document.root)
        if faults:
            fault = faults[0]
            location = DocumentLocation(fault.path or None, fault.found, fault.expected)
            raise ServiceError("301", f"{fault.message} Línea {fault.line}.", location=location)
        stamp = next(iter(read_stamps(document.root)), None)
        return Cfdi(document.source, document.version, stamp, walk_document(document.root))


READ = frozenset({"4.0", "3.3", "2.0"})
"""Versions whose nodes have classes."""


def seal(xml: Xml, cer: KeyFile, key: KeyFile, password: str) -> bytes:
    """Seal a document with a CSD: NoCertificado, Certificado and Sello are written, and nothing else changes.

    Args:
        xml: XML as text or bytes, or the path of a file.
        cer: The certificate: its bytes, DER or PEM, or the path of the file.
        key: The private key: its bytes, the SAT's encrypted form or PEM, or the path of the file.
        password: The password of the key.

    Returns:
        The sealed document.

    Raises:
        Error: "key-password" for a wrong password, "key-mismatch" for the key of another certificate,
            "certificate-unreadable", "key-unreadable" and "key-cipher" for other files, "301" for another document.
    """
    from timbra.seals.certificates.certificate import read_certificate_content
    from timbra.seals.keys.private_key import load_private_key
    from timbra.seals.signers.memory import pair_key
    from timbra.stamping.sealing import seal_document

    certificate = read_certificate_content(_file(cer, "certificate-unreadable"))
    signer = pair_key(certificate, load_private_key(_file(key, "key-unreadable"), password))
    with LOCK:
        document = document_of(xml)
        _require_cadena(document.version)
        return seal_document(document, certificate, signer, cadena_original()).source


def cadena(xml: Xml) -> str:
    """Return the cadena original of a document, which the seal of the issuer signs.

    Args:
        xml: XML as text or bytes, or the path of a file.

    Raises:
        Error: "301" when it is no CFDI, or one of a version without a cadena original.
    """
    with LOCK:
        document = document_of(xml)
        _require_cadena(document.version)
        return cadena_original().build(document.root, document.version)


def example(name: str = "ingreso", *, version: str | None = None, on: When | None = None) -> str:
    """Return a minimal valid document, unsealed.

    Args:
        name: One of the names of `timbra example --list`: `ingreso`, `nomina12`, `pagos20`, `retencion`.
        version: The version of the document; the newest one without it.
        on: The instant of Fecha; ten minutes ago without it, or a day of its time for a complement that is no longer in
            force.

    Raises:
        Error: "name-unknown" when there is no such document or version.
    """
    from timbra.core.clock import to_central_mexico
    from timbra.examples import DOCUMENTS

    document = DOCUMENTS.get(name.casefold())
    if document is None or (version is not None and version not in document.builders):
        raise ServiceError("name-unknown", f"No hay un ejemplo {name} {version or ''}".rstrip() + ".")
    fecha = document.default_fecha(version, instant(None)) if on is None else to_central_mexico(instant(on))
    return document.make(version, fecha)


def explain(code: str) -> list[Explanation]:
    """Return every meaning of a code: message, cause, remedy and the facts of its rule, in Spanish.

    Args:
        code: A code of a finding or an error, in any letter case: `CFDI40147`, `301`, `cp-101`.

    Raises:
        Error: "name-unknown" for another text, with the nearest codes.
    """
    from timbra.rules.reference.codes import find_code, suggestions
    from timbra.rules.reference.explanation import explanations

    found = find_code(code)
    if found is None:
        near = ", ".join(suggestions(code))
        raise ServiceError("name-unknown", f"No hay un código {code}." + (f" ¿Quiso decir {near}?" if near else ""))
    return explanations(found)


def from_json(document: str | bytes | Mapping[str, Any]) -> bytes:
    """Convert a JSON invoice or retención to XML: members are the SAT's names, arrays are repeated elements.

    Args:
        document: JSON as text or bytes, or its object; amounts may be `Decimal`.

    Returns:
        The document as UTF-8 XML, not sealed.

    Raises:
        Error: "301" when it is no such document, or has a member that no schema of the SAT has.
    """
    if isinstance(document, str | bytes):
        body = document if isinstance(document, bytes) else document.encode()
    else:
        import json

        body = json.dumps(document, default=str).encode()
    with LOCK:
        try:
            return _json_documents().invoice(body).xml
        except ServiceError as error:
            if error.code != "TB4021":
                raise
        return _json_documents().retencion(body).xml


def to_json(xml: Xml) -> dict[str, Any]:
    """Convert a document to the JSON object that `from_json` reads. Values are texts, as written; no Addenda.

    Args:
        xml: XML as text or bytes, or the path of a file.

    Raises:
        Error: "301" when it is no CFDI 4.0 or 3.3 and no retención 2.0, or has an element that no schema of the SAT
            has.
    """
    with LOCK:
        return _json_writer().write(document_of(xml).root)


def print_pdf(xml: Xml, *, trust: Folder | None = None) -> bytes:
    """Return the printed representation of a document as a PDF/A-3b with the document attached as `cfdi.xml`.

    A document without a stamp of a trusted provider is printed with a legend that says so.

    Args:
        xml: XML as text or bytes, or the path of a file.
        trust: A folder with certificates of providers and authorities that are trusted besides those of the SAT.

    Raises:
        Error: "301" when it is no CFDI, "print-failed" when the document cannot be typeset.
    """
    from timbra.cfdi.qr import QrPainter
    from timbra.cfdi.structure.standards import XmlStandards
    from timbra.rendering import ViewReader
    from timbra.rendering.pdf import pdf
    from timbra.rendering.stamp_check import StampVerifier

    with LOCK:
        document = document_of(xml)
        reader = ViewReader(
            labels(),
            XmlStandards(snapshot()),
            catalogs(),
            QrPainter(snapshot()),
            StampVerifier(cadena_original(), trust_store(trust), lambda _: None),
            fiscal_effect=True,
        )
        view = reader.view(document.root)
    return pdf(view, xml=document.source)


@cache
def _json_documents() -> JsonDocuments:
    from timbra.cfdi.from_json import JsonDocuments

    return JsonDocuments(snapshot(), reject_unknown_keys=True)


@cache
def _json_writer() -> JsonWriter:
    from timbra.cfdi.to_json import JsonWriter

    return JsonWriter(snapshot())


def _require_cadena(version: str) -> None:
    if not cadena_original().has(version):
        raise ServiceError("301", f"No se conoce la cadena original de la versión {version}.")


def _file(given: KeyFile, code: str) -> bytes:
    if isinstance(given, bytes):
        return given
    try:
        return Path(given).read_bytes()
    except OSError as error:
        raise ServiceError(code, f"{os.fspath(given)}: {error.strerror}") from error
