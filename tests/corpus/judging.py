"""Documents of the corpus under the whole validation and the whole order of checks, in a sandbox of their own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from uuid import uuid4

from lxml import etree
from tests.corpus.dating import dated, redate, unstamp
from tests.corpus.documents import Claim, Sample
from tests.corpus.handling import Handling
from tests.corpus.presupposed import Lists, parties
from tests.support.desk import Desk

from timbra.authority.sandbox.listing import TaxpayerRow
from timbra.cfdi.document import Document
from timbra.cfdi.nodes import Comprobante
from timbra.errors import ServiceError
from timbra.rules.engine import Engine
from timbra.rules.finding import Outcome, Severity
from timbra.rules.profiles import Profile
from timbra.rules.world import World
from timbra.seals.certificate import Certificate, Kind
from timbra.seals.keys import load_private_key, pair
from timbra.seals.signers.port import Signer
from timbra.service.order import Operation, Passage, Tools, clear
from timbra.service.orders import StampOrder
from timbra.service.report import Entry, EntryKind
from timbra.service.sealing import sealed
from timbra.service.validation import Validation

STAMPED = "stamped"
YEAR = timedelta(days=365)


@dataclass(frozen=True)
class Judgement:
    """errors, warnings, unknown (not evaluated): codes of the validation. answer: what stamping says, empty where the
    document is not offered for it.

    newcomers: RFC and name of those whom the sandbox does not know.
    """

    errors: frozenset[str]
    warnings: frozenset[str]
    unknown: frozenset[str]
    answer: str
    newcomers: tuple[tuple[str, str], ...]


class Bench:
    """One sandbox for all documents; a CSD for each issuer."""

    def __init__(self, data: Path) -> None:
        self.desk = Desk(data)
        self._house = self.desk.house
        self._credentials: dict[tuple[str, datetime], tuple[Certificate, Signer]] = {}

    def judge(self, sample: Sample, handling: Handling) -> Judgement:
        """The document as `handling` says, validated and, if it is of CFDI 4.0, offered for stamping."""
        xml, own, csd = self._brought(sample, handling)
        tools = self._tools(sample, handling, own, csd)
        entries = self._validated(xml, tools)
        return Judgement(
            errors=_codes(entries, EntryKind.ERROR),
            warnings=_codes(entries, EntryKind.WARNING),
            unknown=frozenset(entry.code or "" for entry in entries if not entry.evaluated),
            answer=self._answer(xml, tools) if sample.version == "4.0" else "",
            newcomers=tuple((rfc, row.name) for rfc, row in own.items() if self._house.registry.taxpayer(rfc) is None),
        )

    def close(self) -> None:
        self._house.close()

    def _brought(self, sample: Sample, handling: Handling) -> tuple[bytes, dict[str, TaxpayerRow], Certificate | None]:
        if handling.as_it_is:
            return sample.xml, {}, None
        document = self._house.parser.parse(handling.text(dated(sample.xml)))
        if handling.redated:
            redate(document.root)
        unstamp(document.root)
        own = parties(document.root)
        for rfc, name in handling.registered:
            own[rfc] = replace(own[rfc], name=name)
        xml = etree.tostring(document.root, encoding="UTF-8", xml_declaration=True)
        if not handling.sealed:
            return xml, own, None
        certificate, signer = self._credential(document)
        whole, _ = sealed(self._house.parser.parse(xml), certificate, signer, self._house.tools.cadena)
        return whole.source, own, certificate

    def _credential(self, document: Document) -> tuple[Certificate, Signer]:
        emisor = document.root.find("{*}Emisor")
        if emisor is None:
            raise ValueError("the document has no Emisor")
        rfc, name = str(emisor.get("Rfc")), str(emisor.get("Nombre"))
        made = self.desk.now if document.version == "4.0" else _date(document)
        if (rfc, made) not in self._credentials:
            minted = self._house.authority_ca.mint(rfc, Kind.CSD, name, made - YEAR, made + YEAR)
            key = load_private_key(minted.key_der, minted.password)
            self._credentials[rfc, made] = minted.certificate, pair(minted.certificate, key)
        return self._credentials[rfc, made]

    def _tools(self, sample: Sample, handling: Handling, own: dict[str, TaxpayerRow], csd: Certificate | None) -> Tools:
        lists = Lists(self._house.registry, own, handling.claimed, csd)
        world = replace(self._house.world(), taxpayers=lists, obligations=lists)
        if sample.claim is Claim.CODES:
            world = replace(world, names=lists)
        if handling.switched_on:
            world = replace(world, exchange_rates=Rates(), confirmations=Keys(handling.used_keys))
        tools = self._house.tools
        switched = handling.switched_on or handling.switched_off
        engine = Switched(tools.engine, handling) if switched else tools.engine
        return replace(tools, world=lambda: world, engine=engine)

    def _validated(self, xml: bytes, tools: Tools) -> list[Entry]:
        try:
            return asyncio.run(Validation(tools, None).validate(xml, with_status=False)).entries
        except ServiceError as error:
            return [Entry(error.code, error.detail, EntryKind.ERROR, error.code)]

    def _answer(self, xml: bytes, tools: Tools) -> str:
        order = StampOrder(self.desk.caller, xml, str(uuid4()), None)
        try:
            clear(Passage(order, Operation.STAMP, tools.world()), tools)
        except ServiceError as error:
            return error.code
        return STAMPED


class Switched(Engine):
    """An engine that asks suspended codes too, and leaves others out."""

    def __init__(self, engine: Engine, handling: Handling) -> None:
        super().__init__(engine.books)
        self._on = dict.fromkeys(handling.switched_on, Severity.ERROR)
        self._off = frozenset(handling.switched_off)

    def check(self, comprobante: Comprobante, world: World, profile: Profile) -> Outcome:
        severities = {**profile.severities, **self._on}
        wider = Profile(profile.name, severities, profile.off | self._off, profile.reported_as)
        return super().check(comprobante, world, wider)


@dataclass(frozen=True)
class Keys:
    """Confirmation keys that the provider gave to whoever shows them, and saw before."""

    keys: tuple[str, ...]

    def issued_to(self, rfc: str, key: str) -> bool:
        return key in self.keys

    def used(self, key: str) -> bool:
        return key in self.keys


class Rates:
    """Twenty pesos for a unit of any currency, every day."""

    def published(self, currency: str, on: date) -> Decimal | None:
        return Decimal(20)


def _date(document: Document) -> datetime:
    return datetime.fromisoformat(str(document.root.get("Fecha"))).replace(tzinfo=UTC)


def _codes(entries: list[Entry], kind: EntryKind) -> frozenset[str]:
    return frozenset(entry.code for entry in entries if entry.kind is kind and entry.evaluated and entry.code)
