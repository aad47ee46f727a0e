"""The SAT's data and the checks of this process: built at their first use, and shared by all threads.

One lock serialises them: the checks hold the interpreter anyway, and a fork waits until nothing is half done.
"""

from __future__ import annotations

import os
from collections.abc import Coroutine
from contextlib import closing
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, lru_cache
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.core.posix import CAN_FORK

if TYPE_CHECKING:
    from timbra.catalogs import SnapshotCatalogs
    from timbra.catalogs.labels import CatalogLabels
    from timbra.catalogs.search import CatalogSearch
    from timbra.cfdi.cadena import CadenaOriginal
    from timbra.cfdi.document import Document, DocumentParser
    from timbra.cfdi.nodes import FiscalDocument
    from timbra.cfdi.structure import Structure
    from timbra.evaluation.dependencies import EvaluationServices
    from timbra.lists.published import PublishedLists
    from timbra.rules.engine.ports import ReferenceData
    from timbra.rules.rulesets.declarations.evaluation import DeclarationChecks
    from timbra.sat.port import StatusService
    from timbra.seals.certificates.certificate import CertificateCache
    from timbra.seals.certificates.trust_store import TrustStore
    from timbra.snapshot import Snapshot

T = TypeVar("T")
Xml = str | bytes | os.PathLike[str]
"""A document: XML as text or bytes, or the path of its file. A text whose first character is `<` is XML."""
Folder = str | os.PathLike[str]
When = date | datetime
"""An instant, or a day for its last second in central Mexico."""

LOCK = RLock()
"""Held while a document is evaluated, and while a process forks."""
if CAN_FORK:
    os.register_at_fork(before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release)


@cache
def snapshot() -> Snapshot:
    """Open the SAT's data of this package."""
    from timbra.snapshot import locate, open_snapshot

    return open_snapshot(locate(None))


@cache
def parser() -> DocumentParser:
    from timbra.cfdi.document import DocumentParser

    return DocumentParser()


@cache
def structure() -> Structure:
    from timbra.cfdi.structure import Structure

    return Structure(snapshot())


@cache
def cadena_original() -> CadenaOriginal:
    from timbra.cfdi.cadena import CadenaOriginal

    return CadenaOriginal(snapshot())


@cache
def declarations() -> DeclarationChecks:
    from timbra.rules.rulesets.declarations.evaluation import DeclarationChecks

    return DeclarationChecks(structure(), cadena_original())


@cache
def catalogs() -> SnapshotCatalogs:
    from timbra.catalogs import SnapshotCatalogs

    return SnapshotCatalogs(snapshot())


@cache
def labels() -> CatalogLabels:
    from timbra.catalogs.labels import CatalogLabels

    return CatalogLabels(snapshot())


@cache
def catalog_search() -> CatalogSearch:
    from timbra.catalogs.search import CatalogSearch

    return CatalogSearch(catalogs(), labels())


@cache
def certificates() -> CertificateCache:
    from timbra.seals.certificates.certificate import CertificateCache

    return CertificateCache()


@cache
def _sat_trust() -> TrustStore:
    from timbra.seals.certificates.trust_store import TrustStore

    return TrustStore.built_in(production=True)


@lru_cache(maxsize=8)
def _trust_with(folder: str, _modified: int) -> TrustStore:
    return _sat_trust().with_folder(Path(folder), production=False)


def trust_store(folder: Folder | None) -> TrustStore:
    """Return the SAT's authorities and providers, and those whose certificates are in a folder.

    A folder is read again after a file was added, replaced or removed.

    Raises:
        ServiceError: "trust-refused" and "certificate-unreadable", see `TrustStore.with_folder`.
    """
    if folder is None:
        return _sat_trust()
    path = os.path.abspath(folder)
    modified = os.stat(path).st_mtime_ns if os.path.isdir(path) else 0
    return _trust_with(path, modified)


@lru_cache(maxsize=8)
def _lists_of(folder: str) -> PublishedLists:
    from timbra.lists.published import PublishedLists

    return PublishedLists(Path(folder))


