"""The bindings of a child process for documents, which has no private keys: its parent signs."""

from __future__ import annotations

from typing import NoReturn

from timbra.accounts.build import envelope_encryption
from timbra.app.bindings import environment_bindings
from timbra.container import Bindings, Container
from timbra.evaluation.build import issuer_keys
from timbra.provider.parts import provider_schedule
from timbra.sandbox.authority.build import sandbox_authority, sandbox_store
from timbra.sandbox.authority.certificates.authority import SandboxAuthority
from timbra.sat.ports import stamping_provider
from timbra.stamping.request_keys import ParentVault, parent_provider


def _no_keys(_container: Container) -> NoReturn:
    raise RuntimeError("a process for documents has no keys")


def keyless_bindings(environment: str) -> Bindings:
    """Return the bindings of an environment without its keys, see `timbra.stamping.request_keys`."""
    return {
        **environment_bindings(environment),
        envelope_encryption: _no_keys,
        issuer_keys: lambda _: ParentVault(),
        provider_schedule: lambda _: None,
        sandbox_authority: lambda container: SandboxAuthority(container.get(sandbox_store), None),
        stamping_provider: lambda _: parent_provider,
    }
