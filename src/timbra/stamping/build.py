"""Construction of stamping and issuing."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from timbra._native import STATE
from timbra.accounts.article_69b import Article69bPolicy
from timbra.accounts.balances import EmptyBalanceCache
from timbra.cfdi.build import cadena_original, document_parser, qr_painter
from timbra.cfdi.from_json import JsonDocuments
from timbra.cfdi.nodes.complements import check_kinds
from timbra.cfdi.nodes.retenciones20.walk import KINDS as RETENCIONES
from timbra.cfdi.structure import Structure
from timbra.container import Container
from timbra.container.build import data_folder
from timbra.database.build import opened_database
from timbra.evaluation.article_69b import Article69bScreening
from timbra.evaluation.build import (
    archive_processes,
    confirmation_registry,
    document_processes,
    enforced_confirmations,
    issuer_keys,
)
from timbra.evaluation.dependencies import Dependencies
from timbra.evaluation.known_documents import KnownDocuments
from timbra.evaluation.ports import certificate_hint, known_elsewhere
from timbra.rules.engine.profiles import CONFIRMATION_RULES, VendorLeniency, profiles_of
from timbra.rules.ports import reference_source
from timbra.rules.registry import ENGINE
from timbra.rules.rulesets.declarations.evaluation import DeclarationChecks
from timbra.sat.ports import stamping_provider
from timbra.seals.certificates.certificate import CertificateCache
from timbra.seals.ports import trust_store
from timbra.seals.signature_queue import SignatureQueue
from timbra.settings.mail import is_mail_enabled
from timbra.snapshot.opening import opened_snapshot
from timbra.stamping.large_documents import LargeStampingService
from timbra.stamping.plain.build import plain_batches
from timbra.stamping.plain.queue import PlainQueue
from timbra.stamping.ports import manifest_requirement
from timbra.stamping.processes import in_processes, stamper
from timbra.stamping.services import StampingServices
from timbra.stamping.stamping import StampingService, run_here
from timbra.stamps.build import database_stamps
from timbra.stamps.group_commit import GroupCommit
from timbra.web.server.feature_jobs import FeatureJobs
from timbra.web.server.periodic_jobs import PeriodicJob

IDLE_SECONDS = 300
"""Time after which an idle process for large documents ends."""


def evaluation_checks(container: Container) -> Dependencies:
    """Build the dependencies of the checks of a document, which validation has in common."""
    get, settings = container.get, container.settings
    structure, stamps, reference = Structure(get(opened_snapshot)), get(database_stamps), get(reference_source)
    check_kinds(((each.namespace, each.element, each.version) for each in structure.supported), RETENCIONES)
    return Dependencies(
        parser=get(document_parser),
        structure=structure,
        declarations=DeclarationChecks(structure, get(cadena_original)),
        engine=ENGINE,
        profiles=profiles_of(
            [VendorLeniency(name) for name in settings.vendor_leniencies],
            CONFIRMATION_RULES[enforced_confirmations(container)],
        ),
        cadena=get(cadena_original),
        certificates=CertificateCache(),
        trust=get(trust_store),
        vault=get(issuer_keys),
        stamps=stamps,
        empty=EmptyBalanceCache(get(opened_database)),
        related=KnownDocuments(stamps, get(known_elsewhere)),
        reference_data=reference.current,
        known_reference_data=reference.known,
        metrics=container.metrics,
        signatures=SignatureQueue(container.metrics),
        article_69b=Article69bScreening(
            Article69bPolicy(settings.article_69b), timedelta(days=settings.article_69b_max_age_days)
        ),
        confirmations=get(confirmation_registry),
        certificate_hint=get(certificate_hint),
        require_manifest=get(manifest_requirement),
    )


def stamping_services(container: Container) -> StampingServices:
    """Build stamping and issuing of CFDI."""
    get, settings = container.get, container.settings
    processes, checks, stamps = get(document_processes), get(evaluation_checks), get(database_stamps)
    keys, provider = get(issuer_keys), get(stamping_provider)
    run_costly = run_here if processes is None else in_processes(processes, keys, provider)
    archives = stamper(
        get(archive_processes), keys, provider, settings.max_large_bytes, processes, settings.max_body_bytes
    )
    # PostgreSQL works in another process, for which the loop need not wait; SQLite works in the thread itself.
    claims = GroupCommit(stamps, in_thread=get(opened_database).dialect == "postgresql")
    return StampingServices(
        stamping=StampingService(checks, provider, claims, settings.environment, run_costly, _plain_queue(container)),
        processes=processes,
        large=LargeStampingService(archives, get(data_folder) / "large", metrics=container.metrics),
        json_documents=JsonDocuments(get(opened_snapshot), reject_unknown_keys=settings.json_unknown_keys == "reject"),
        qr=get(qr_painter),
        stamps=stamps,
        checks=checks,
        confirmations=get(confirmation_registry),
        mail_enabled=is_mail_enabled(settings),
    )


def _plain_queue(container: Container) -> PlainQueue | None:
    get, mode = container.get, container.settings.fast_path
    if mode == "off" or not STATE.active:
        return None
    checks, provider = get(evaluation_checks), get(stamping_provider)
    batches = plain_batches(get(opened_snapshot), checks, provider, container.settings.environment)
    return PlainQueue(batches, container.metrics, mode)


def _worker_jobs(container: Container) -> list[PeriodicJob]:
    """Return the job that ends the child processes for large documents that have been idle for a while."""
    processes = container.get(document_processes)
    if processes is None:
        return []
    return [PeriodicJob("idle processes", 60, partial(processes.end_idle, IDLE_SECONDS))]


SERVICES = {StampingServices: stamping_services}
JOBS = FeatureJobs(worker=_worker_jobs)
