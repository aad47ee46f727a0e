"""Child processes for large documents: their containers, which have no private keys, and the work that they run."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import count
from traceback import format_exception
from typing import TYPE_CHECKING, Any, NoReturn

from timbra.app.container import Container
from timbra.app.parts import cached_property
from timbra.app.production import ProductionContainer
from timbra.app.rehearsal import RehearsalContainer
from timbra.app.sandbox import SandboxContainer
from timbra.core.errors import ServiceError
from timbra.evaluation.processes import ProcessOutcome

if TYPE_CHECKING:
    from timbra.evaluation.dependencies import IssuerKeys
    from timbra.sandbox.authority.certificates.authority import SandboxAuthority
    from timbra.sat.port import Provider
    from timbra.settings import Settings


YOUNG, ALL = 1, 2
"""Generations of the garbage collector up to which a collection goes."""
DOCUMENTS_PER_FULL_COLLECTION = 32
"""A collection of all objects visits those of the container too, which takes longer than a document of 256 KB."""


class KeylessContainer(Container):
    """The container of a child process: its parent signs, see `timbra.stamping.request_keys`."""

    @property
    def envelope(self) -> NoReturn:
        """Not available: the child decrypts nothing."""
        raise RuntimeError("a process for documents has no keys")

    @cached_property
    def issuer_keys(self) -> IssuerKeys:
        """Credentials whose signers ask the parent."""
        from timbra.stamping.request_keys import ParentVault

        return ParentVault()


class KeylessSandboxContainer(KeylessContainer, SandboxContainer):
    """The container of a child of a sandbox."""

    @cached_property
    def authority_ca(self) -> SandboxAuthority:
        """The certificates of the simulated certificate authority, without its keys."""
        from timbra.sandbox.authority.certificates.authority import SandboxAuthority

        return SandboxAuthority(self.sandbox_store, None)

    @property
    def provider(self) -> Provider:
        """The provider of the parent, which signs."""
        from timbra.stamping.request_keys import parent_provider

        return parent_provider()


class KeylessProductionContainer(KeylessContainer, ProductionContainer):
    """The container of a child of a production server."""

    provider_schedule = None

    @property
    def provider(self) -> Provider:
        """The provider of the parent, which signs."""
        from timbra.stamping.request_keys import parent_provider

        return parent_provider()


class KeylessRehearsalContainer(KeylessProductionContainer, RehearsalContainer):
    """The container of a child of a server in rehearsal."""


CONTAINERS: Mapping[str, type[KeylessContainer]] = {
    "sandbox": KeylessSandboxContainer,
    "rehearsal": KeylessRehearsalContainer,
    "production": KeylessProductionContainer,
}


def run_in_child(settings: Settings, work: Callable[..., Any], *args: Any) -> ProcessOutcome:
    """Run work with the groups of services of the child's container, which stays open for the next work.

    Args:
        work: a module-level function.
        args: its arguments after the groups.
    """
    container = _container(settings)
    gc.disable()
    try:
        container.poll()
        value, error = work(container.groups, *args), None
    except Exception as caught:  # raised again in the parent
        value, error = None, _without_origin(caught)
    state = container.metrics.state()
    container.metrics.counts.clear()
    container.metrics.histograms.clear()
    _collect_garbage()
    return ProcessOutcome(value, error, state)


def _without_origin(error: Exception) -> Exception:
    """Remove from an exception what pickling leaves out: its frames would keep the document until a full collection.

    An unexpected one keeps the text of its traceback, for the log of the parent.
    """
    if not isinstance(error, ServiceError | MemoryError):
        error.add_note("".join(format_exception(error)))
    error.__cause__ = error.__context__ = error.__traceback__ = None
    return error


def _collect_garbage() -> None:
    """Collect the cycles of the document; all its objects are young, because no other collection runs meanwhile."""
    gc.collect(ALL if next(_collections) % DOCUMENTS_PER_FULL_COLLECTION == 0 else YOUNG)


_collections = count(1)


@lru_cache(maxsize=1)
def _container(settings: Settings) -> KeylessContainer:
    container = CONTAINERS[settings.environment](settings)
    container.run_in_child = run_in_child
    gc.freeze()
    return container
