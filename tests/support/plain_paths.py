"""One document by the ordinary path and by that of plain batches, with the same folio, instant and signatures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from unittest import mock

import orjson
from tests.support.sandbox_app import SandboxApp

from timbra import examples
from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.sandbox.build import sandbox_services
from timbra.seals.signers.batches import SignatureBatches, SignatureRequest
from timbra.seals.signers.port import Signer
from timbra.snapshot.opening import opened_snapshot
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampingOperation, StampRequest, StampResult
from timbra.stamping.plain.batches import PlainRequest
from timbra.stamping.plain.build import plain_batches
from timbra.stamping.serializers import stamp_answer
from timbra.stamping.stamp_factory import to_new_result
from timbra.stamping.stamping import StampingService
from timbra.stamps.port import Claim, Outcome, Stored
from timbra.web.envelopes import success

FOLIO = "0a1b2c3d-4e5f-4678-9abc-def012345678"
AGE = timedelta(hours=1)
"""Documents are issued so long after their Fecha."""
NO_FECHA = datetime(2026, 11, 17, 12, tzinfo=CENTRAL_MEXICO)
"""When documents without a Fecha are issued."""
TEN_YEARS = timedelta(days=3650)
ISSUE, STAMP = StampingOperation
_STAMP = re.compile(rb"<tfd:TimbreFiscalDigital [^>]*/>")
_FECHA = re.compile(rb' Fecha="(20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})"')


@dataclass(frozen=True)
class Issued:
    """What a path makes of a document: what is stored, and the answer of version 1."""

    claim: Claim
    answer: bytes


Results = tuple[Issued | str, Issued | None]
"""Those of the ordinary path and of the other one."""
LEFT_OUT = "left out"
MOST, RELATIONS = 16, b"CfdiRelacionados"
"""Documents of a batch of the queue, and what those have whose related CFDI it looks up."""


class _Claims:
    """Keeps the last claim."""

    last: Claim

    async def claim(self, claim: Claim) -> Outcome:
        self.last = claim
        return Stored(claim.record)


class OneByOne(SignatureBatches):
    """Accepts every key and signs one by one, on any processor."""

    def accepts(self, _signer: Signer) -> bool:
        return True

    def sign(self, requests: Sequence[SignatureRequest]) -> list[bytes | Exception]:
        return [request.signer.sign(request.data) for request in requests]


class BothPaths:
    """Issues and stamps documents of one account by both paths.

    Attributes:
        credential: that of the issuer.
        plain: number of the documents that were plain, by operation.
    """

    def __init__(self, folder: Path) -> None:
        self.app = SandboxApp(folder)
        self.credential = self.app.mint(valid_from=self.app.now - TEN_YEARS, valid_to=self.app.now + TEN_YEARS)
        self.app.store(self.credential)
        container = self.app.container
        checks = container.get(stamping_services).checks
        self._reference_data = checks.reference_data()
        checks = replace(checks, known_reference_data=lambda: self._reference_data)

        def provider() -> object:
            return container.get(sandbox_services).authority_ca.provider

        self._claims = _Claims()
        self._ordinary = StampingService(checks, provider, self._claims, "sandbox")  # type: ignore[arg-type]
        self._plain = plain_batches(container.get(opened_snapshot), checks, provider, "sandbox", OneByOne())  # type: ignore[arg-type]
        self.plain: Counter[StampingOperation] = Counter()
        self._patches = ExitStack()
        for module in ("stamp_factory", "plain.batches"):
            self._patches.enter_context(mock.patch(f"timbra.stamping.{module}.random_uuid", return_value=FOLIO))
        self.compare(examples.ingreso().encode())  # the key of the issuer is read

    def close(self) -> None:
        self._patches.close()
        self.app.container.close()

    def compare(
        self,
        xml: bytes,
        operation: StampingOperation = ISSUE,
        *,
        age: timedelta = AGE,
        changes: Mapping[str, object] | None = None,
    ) -> Results:
        """Return the results of both paths: the code of a rejection for the ordinary one, None for no plain document.

        Args:
            operation: what both paths do with the document.
            age: how long after its Fecha they do it.
            changes: fields of the reference data.
        """
        return self.compare_all([(xml, operation)], age=age, changes=changes)[0]

    def compare_all(
        self,
        documents: Sequence[tuple[bytes, StampingOperation]],
        *,
        age: timedelta = AGE,
        changes: Mapping[str, object] | None = None,
        leave_out: Callable[[int], bool] = lambda _: False,
    ) -> list[Results]:
        """Return the results of both paths for each document; those of one Fecha are one batch of the other path.

        Args:
            documents: the documents, with what to do with each.
            age, changes: as for `compare`.
            leave_out: whether the ordinary path leaves out the document at a place when it is not plain.
        """
        moments: dict[datetime, list[int]] = {}
        for place, (xml, _) in enumerate(documents):
            moments.setdefault(self._moment(xml, age), []).append(place)
        results: dict[int, Results] = {}
        kept = self._reference_data
        for now, places in moments.items():
            self._reference_data = replace(kept, now=now, **(changes or {}))  # type: ignore[arg-type]
            # Before the others, because it reads rows of lists.
            ordinary = {place: self._by_ordinary(*documents[place]) for place in places if not leave_out(place)}
            for place, plain in zip(places, self._by_plain([documents[place] for place in places]), strict=True):
                if plain is not None and place not in ordinary:
                    ordinary[place] = self._by_ordinary(*documents[place])
                results[place] = ordinary.get(place, LEFT_OUT), plain
        self._reference_data = kept
        for place, (_, plain) in results.items():
            self.plain[documents[place][1]] += plain is not None
        return [results[place] for place in range(len(documents))]

    def _moment(self, xml: bytes, age: timedelta) -> datetime:
        found = _FECHA.search(xml)
        try:
            return datetime.fromisoformat(found[1].decode()).replace(tzinfo=CENTRAL_MEXICO) + age if found else NO_FECHA
        except ValueError:
            return NO_FECHA

    def _by_ordinary(self, xml: bytes, operation: StampingOperation) -> Issued | str:
        async def here(work, /, *args, **kwargs):  # type: ignore[no-untyped-def]
            return work(*args, **kwargs)

        request = StampRequest(self.app.caller, xml, "request")
        work = (self._ordinary.issue if operation is ISSUE else self._ordinary.stamp)(request, here)
        try:
            work.send(None)
        except StopIteration as end:
            return Issued(self._claims.last, _answer(end.value))
        except ServiceError as error:
            return error.code
        raise AssertionError("the ordinary path had to wait")

    def by_plain(self, documents: Sequence[bytes]) -> list[Issued | None]:
        """Return the results of one batch of documents to issue; None for a document that is not plain."""
        return self._by_plain([(xml, ISSUE) for xml in documents])

    def _by_plain(self, documents: Sequence[tuple[bytes, StampingOperation]]) -> list[Issued | None]:
        requests = [PlainRequest(StampRequest(self.app.caller, xml, "request"), each) for xml, each in documents]
        whole = [
            self._plain.with_related(each) if RELATIONS in each.request.xml else each  # as `PlainQueue` does
            for each in requests
        ]
        found = [
            each for start in range(0, len(whole), MOST) for each in self._plain.stamp(whole[start : start + MOST])
        ]
        return [
            None if each is None else Issued(each.claim, _answer(to_new_result(each.claim.record, each.stamp)))
            for each in found
        ]


def sealed_of(issued: Issued) -> bytes:
    """Return the sealed document that was stamped."""
    return _STAMP.sub(b"", issued.claim.record.cfdi).replace(b"<cfdi:Complemento></cfdi:Complemento>", b"")


def _answer(result: StampResult) -> bytes:
    return orjson.dumps(success(stamp_answer(result, "v1", base64=False, qr=lambda _query: b"")))
