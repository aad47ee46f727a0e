"""The child processes of a container: for large documents and for those in archives."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from timbra.app.list_fetching import ListStores
from timbra.app.parts import cached_property

if TYPE_CHECKING:
    from collections.abc import Callable

    from timbra.evaluation.processes import DocumentProcesses, ProcessOutcome
    from timbra.lists.importer import Offload
    from timbra.settings import Settings

IDLE_SECONDS = 300
"""Time after which an idle process for large documents ends."""


class ChildProcesses(ListStores):
    """The child processes, each started on demand.

    Attributes:
        run_in_child: runs work in a child process, see `bootstrap.document_processes`; `build_container` sets it.
    """

    run_in_child: Callable[..., ProcessOutcome]
    _offloads = False

    def offload_large_documents(self) -> None:
        """Process large documents in child processes; a server calls this before it builds the services."""
        self._offloads = True

    @cached_property
    def document_processes(self) -> DocumentProcesses | None:
        """The child processes for large documents; None in a process that serves no other requests meanwhile."""
        return self._document_processes(self.settings.document_processes) if self._offloads else None

    @cached_property
    def archive_processes(self) -> DocumentProcesses:
        """The child process for documents in ZIP archives."""
        return self._document_processes(1, max_body_bytes=self.settings.max_large_bytes)

    def _document_processes(self, processes: int, **overrides: int) -> DocumentProcesses:
        from timbra.evaluation.processes import DocumentProcesses, ProcessLimits

        settings = self.settings
        without_keys = self.keyless_settings.model_copy(update=overrides)
        limits = ProcessLimits(
            processes,
            settings.large_memory_bytes,
            settings.large_timeout_seconds,
            settings.large_document_bytes,
            settings.large_document_nodes,
            settings.document_processor_seconds,
        )
        return DocumentProcesses(partial(self.run_in_child, without_keys), limits, self.metrics)

    @property
    def list_offload(self) -> Offload | None:
        """See `ListStores.list_offload`: a child process with a memory limit."""
        from timbra.app.list_processes import publish_in_child

        return partial(publish_in_child, self.run_in_child, self.keyless_settings)

    @property
    def keyless_settings(self) -> Settings:
        """The settings without secrets, for a child process."""
        settings = self.settings
        secrets = {name: "" for name, field in type(settings).model_fields.items() if not field.repr}
        return settings.model_copy(update={**secrets, "master_key_file": None})

    def end_idle_processes(self) -> None:
        """End the child processes for large documents that have been idle for a while; for a periodic job."""
        if self.document_processes is not None:
            self.document_processes.end_idle(IDLE_SECONDS)
