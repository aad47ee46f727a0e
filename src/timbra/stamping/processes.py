"""Stamping in child processes: of costly documents, and of those in ZIP archives under a memory limit of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from timbra.evaluation.dependencies import IssuerKeys
from timbra.evaluation.processes import DocumentProcesses
from timbra.pools.coroutines import run_coroutine
from timbra.sat.port import Provider
from timbra.stamping.large_documents import LargeStampRequest, check_size, unpack
from timbra.stamping.models import StampingOperation, StampRequest, StampResult
from timbra.stamping.request_keys import RequestKeys
from timbra.stamping.services import StampingServices
from timbra.stamping.stamping import RunCostly
from timbra.web.injection import Groups


def in_processes(processes: DocumentProcesses, keys: IssuerKeys, provider: Callable[[], Provider | None]) -> RunCostly:
    """Return the `run_costly` of a `StampingService` that has child processes for costly documents.

    A child also stores the stamp, because its compression takes milliseconds.
    """

    async def in_child(request: StampRequest, operation: StampingOperation) -> StampResult:
        account_id = request.caller.account_id
        answers = RequestKeys(keys, provider, account_id, operation)
        size = len(request.xml)
        return await processes.run(str(account_id), answers.answer, stamp_in_child, request, operation, size=size)

    return lambda here, request, operation: processes.run_costly(
        request.xml, here, partial(in_child, request, operation)
    )


def stamper(
    processes: DocumentProcesses,
    keys: IssuerKeys,
    provider: Callable[[], Provider | None],
    max_bytes: int,
    warm: DocumentProcesses | None = None,
    warm_bytes: int = 0,
) -> Callable[[LargeStampRequest], Awaitable[StampResult]]:
    """Return a function that stamps each document in an archive in a child process.

    Args:
        processes: the child processes; they end after each document.
        keys: the credentials of the accounts.
        provider: returns the provider that stamps now.
        max_bytes: size limit of the document in the archive.
        warm: the processes of other large documents, which stay; None when there are none.
        warm_bytes: size up to which a document is processed there.
    """

    async def stamp(request: LargeStampRequest) -> StampResult:
        account_id = request.caller.account_id
        answers = RequestKeys(keys, provider, account_id, request.operation)
        # Its size limits its processor time.
        size = min(request.size, max_bytes)
        work = (str(account_id), answers.answer, stamp_archive_in_child, request)
        if warm is not None and request.size <= warm_bytes:
            return await warm.run(*work, warm_bytes, size=size)
        try:
            return await processes.run(*work, max_bytes, size=size)
        finally:
            await asyncio.to_thread(processes.end_idle, 0)

    return stamp


def stamp_in_child(groups: Groups, request: StampRequest, operation: StampingOperation) -> StampResult:
    """Issue or stamp a document; runs in the child."""
    stamping: StampingServices = groups[StampingServices]()
    run = stamping.stamping.issue if operation is StampingOperation.ISSUE else stamping.stamping.stamp
    return run_coroutine(run(request))


def stamp_archive_in_child(groups: Groups, request: LargeStampRequest, max_bytes: int) -> StampResult:
    """Open the archive and stamp the document; runs in the child."""
    with request.path.open("rb") as archive:
        xml = unpack(archive, max_bytes)
    check_size(xml)
    order = StampRequest(request.caller, xml, request.request_id, request.custom_id, dry_run=request.dry_run)
    return stamp_in_child(groups, order, request.operation)
