"""Issuing and stamping: run the checks, sign a stamp in memory, store it with one deciding insert, respond."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Protocol

from timbra.core.errors import ServiceError
from timbra.evaluation.dependencies import Dependencies
from timbra.pools import RunInThread
from timbra.sat.port import Provider
from timbra.seals.seal import seal
from timbra.stamping.checks import already_stamped, reject_used_confirmation
from timbra.stamping.models import StampingOperation, StampRequest, StampResult
from timbra.stamping.pipeline import check_document
from timbra.stamping.plain.queue import PlainQueue
from timbra.stamping.preview import without_stamp
from timbra.stamping.stages import IssuancePermit, Submission, seal_hash
from timbra.stamping.stamp_factory import (
    NewStamp,
    UnsignedStamp,
    Versions,
    finish_stamp,
    new_record,
    prepare_stamp,
    read_stamp,
    require_read_back,
    require_well_formed,
    to_conflict,
    to_new_result,
)
from timbra.stamps.port import (
    AlreadyStamped,
    BalanceExhausted,
    Claim,
    ConfirmationUsed,
    CustomIdTaken,
    Outcome,
    Stored,
)

NO_PROVIDER = (
    "Este servidor no tiene un certificado de proveedor autorizado por el SAT: puede validar y consultar, no timbrar."
)


class ClaimStore(Protocol):
    """Stores finished stamps."""

    async def claim(self, claim: Claim) -> Outcome:
        """Store the stamp unless its seal or its customid exists, or the account has no stamps left."""
        ...


Stamp = Callable[[], Awaitable[StampResult]]
RunCostly = Callable[[Stamp, StampRequest, StampingOperation], Awaitable[StampResult]]
"""Runs the first argument, which stamps the request here, or stamps the request elsewhere, with the same result."""


def run_here(here: Stamp, _request: StampRequest, _operation: StampingOperation) -> Awaitable[StampResult]:
    """Stamp every request here."""
    return here()


class StampingService:
    """Issues and stamps invoices and retenciones for accounts.

    Args:
        dependencies: the services of the checks.
        provider: returns the provider that stamps now; None where the server has no provider certificate.
        claims: stores the stamps.
        environment: name of the environment, stored with each stamp.
        run_costly: runs the work, costly documents elsewhere.
        plain: stamps plain invoices in batches; None to stamp all documents one by one.
    """

    def __init__(
        self,
        dependencies: Dependencies,
        provider: Callable[[], Provider | None],
        claims: ClaimStore,
        environment: str,
        run_costly: RunCostly = run_here,
        plain: PlainQueue | None = None,
    ) -> None:
        self._dependencies = dependencies
        self._provider = provider
        self._claims = claims
        self._environment = environment
        self._run_costly = run_costly
        self._plain = plain

    async def issue(self, request: StampRequest, run_in_thread: RunInThread = asyncio.to_thread) -> StampResult:
        """Seal the document with the account's CSD and stamp it.

        Args:
            request: The document and its account.
            run_in_thread: As `stamp`.

        Raises:
            ServiceError: As `stamp`; also "csd-missing".
        """
        here = partial(self._here, request, StampingOperation.ISSUE, run_in_thread)
        return await self._run_costly(here, request, StampingOperation.ISSUE)

    async def stamp(self, request: StampRequest, run_in_thread: RunInThread = asyncio.to_thread) -> StampResult:
        """Stamp a document that its issuer has sealed.

        Args:
            request: The document and its account.
            run_in_thread: Runs look-ups that need the database; a request passes the pool of its account.

        Raises:
            ServiceError: The code of the first check that rejects the document (docs/order-of-checks.md). "307" with
                the earlier stamp as data (None for a stamp of another account); "CFDI3307" with a `CustomIdConflict`
                as data; "AU2001" when the account has no stamps left; "CO1000" without a provider;
                "stamp-unreadable" for a stamp that does not read back, which is not stored.
        """
        here = partial(self._here, request, StampingOperation.STAMP, run_in_thread)
        return await self._run_costly(here, request, StampingOperation.STAMP)

    async def _here(
        self, request: StampRequest, operation: StampingOperation, run_in_thread: RunInThread
    ) -> StampResult:
        ordinary = partial(self._run, request, operation, run_in_thread)
        plain = self._plain
        if plain is None:
            return await ordinary()
        if plain.mode == "compare":
            return await plain.compared(request, operation, run_in_thread, ordinary)
        stamped = await plain.stamp(request, operation, run_in_thread)
        if stamped is None:
            return await ordinary()
        outcome = await self._claims.claim(stamped.claim)
        if not isinstance(outcome, Stored):
            return await ordinary()  # whose insert is rejected too, with its reason
        result = to_new_result(outcome.record, stamped.stamp)
        return result if stamped.article_69b is None else replace(result, article_69b=stamped.article_69b)

    async def _run(
        self, request: StampRequest, operation: StampingOperation, run_in_thread: RunInThread
    ) -> StampResult:
        provider = self._provider()
        if provider is None:
            raise ServiceError("CO1000", NO_PROVIDER)
        try:
            reference_data = await self._dependencies.current_reference_data(run_in_thread)
            submission = Submission(request, operation, reference_data)
            permit = await check_document(submission, self._dependencies, run_in_thread)
            return await self._stamp(permit, provider, run_in_thread)
        except ServiceError as error:
            translated = request.kind.error(error)
            if translated is error:
                raise
            raise translated from error

    async def _stamp(self, permit: IssuancePermit, provider: Provider, run_in_thread: RunInThread) -> StampResult:
        """Sign the document of a permit and store its stamp."""
        dependencies, request = self._dependencies, permit.request
        checked_balance_at = dependencies.empty.version
        unsigned = prepare_stamp(permit, provider)
        if request.dry_run:
            return await self._preview(permit, unsigned, run_in_thread)
        sello_sat = await self._sign(unsigned, provider)
        new_stamp = _finish(unsigned, sello_sat, request.xml)
        outcome = await self._claims.claim(self._claim(permit, new_stamp))
        if isinstance(outcome, BalanceExhausted):
            dependencies.empty.put(request.caller.account_id, checked_balance_at)
            raise ServiceError("AU2001")
        return self._conclude(outcome, new_stamp, permit)

    async def _preview(
        self, permit: IssuancePermit, unsigned: UnsignedStamp, run_in_thread: RunInThread
    ) -> StampResult:
        """Return what the stamp would answer, without signing and storing it; raise what it would raise."""
        new_stamp = _finish(unsigned, "", permit.request.xml)
        outcome = await run_in_thread(self._dependencies.stamps.preview, self._claim(permit, new_stamp))
        if isinstance(outcome, BalanceExhausted):
            raise ServiceError("AU2001")
        return without_stamp(self._conclude(outcome, new_stamp, permit), permit.document.source)

    async def _sign(self, unsigned: UnsignedStamp, provider: Provider) -> str:
        """Sign in the event loop with a key in memory, in threads with a device."""
        cadena = unsigned.cadena
        if provider.signing is None:
            return await self._dependencies.signatures.seal(provider.signer, cadena)
        return await provider.signing.run(seal, provider.signer, cadena)

    def _claim(self, permit: IssuancePermit, new_stamp: NewStamp) -> Claim:
        request, validated = permit.request, permit.validated
        versions = Versions(validated.rules_version, validated.catalogs_version, validated.lists_version)
        record = new_record(
            validated.document,
            request,
            new_stamp,
            seal_hash(permit.document),
            validated.checked_at,
            versions,
            self._environment,
        )
        confirmation = self._dependencies.confirmations.key_of(validated.document)
        return Claim(record, request.custom_id or None, request.caller.limited, request.mail_to, confirmation)

    def _conclude(
        self,
        outcome: Stored | AlreadyStamped | CustomIdTaken | ConfirmationUsed,
        new_stamp: NewStamp,
        permit: IssuancePermit,
    ) -> StampResult:
        if isinstance(outcome, AlreadyStamped):
            raise already_stamped(outcome.record, permit.certified, self._dependencies)
        if isinstance(outcome, CustomIdTaken):
            raise ServiceError("CFDI3307", data=to_conflict(read_stamp(outcome.record, self._dependencies.parser)))
        if isinstance(outcome, ConfirmationUsed):
            reject_used_confirmation(permit.certified, outcome.key, self._dependencies)
        result = to_new_result(outcome.record, new_stamp)
        return result if permit.article_69b is None else replace(result, article_69b=permit.article_69b)


def _finish(unsigned: UnsignedStamp, sello_sat: str, received: bytes) -> NewStamp:
    """Finish the stamp and read it back; after a failure, check whether the client's XML is the cause."""
    try:
        new_stamp = finish_stamp(unsigned, sello_sat)
        require_read_back(new_stamp)
    except ServiceError:
        require_well_formed(received)
        raise
    return new_stamp
