"""The order of checks: one list that issuing and stamping follow. Stamping answers one code, the first that refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING

from timbra.cfdi.nodes import Comprobante, walk
from timbra.cfdi.tfd import stamps_in
from timbra.errors import Place, ServiceError
from timbra.rules import seals
from timbra.rules.seals.context import SealContext
from timbra.seals.seal import seal_bytes
from timbra.service.making import shown, stamp_of
from timbra.service.sealing import sealed

if TYPE_CHECKING:
    from timbra.accounts.empty import EmptyBalances
    from timbra.accounts.vault import Vault
    from timbra.cfdi.cadena import OriginalString
    from timbra.cfdi.document import Document, DocumentParser
    from timbra.cfdi.structure import Structure
    from timbra.meters import Laps, Meters
    from timbra.rules.cleared import Cleared
    from timbra.rules.engine import Engine
    from timbra.rules.world import World
    from timbra.seals.cache import CertificateCache
    from timbra.seals.trust import Trust
    from timbra.service.orders import StampOrder
    from timbra.store.port import StampRecord, StampStore


class Operation(StrEnum):
    """issue: the server seals with the account's CSD. stamp: the client has sealed."""

    ISSUE = "issue"
    STAMP = "stamp"


BOTH = frozenset(Operation)


@dataclass(frozen=True, slots=True)
class Tools:
    """What the checks work with; one per process."""

    parser: DocumentParser
    structure: Structure
    engine: Engine
    cadena: OriginalString
    certificates: CertificateCache
    trust: Trust
    vault: Vault
    stamps: StampStore
    empty: EmptyBalances
    world: Callable[[], World]
    meters: Meters


@dataclass(slots=True)
class Passage:
    """One document on its way through the checks; each step adds what the later ones need."""

    order: StampOrder
    operation: Operation
    world: World
    document: Document = field(init=False)
    cadena: str = ""
    comprobante: Comprobante = field(init=False)
    seals: SealContext = field(init=False)
    cleared: Cleared = field(init=False)

    @property
    def seal_hash(self) -> bytes:
        """SHA-256 of the issuer's seal: of its bytes, or of its text when that is no base64."""
        sello = self.document.root.get("Sello") or ""
        return sha256(seal_bytes(sello) or sello.encode()).digest()


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the order. run raises ServiceError with one of the codes, or lets the document pass.

    ends: the stage of stamping that this step is the last of, for the meters.
    """

    codes: tuple[str, ...]
    says: str
    run: Callable[[Passage, Tools], None]
    operations: frozenset[Operation] = BOTH
    ends: str = ""


def clear(passage: Passage, tools: Tools) -> Cleared:
    """Takes the document through every step of its operation. ServiceError with the first code that refuses."""
    laps = tools.meters.laps()
    for step in BEFORE_REPEATS:
        _run(step, passage, tools, laps)
    try:
        for step in AFTER_REPEATS:
            _run(step, passage, tools, laps)
    except ServiceError as refusal:
        try:
            _refuse_repeat(passage, tools)
        except ServiceError as repeat:
            raise repeat from refusal
        raise
    return passage.cleared


def repeated(record: StampRecord, order: StampOrder, tools: Tools) -> ServiceError:
    """307, with the whole stamp for the account that it belongs to and with nothing for any other."""
    own = record.account_id == order.caller.account_id
    return ServiceError("307", data=shown(record, stamp_of(record, tools.parser)) if own else None)


def _run(step: Step, passage: Passage, tools: Tools, laps: Laps | None) -> None:
    if passage.operation in step.operations:
        step.run(passage, tools)
        if laps is not None and step.ends:
            laps.end(step.ends)


def _parse(passage: Passage, tools: Tools) -> None:
    if not passage.order.xml.strip():
        raise ServiceError("xml-missing")
    passage.document = tools.parser.parse(passage.order.xml)


def _version(passage: Passage, _tools: Tools) -> None:
    version = passage.document.version
    if version == "4.0":
        return
    if version == "retenciones":
        raise ServiceError("301", "Se timbran CFDI 4.0; los comprobantes de retenciones no se timbran aquí.")
    found = f"el documento es CFDI {version}" if version else "el documento no es un Comprobante de versión conocida"
    raise ServiceError("301", f"Se timbran CFDI 4.0; {found}.")


def _stamp_inside(passage: Passage, tools: Tools) -> None:
    stamps = stamps_in(passage.document.root)
    if not stamps:
        return
    record = tools.stamps.by_uuid(stamps[0].uuid)
    raise ServiceError("307") if record is None else repeated(record, passage.order, tools)


def _seal(passage: Passage, tools: Tools) -> None:
    root = passage.document.root
    emisor = root.find("{*}Emisor")
    rfc = emisor.get("Rfc") if emisor is not None else None
    if not rfc:
        _structure(passage, tools)
        raise ServiceError("301", "Falta Emisor/@Rfc.")
    credential = tools.vault.signer_for(passage.order.caller.account_id, rfc, passage.world.now)
    passage.document, passage.cadena = sealed(passage.document, credential.certificate, credential.signer, tools.cadena)


def _structure(passage: Passage, tools: Tools) -> None:
    root = passage.document.root
    faults = tools.structure.check(root)
    if faults:
        fault = faults[0]
        told = f"{fault.message} Lugar: {fault.path}, línea {fault.line}."
        raise ServiceError("301", told, place=Place(fault.path))
    unknown = tools.structure.unknown_complements(root)
    if unknown:
        name = f"{unknown[0].name} {unknown[0].version}".rstrip()
        raise ServiceError("301", f"No se conoce el complemento {name}. Lugar: {unknown[0].path}.")
    passage.comprobante = walk(root)


def _refuse_repeat(passage: Passage, tools: Tools) -> None:
    record = tools.stamps.by_seal(passage.seal_hash)
    if record is not None:
        raise repeated(record, passage.order, tools)


def _sealed_document(passage: Passage, tools: Tools) -> None:
    cadena = passage.cadena or tools.cadena.of(passage.document.root, "4.0")
    passage.seals = SealContext.of(passage.comprobante, cadena, tools.certificates, tools.trust, passage.world)


def _refuse_by(code: str) -> Callable[[Passage, Tools], None]:
    rule = seals.BOOK.rule(code)

    def check(passage: Passage, _tools: Tools) -> None:
        seals.refuse(rule, passage.seals)

    return check


def _rules(passage: Passage, tools: Tools) -> None:
    passage.cleared = tools.engine.clear(passage.comprobante, passage.world)


def _known_empty(passage: Passage, tools: Tools) -> None:
    """Spares an empty account's stamp its signature; where a customid comes in, only the insert knows better."""
    order = passage.order
    if order.caller.limited and not order.custom_id and tools.empty.is_known(order.caller.account_id):
        raise ServiceError("AU2001")


