"""Fake cancellation services that record their calls."""

from __future__ import annotations

from dataclasses import dataclass, field

from timbra.cancellation.acceptance import AcceptanceRequest, AcceptanceResult, FolioResult, PendingRequests
from timbra.cancellation.cancelling import CancellationRequest, CancellationResult
from timbra.cancellation.late_requests import LateFinding
from timbra.cancellation.relations import RelationsResult
from timbra.cancellation.signed_requests import CsdFiles, PfxFile
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.messages import cancelling as messages
from timbra.sat.port import CfdiParties

UUID = "FE4E71B0-8959-4FB9-8091-F5AC4FB0FEF8"
OTHER = "5B64ADA3-AA4C-40B4-A2F5-572CED52BE31"
ACUSE = '<?xml version="1.0" encoding="utf-8"?><Acuse RfcEmisor="EKU9003173C9"/>'


@dataclass
class RecordingFake:
    """calls: the arguments without the caller's name and the request id, which must be present."""

    calls: list[tuple[object, ...]] = field(default_factory=list)
    failure: ServiceError | None = None

    def take(self, *arguments: object) -> None:
        self.calls.append(arguments)
        if self.failure is not None:
            raise self.failure


@dataclass
class FakeCancelling(RecordingFake):
    code: str = "201"
    late: tuple[LateFinding, ...] = ()

    def by_files(
        self, caller: Caller, order: CancellationRequest, files: CsdFiles | PfxFile, request_id: str
    ) -> CancellationResult:
        self.take(caller.account_id, order, files)
        return self._cancelled(request_id)

    def by_uuid(self, caller: Caller, order: CancellationRequest, request_id: str) -> CancellationResult:
        self.take(caller.account_id, order)
        return self._cancelled(request_id)

    def by_xml(self, caller: Caller, xml: bytes, request_id: str) -> CancellationResult:
        self.take(caller.account_id, xml)
        return self._cancelled(request_id)

    def _cancelled(self, request_id: str) -> CancellationResult:
        assert request_id
        return CancellationResult(ACUSE, {UUID: self.code}, self.late)


class FakeAccepting(RecordingFake):
    waiting: tuple[str, ...] = (UUID,)

    def pendings(self, caller: Caller, rfc: str) -> PendingRequests:
        self.take(caller.account_id, rfc)
        if self.waiting:
            return PendingRequests(self.waiting, "1100", messages.PENDINGS_FOUND)
        return PendingRequests((), "1101", messages.NO_PENDINGS)

    def by_files(
        self, caller: Caller, order: AcceptanceRequest, files: CsdFiles | PfxFile, request_id: str
    ) -> AcceptanceResult:
        self.take(caller.account_id, order, files)
        return self._answered(request_id)

    def by_uuid(self, caller: Caller, rfc: str, uuid: str, answer: str, request_id: str) -> AcceptanceResult:
        self.take(caller.account_id, rfc, uuid, answer)
        return self._answered(request_id)

    def by_xml(self, caller: Caller, xml: bytes, request_id: str) -> AcceptanceResult:
        self.take(caller.account_id, xml)
        return self._answered(request_id)

    def _answered(self, request_id: str) -> AcceptanceResult:
        assert request_id
        return AcceptanceResult(ACUSE, (FolioResult(UUID, "1000", "Aceptacion"),))


class FakeRelating(RecordingFake):
    related = RelationsResult(
        UUID, "2000", messages.RELATIONS_FOUND, "resultado", (CfdiParties(OTHER, "EKU9003173C9", "URE180429TM6"),), ()
    )

    def by_files(self, rfc: str, uuid: str, files: CsdFiles | PfxFile) -> RelationsResult:
        self.take(rfc, uuid, files)
        return self.related

    def by_uuid(self, caller: Caller, rfc: str, uuid: str) -> RelationsResult:
        self.take(caller.account_id, rfc, uuid)
        return self.related

    def by_xml(self, xml: bytes) -> RelationsResult:
        self.take(xml)
        return self.related
