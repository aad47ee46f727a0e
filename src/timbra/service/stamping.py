"""Issuing and stamping: checks, a stamp in memory, one insert that decides, the answer."""

from __future__ import annotations

from typing import Protocol

from timbra.authority.port import Provider
from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.errors import ServiceError
from timbra.rules.cleared import Cleared
from timbra.service.making import FreshStamp, conflict, make_stamp, shown, stamp_of
from timbra.service.order import Operation, Passage, Tools, clear, repeated
from timbra.service.orders import Stamped, StampOrder
from timbra.store.port import Claim, CustomIdTaken, Exhausted, Outcome, Repeated, StampRecord, Stored

NO_PROVIDER = (
    "Este servidor no tiene un certificado de proveedor autorizado por el SAT: puede validar y consultar, no timbrar."
)


class Claims(Protocol):
    """Where finished stamps ask to be stored."""

    async def claim(self, claim: Claim) -> Outcome: ...


class Stamping:
    """The use cases of an account that wants its invoices stamped. provider: None where nobody may stamp."""

    def __init__(self, tools: Tools, provider: Provider | None, claims: Claims, environment: str) -> None:
        self._tools = tools
        self._provider = provider
        self._claims = claims
        self._environment = environment

    async def issue(self, order: StampOrder) -> Stamped:
        """Seals with the account's CSD and stamps. See `stamp` for what it raises, and csd-missing."""
        return await self._run(order, Operation.ISSUE)

    async def stamp(self, order: StampOrder) -> Stamped:
        """Stamps a sealed document.

        ServiceError with the first code that refuses; "307" with the earlier stamp as data (None for another
        account's); "CFDI3307" with what may be told of the stamp that holds the customid; "AU2001" when the account has
        no stamps left; "CO1000" without a provider.
        """
        return await self._run(order, Operation.STAMP)

    async def _run(self, order: StampOrder, operation: Operation) -> Stamped:
        if self._provider is None:
            raise ServiceError("CO1000", NO_PROVIDER)
        passage = Passage(order, operation, self._tools.world())
        cleared = clear(passage, self._tools)
        moment = self._tools.empty.moment
        fresh = make_stamp(cleared, passage.document, self._provider)
        record = self._record(passage, cleared, fresh)
        claim = Claim(record, order.custom_id or None, limited=order.caller.limited, mail_to=order.mail_to)
        outcome = await self._claims.claim(claim)
        if isinstance(outcome, Exhausted):
            self._tools.empty.remember(order.caller.account_id, moment)
            raise ServiceError("AU2001")
        return self._conclude(outcome, fresh.stamp, order)

    def _record(self, passage: Passage, cleared: Cleared, fresh: FreshStamp) -> StampRecord:
        comprobante = cleared.comprobante
        order = passage.order
        return StampRecord(
            seal_hash=passage.seal_hash,
            uuid=fresh.stamp.uuid,
            account_id=order.caller.account_id,
            environment=self._environment,
            request_id=order.request_id,
            stamped_at=cleared.checked_at.replace(microsecond=0),
            version="4.0",
            kind=comprobante.TipoDeComprobante,
            serie=comprobante.Serie or "",
            folio=comprobante.Folio or "",
            fecha=comprobante.Fecha,
            issuer_rfc=comprobante.emisor.Rfc,
            receiver_rfc=comprobante.receptor.Rfc,
            total=comprobante.Total,
            issuer_certificate=comprobante.NoCertificado,
            provider_certificate=fresh.stamp.no_certificado_sat,
            rule_set=cleared.rules_version,
            data_version=cleared.catalogs_version,
            lists_version=cleared.lists_version,
            cfdi=fresh.cfdi,
        )

    def _conclude(
        self, outcome: Stored | Repeated | CustomIdTaken, stamp: TimbreFiscalDigital, order: StampOrder
    ) -> Stamped:
        if isinstance(outcome, Repeated):
            raise repeated(outcome.record, order, self._tools)
        if isinstance(outcome, CustomIdTaken):
            raise ServiceError("CFDI3307", data=conflict(stamp_of(outcome.record, self._tools.parser)))
        return shown(outcome.record, stamp)
