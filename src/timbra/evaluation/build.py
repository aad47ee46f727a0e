"""Construction of what the evaluation of a document needs, and of its child processes."""

from __future__ import annotations

from functools import partial

from timbra.accounts.certificates import certificate_services
from timbra.container import Container
from timbra.container.child import child_runner, keyless_settings
from timbra.database.build import opened_database
from timbra.evaluation.confirmations import ConfirmationRegistry
from timbra.evaluation.dependencies import IssuerKeys
from timbra.evaluation.processes import DocumentProcesses, ProcessLimits
from timbra.stamps.confirmations import ConfirmationRepository


def issuer_keys(container: Container) -> IssuerKeys:
    """Return the credentials with which issuing seals; the vault, unless a child process asks its parent."""
    return container.get(certificate_services).vault


def document_processes(_container: Container) -> DocumentProcesses | None:
    """Return the child processes for large documents; None in a process that serves no other requests meanwhile.

    A server binds `started_document_processes` instead.
    """
    return None


def started_document_processes(container: Container) -> DocumentProcesses | None:
    """Build the child processes for large documents, each started on demand."""
    return _document_processes(container, container.settings.document_processes)


def archive_processes(container: Container) -> DocumentProcesses:
    """Build the child process for documents in ZIP archives."""
    return _document_processes(container, 1, max_body_bytes=container.settings.max_large_bytes)


def _document_processes(container: Container, processes: int, **overrides: int) -> DocumentProcesses:
    settings = container.settings
    without_keys = keyless_settings(settings).model_copy(update=overrides)
    limits = ProcessLimits(
        processes,
        settings.large_memory_bytes,
        settings.large_timeout_seconds,
        settings.large_document_bytes,
        settings.large_document_nodes,
        settings.document_processor_seconds,
    )
    built = DocumentProcesses(partial(container.get(child_runner), without_keys), limits, container.metrics)
    container.closing.callback(built.close)
    return built


def enforced_confirmations(container: Container) -> str:
    """Return the setting `confirmations` of this environment: `off`, `keys` or `limits`."""
    chosen = container.settings.confirmations
    if chosen != "auto":
        return chosen
    return "keys" if container.environment.is_sandbox else "off"


def confirmation_registry(container: Container) -> ConfirmationRegistry:
    """Build the keys of confirmation."""
    is_asked = enforced_confirmations(container) != "off"
    repository = ConfirmationRepository(container.get(opened_database))
    return ConfirmationRegistry(repository, container.wall, is_asked=is_asked)
