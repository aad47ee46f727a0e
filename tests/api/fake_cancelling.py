"""Cancellation for the fake house: its rooms remember what they were asked."""

from __future__ import annotations

from dataclasses import dataclass, field

from timbra.authority.port import CfdiParties
from timbra.errors import ServiceError
from timbra.messages import cancelling as told
from timbra.service.accepting import Answered, AnsweredFolio, AnswerOrder, Pendings
from timbra.service.cancelling import Cancelled, CancelOrder
from timbra.service.orders import Caller
from timbra.service.relating import Related
from timbra.service.signed_requests import CsdFiles, PfxFile

UUID = "FE4E71B0-8959-4FB9-8091-F5AC4FB0FEF8"
OTHER = "5B64ADA3-AA4C-40B4-A2F5-572CED52BE31"
ACUSE = '<?xml version="1.0" encoding="utf-8"?><Acuse RfcEmisor="EKU9003173C9"/>'


@dataclass
class Remembering:
    """asked: everything but the caller's name and the request id, which must be there."""

    asked: list[tuple[object, ...]] = field(default_factory=list)
    failure: ServiceError | None = None

    def take(self, *asked: object) -> None:
        self.asked.append(asked)
        if self.failure is not None:
            raise self.failure


class FakeCancelling(Remembering):
    def by_files(self, caller: Caller, order: CancelOrder, files: CsdFiles | PfxFile, request_id: str) -> Cancelled:
        self.take(caller.account_id, order, files)
        return self._cancelled(request_id)

    def by_uuid(self, caller: Caller, order: CancelOrder, request_id: str) -> Cancelled:
        self.take(caller.account_id, order)
        return self._cancelled(request_id)

    def by_xml(self, caller: Caller, xml: bytes, request_id: str) -> Cancelled:
        self.take(caller.account_id, xml)
        return self._cancelled(request_id)

    def _cancelled(self, request_id: str) -> Cancelled:
        assert request_id
        return Cancelled(ACUSE, {UUID: "201"})


class FakeAccepting(Remembering):
    waiting: tuple[str, ...] = (UUID,)

    def pendings(self, rfc: str) -> Pendings:
        self.take(rfc)
        if self.waiting:
            return Pendings(self.waiting, "1100", told.PENDINGS_FOUND)
        return Pendings((), "1101", told.NO_PENDINGS)

    def by_files(self, caller: Caller, order: AnswerOrder, files: CsdFiles | PfxFile, request_id: str) -> Answered:
        self.take(caller.account_id, order, files)
        return self._answered(request_id)

    def by_uuid(self, caller: Caller, rfc: str, uuid: str, answer: str, request_id: str) -> Answered:
        self.take(caller.account_id, rfc, uuid, answer)
        return self._answered(request_id)

    def by_xml(self, caller: Caller, xml: bytes, request_id: str) -> Answered:
        self.take(caller.account_id, xml)
        return self._answered(request_id)

    def _answered(self, request_id: str) -> Answered:
        assert request_id
        return Answered(ACUSE, (AnsweredFolio(UUID, "1000", "Aceptacion"),))


class FakeRelating(Remembering):
    related = Related(
        UUID, "2000", told.RELATIONS_FOUND, "resultado", (CfdiParties(OTHER, "EKU9003173C9", "URE180429TM6"),), ()
    )

    def by_files(self, rfc: str, uuid: str, files: CsdFiles | PfxFile) -> Related:
        self.take(rfc, uuid, files)
        return self.related

    def by_uuid(self, caller: Caller, rfc: str, uuid: str) -> Related:
        self.take(caller.account_id, rfc, uuid)
        return self.related

    def by_xml(self, xml: bytes) -> Related:
        self.take(xml)
        return self.related
