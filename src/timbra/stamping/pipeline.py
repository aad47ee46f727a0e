"""The stamping pipeline: from a submission to the permit that allows one stamp."""

from __future__ import annotations

from typing import TYPE_CHECKING

from timbra.core.errors import ServiceError
from timbra.evaluation.known_documents import read_mentioned
from timbra.stamping.check_sequence import CheckRunner
from timbra.stamping.checks import (
    BALANCE,
    CERTIFICATE,
    IDENTIFICATION,
    PARSING,
    RULES,
    SEALING,
    STRUCTURE,
    find_repeat,
)
from timbra.stamping.models import StampingOperation
from timbra.stamping.sealing import finish_seal
from timbra.stamping.stages import ParsedDocument, SealedDocument, Submission

if TYPE_CHECKING:
    from timbra.evaluation.dependencies import Dependencies
    from timbra.pools import RunInThread
    from timbra.seals.signature_queue import SignatureQueue
    from timbra.stamping.stages import IssuancePermit


async def check_document(
    submission: Submission, dependencies: Dependencies, run_in_thread: RunInThread
) -> IssuancePermit:
    """Run every check of the operation, in the order of `checks.ORDER`.

    Args:
        submission: the document and the account that submits it.
        dependencies: the services that the checks use.
        run_in_thread: runs the checks that need the database.

    Returns:
        The permit to stamp the document.

    Raises:
        ServiceError: the code of the first check that rejects the document; 307 or CFDI40102 instead of that of a later
            check when the seal was stamped before.
    """
    runner = CheckRunner(submission.operation, dependencies, run_in_thread)
    parsed = await runner.run(PARSING, submission)
    sealed = await _seal(parsed, runner, dependencies.signatures)
    structured = await runner.run(STRUCTURE, sealed)
    certified = await runner.run(IDENTIFICATION, structured)
    await read_mentioned(certified.document.root, submission.reference_data, run_in_thread)
    try:
        certified = await runner.run(CERTIFICATE, certified)
        return await runner.run(BALANCE, await runner.run(RULES, certified))
    except ServiceError as rejection:
        repeat = await run_in_thread(find_repeat, certified, dependencies)
        if repeat is None:
            raise
        raise repeat from rejection


async def _seal(parsed: ParsedDocument, runner: CheckRunner, signatures: SignatureQueue) -> SealedDocument:
    """Seal the document with the account's CSD when it is to be issued; else the client has sealed it."""
    if parsed.submission.operation is not StampingOperation.ISSUE:
        return SealedDocument(parsed.submission, parsed.document)
    unsigned = await runner.run(SEALING, parsed)
    sello = await signatures.seal(unsigned.signer, unsigned.cadena)
    sealed = SealedDocument(parsed.submission, finish_seal(unsigned, sello), unsigned.cadena)
    runner.end_stage("seal")
    return sealed