def published_lists(folder: Folder | None) -> PublishedLists | None:
    """Return the lists that `timbra lists import` wrote to a folder; None without a folder.

    Raises:
        ServiceError: "list-damaged" when the folder has no lists.
    """
    if folder is None:
        return None
    found = _lists_of(os.path.abspath(folder))
    if not found.current.editions:
        raise ServiceError("list-damaged", f"{os.fspath(folder)} no tiene listas: timbra lists import.")
    return found


def status_service() -> StatusService:
    """Build the client of the SAT's service of the status, with the settings `TIMBRA_SAT_...` of the environment."""
    from timbra.core.clock import WallClock
    from timbra.sat.build import sat_status
    from timbra.settings import load_settings

    return sat_status(load_settings(), WallClock())


def instant(on: When | None) -> datetime:
    """Return the fiscal instant of an evaluation: now without a value; a time without zone is of central Mexico."""
    if on is None:
        return datetime.now(UTC)
    if not isinstance(on, datetime):
        on = datetime.combine(on, time()) + timedelta(days=1, seconds=-1)
    return (on.replace(tzinfo=CENTRAL_MEXICO) if on.tzinfo is None else on).astimezone(UTC)


class _NoDocuments:
    """Knows no documents: a program has no registry of stamps."""

    def types_of(self, _folios: object, /) -> dict[str, str]:
        return {}


class _NoKeys:
    """Knows no keys of confirmation, whose rules are suspended."""

    def with_key(self, reference_data: ReferenceData, _document: FiscalDocument, /) -> ReferenceData:
        return reference_data


def evaluation_services(
    lists: PublishedLists | None, trust: Folder | None, on: When | None = None
) -> EvaluationServices:
    """Return the services that evaluate a document, without a database."""
    from timbra.evaluation.dependencies import EvaluationServices
    from timbra.evaluation.known_documents import KnownDocuments
    from timbra.lists.published import ListSnapshot
    from timbra.lists.reference import published_reference_data
    from timbra.rules.engine.profiles import CONFIRMATION_RULES, profiles_of
    from timbra.rules.registry import ENGINE

    def reference_data() -> ReferenceData:
        current = ListSnapshot({}) if lists is None else lists.current
        return published_reference_data(current, catalogs(), instant(on))

    return EvaluationServices(
        parser=parser(),
        structure=structure(),
        declarations=declarations(),
        engine=ENGINE,
        profiles=profiles_of((), CONFIRMATION_RULES["off"]),
        cadena=cadena_original(),
        certificates=certificates(),
        trust=trust_store(trust),
        related=KnownDocuments(_NoDocuments(), None),
        reference_data=reference_data,
        known_reference_data=reference_data,
        confirmations=_NoKeys(),
    )


def path_of(document: Xml) -> str | None:
    """Return the path of a document; None for one that is given as XML."""
    if isinstance(document, bytes):
        return None
    path = os.fspath(document)
    return None if isinstance(document, str) and path.lstrip(_BEFORE_XML).startswith("<") else path


def content_of(xml: Xml, *, with_pdf: bool = False) -> bytes:
    """Return the bytes of a document.

    Args:
        with_pdf: whether the file may be a PDF.

    Raises:
        ServiceError: "source-unreadable" when its file cannot be read; "source-not-xml" and "TB4001" when it is no
            XML, or too large.
    """
    if isinstance(xml, bytes):
        return xml
    path = path_of(xml)
    if path is None:
        return os.fspath(xml).encode()
    from timbra.console.sources import DocumentReader, DocumentSource

    with closing(DocumentReader(MAX_BYTES, with_pdf=with_pdf)) as reader:
        return reader.read(DocumentSource(path))


def document_of(xml: Xml) -> Document:
    """Parse a document.

    Raises:
        ServiceError: "source-unreadable" when its file cannot be read, "301" when it is no XML of a CFDI.
    """
    document = parser().parse(content_of(xml))
    if not document.version:
        raise ServiceError("301", "El documento no es un CFDI ni una retención de una versión conocida.")
    return document


MAX_BYTES = 40 * 1024 * 1024
"""Size of the largest document."""
_BEFORE_XML = "\ufeff \t\r\n"


def finished(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine that waits for nothing, also where an event loop runs already, as in a notebook.

    Raises:
        RuntimeError: it waits; this is a programming error.
    """
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    coroutine.close()
    raise RuntimeError("the coroutine waits")