ISSUE = frozenset({Operation.ISSUE})
STAMP = frozenset({Operation.STAMP})

BEFORE_REPEATS = (
    Step(("301",), "The document is read: well-formed, UTF-8, no DTD, within bounds.", _parse),
    Step(("301",), "It is a CFDI of version 4.0.", _version),
    Step(("307",), "It carries no TimbreFiscalDigital.", _stamp_inside, ends="parse"),
    Step(
        ("csd-missing",),
        "The account has a CSD of the issuer: the three sealed attributes are filled.",
        _seal,
        ISSUE,
        ends="seal",
    ),
    Step(("301",), "Its structure is that of SAT's schemas, complements included.", _structure, ends="structure"),
)
REPEATS = Step(
    ("307",),
    "Its seal was not stamped before, however old it is. Looked up when a later step refuses; else the insert decides.",
    _refuse_repeat,
)
AFTER_REPEATS = (
    Step((), "Its cadena original is made and its certificate read.", _sealed_document),
    Step(("CFDI40106",), "Certificado is base64 of a certificate, NoCertificado its number.", _refuse_by("CFDI40106")),
    Step(("308",), "The certificate was issued by a known authority.", _refuse_by("308")),
    Step(("303",), "Its holder is the issuer.", _refuse_by("303")),
    Step(("402",), "The issuer is in the list, with obligations.", _refuse_by("402")),
    Step(("305",), "The certificate is in the list, and Fecha inside its validity.", _refuse_by("305")),
    Step(("304",), "It is active in the list.", _refuse_by("304")),
    Step(("CFDI40102",), "The seal fits the cadena original.", _refuse_by("CFDI40102"), STAMP),
    Step(
        ("401",),
        "Fecha: 72 hours back, 5 minutes ahead, by the zone of LugarExpedicion.",
        _refuse_by("401"),
        ends="certificate",
    ),
    Step(("matrix",), "The rules of SAT's matrix, in document order.", _rules, ends="rules"),
    Step(
        ("AU2001",),
        "A limited account has stamps left. The insert decides; here those are refused that are known to be empty.",
        _known_empty,
    ),
)
ORDER = (*BEFORE_REPEATS, REPEATS, *AFTER_REPEATS)
